import { screen, within } from '@testing-library/react';
import { renderScreen } from '../../testing/renderScreen.js';
import { rate } from '../../nouns/dashboards/columnTexts.js';
import { SpendCard, StatCards } from './StatCards.js';
import type { DashboardData } from './useDashboard.js';

const sum = {
  __typename: 'UsageMetrics' as const,
  quota: 1_000_000,
  calls: 300,
  totalTokens: 1_920_000,
  promptTokens: 1_500_000,
  completionTokens: 420_000,
  failedCalls: 3,
  averageMs: 3020,
  errorRate: 0.01,
};
const to = Date.UTC(2025, 10, 20);
const data = (more: Partial<DashboardData>): DashboardData => ({
  from: to - 2 * 86_400_000,
  to,
  granularity: 'day',
  current: sum,
  previous: { ...sum, quota: 800_000, calls: 400 },
  buckets: [2, 1].map((days) => ({ start: to - days * 86_400_000, end: to - (days - 1) * 86_400_000 })),
  timeline: [1440, 14_400].map((calls) => ({
    __typename: 'UsageMetrics' as const,
    quota: 500_000,
    calls,
    totalTokens: 2880,
    promptTokens: 2000,
    completionTokens: 880,
    failedCalls: 0,
    p50Ms: null,
    p95Ms: null,
  })),
  before: [null, null],
  question: {
    everybody: true,
    range: { from: '2025-11-18T00:00:00Z' },
    timeZone: 'UTC',
    bucket: 'DAY',
    filter: null,
    cells: 24,
  },
  spend: [],
  models: [],
  users: [],
  channels: [],
  received: null,
  rates: { calls: 184, tokens: 1_920_000 },
  ...more,
});

async function card(name: string, more: Partial<DashboardData> = {}) {
  const element = (
    <>
      <SpendCard data={data(more)} />
      <StatCards data={data(more)} />
    </>
  );
  await renderScreen({ routes: [{ path: '/', element }] });
  return within(screen.getByRole('region', { name }));
}

it('compares spend with the period before, and says what a day costs', async () => {
  const spend = await card('Spend');
  expect(spend.getByText('$2.00')).toBeInTheDocument();
  expect(spend.getByText('+25% vs previous period')).toBeInTheDocument();
  expect(spend.getByText('$1.00 per day')).toBeInTheDocument();
});

it('has placeholders and no dashes while the figures load', async () => {
  const element = (
    <>
      <SpendCard data={undefined} />
      <StatCards data={undefined} />
    </>
  );
  await renderScreen({ routes: [{ path: '/', element }] });
  for (const name of ['Spend', 'Calls', 'Tokens', 'RPM / TPM']) {
    expect(screen.getByRole('region', { name })).not.toHaveTextContent(/[–0-9]/);
  }
});

it('has no margin, which only readers of costs see', async () => {
  await card('Spend');
  expect(screen.queryByText(/Margin/)).toBeNull();
});

it('writes a change that rounds to nothing without a sign', async () => {
  const calls = await card('Calls', { previous: { ...sum, calls: 301 } });
  expect(calls.getByText('0% vs previous period')).toBeInTheDocument();
});

it('says that calls went down, how many were answered and how fast', async () => {
  const calls = await card('Calls');
  expect(calls.getByText('−25% vs previous period')).toBeInTheDocument();
  expect(calls.getByText('99% success, 3.0 s average')).toBeInTheDocument();
});

it.each([
  ['day', 'Busiest day: avg 10 / 2'],
  ['hour', 'Busiest hour: avg 10 / 2'],
] as const)('shows the last minute beside the mean of the busiest %s', async (granularity, busiest) => {
  const rates = await card('RPM / TPM', { granularity });
  expect(rates.getByText('184 / 1.92M')).toBeInTheDocument();
  // 14,400 calls on the second day are ten a minute; 2880 tokens are two.
  expect(rates.getByText(busiest)).toBeInTheDocument();
});

it('compares with nothing when there was nothing', async () => {
  const nothing = { ...sum, quota: 0, calls: 0, averageMs: null, failedCalls: 0 };
  const calls = await card('Calls', { current: nothing, previous: nothing, buckets: [], timeline: [] });
  expect(calls.getByText('0')).toBeInTheDocument();
  expect(calls.getByText('No earlier data')).toBeInTheDocument();
  expect(calls.getByText('0 failed')).toBeInTheDocument();
});

it.each([
  [0, '0'],
  [0.0042, '0.0042'],
  [3.14159, '3.1'],
  [12.6, '12'],
  [12_345, '12.3k'],
])('writes a rate of %d as %s', (value, text) => {
  expect(rate(value)).toBe(text);
});
