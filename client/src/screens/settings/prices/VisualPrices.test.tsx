import { fireEvent, screen } from '@testing-library/react';
import { rowOf } from '../../../testing/lists.js';
import { renderScreen } from '../../../testing/renderScreen.js';
import type { PriceTables } from './priceTables.js';
import { VisualPrices, type Prices } from './VisualPrices.js';

it('does not price a model again that was selected when it was removed', async () => {
  const tables: PriceTables = { price: {}, ratio: { chat: 1, draw: 2 }, completion: {} };
  const rows = Object.entries(tables.ratio).map(([model, ratio]) => ({
    ...{ model, ratio, price: null, completion: null, changed: false },
  }));
  const prices = { tables, rows, builtIn: new Map(), losses: new Map(), put: jest.fn() } as unknown as Prices;
  await renderScreen({ routes: [{ path: '/', element: <VisualPrices prices={prices} /> }] });
  for (const model of ['chat', 'draw']) fireEvent.click((await rowOf(model)).getByRole('checkbox'));
  await screen.findByText('2 selected');
  fireEvent.click(screen.getByRole('button', { name: /Remove.*chat/ }));
  await screen.findByText('1 selected');
});
