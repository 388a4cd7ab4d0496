import { screen } from '@testing-library/react';
import { renderScreen } from '../../../testing/renderScreen.js';
import { DiffDrawer } from './DiffDrawer.js';
import type { DiffLine } from './diffLine.js';

const none = { tier: null, region: null, searchSize: null, hours: null, resolution: null };
const change = { quantity: 'second', above: 0, when: null, before: 0.4, after: 0.5, percent: 25 };
const line: DiffLine = {
  model: 'veo',
  kind: 'UP',
  percent: 25,
  isServed: true,
  currentSource: 'CARD',
  offers: [],
  currentCard: { prices: { second: 0.4 } },
  changes: [
    change,
    { ...change, when: { ...none, resolution: '4k' } },
    { ...change, when: { ...none, searchSize: 'high' } },
    { ...change, above: 1000, when: { ...none, tier: 'fast', region: 'us' } },
  ],
};

it('names the tier of a price that differs', async () => {
  const element = <DiffDrawer line={line} source={null} onChoose={jest.fn()} onClose={jest.fn()} />;
  await renderScreen({ routes: [{ path: '/', element }] });
  const [, ...rows] = screen.getAllByRole('row');
  expect(rows.map((row) => row.querySelector('td')?.textContent)).toEqual([
    'Second',
    'Second4k',
    'SecondHigh search',
    'Secondabove 1,000 tokens, Fast, US region',
  ]);
});
