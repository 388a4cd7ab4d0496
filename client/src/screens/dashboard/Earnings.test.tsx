import { screen, within } from '@testing-library/react';
import { renderScreen } from '../../testing/renderScreen.js';
import { Earnings } from './Earnings.js';
import type { DashboardData } from './useDashboard.js';

const current = { __typename: 'UsageMetrics' as const, quota: 1_000_000, calls: 300 };
const cost = { __typename: 'UsageCost' as const, usd: 2, upstreamUsd: 1.25, marginUsd: 0.75, knownCalls: 300 };

async function show(more: object | null) {
  const data = more && ({ previous: current, ...more } as unknown as DashboardData);
  await renderScreen({ routes: [{ path: '/', element: <Earnings data={data ?? undefined} /> }] });
  const list = within(screen.getByLabelText('Earnings'));
  return (term: string) => list.queryByText(term)?.nextElementSibling?.textContent;
}

it('states what was charged, what it cost, what is left and what was paid', async () => {
  const received = [
    { amount: '1460.00', currency: 'CNY' },
    { amount: '12.50', currency: 'USD' },
  ];
  const valueOf = await show({ current: { ...current, cost }, received });
  expect(valueOf('− Upstream cost')).toBe('$1.25cost known for 300 of 300 calls');
  expect(valueOf('= Margin')).toBe('$0.7538% · No earlier data');
  expect(valueOf('Charged, cost known')).toMatch(/^\$2\.00Time zone: .+/);
  expect(valueOf('Top-ups received')).toBe('¥1,460.00 · $12.50');
});

it('shows sums below a cent, and sums that add up where few costs are known', async () => {
  const few = { ...cost, usd: 0.000018, upstreamUsd: 0.000031, marginUsd: -0.000013, knownCalls: 1 };
  const valueOf = await show({ current: { ...current, quota: 9, cost: few }, received: [] });
  expect(['Charged, cost known', '− Upstream cost', '= Margin'].map(valueOf)).toEqual([
    expect.stringMatching(/^\$0\.000018Time zone/),
    '$0.000031cost known for 1 of 300 calls',
    '-$0.000013-72% · No earlier data',
  ]);
});

it('names no cost and no margin while no cost is known', async () => {
  const valueOf = await show({ current: { ...current, cost: { ...cost, knownCalls: 0 } }, received: [] });
  expect([valueOf('− Upstream cost'), valueOf('= Margin'), valueOf('Top-ups received')]).toEqual([
    '–cost known for 0 of 300 calls',
    '–',
    '–',
  ]);
});

it('compares the margin with the period before', async () => {
  const previous = { ...current, cost: { ...cost, marginUsd: 0.6 } };
  const valueOf = await show({ current: { ...current, cost: { ...cost, knownCalls: 150 } }, previous, received: [] });
  expect(valueOf('= Margin')).toBe('$0.7538% · +25% vs previous period');
  expect(valueOf('− Upstream cost')).toBe('$1.25cost known for 150 of 300 calls');
});

it('does not claim that there is no margin while the figures load', async () => {
  const valueOf = await show(null);
  const terms = ['Charged, cost known', '− Upstream cost', '= Margin', 'Top-ups received'];
  expect(terms.map(valueOf)).toEqual([expect.stringMatching(/^Time zone/), '', '', '']);
});

it('shows no cost and no margin to readers without costs', async () => {
  const valueOf = await show({ current, received: [] });
  expect(valueOf('Top-ups received')).toBe('–');
  expect(['Charged, cost known', '− Upstream cost', '= Margin'].map(valueOf)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
