import { screen, within } from '@testing-library/react';
import { renderScreen } from '../../testing/renderScreen.js';
import { builtInDashboards } from './builtIn.js';
import { NumberFigure } from './NumberFigure.js';
import { rate } from './columnTexts.js';

const total = {
  quota: 1_000_000,
  calls: 300,
  errorRate: 0.01,
  averageMs: 3020,
  totalTokens: 1_920_000,
  promptTokens: 1_500_000,
  completionTokens: 420_000,
  cost: { marginUsd: 0.75, knownUsd: 2, upstreamUsd: 1.25, knownCalls: 300 },
};
type Total = Partial<Omit<typeof total, 'cost'>> & { readonly cost?: Partial<(typeof total)['cost']> };
const merged = ({ cost, ...more }: Total) => ({ ...total, ...more, cost: { ...total.cost, ...cost } });
const range = { from: '2025-11-18T00:00:00Z', until: '2025-11-20T00:00:00Z' };
const items = [1, 2].map((day) => ({ time: `2025-11-1${day + 7}T00:00:00Z`, metrics: merged({}) }));

/** A number of the console's first page. */
async function card(title: string, now: Total = {}, before: Total = {}, isLoading = false) {
  const panel = builtInDashboards.site.panels.find((one) => one.title === title && one.kind === 'NUMBER');
  if (!panel?.shape) throw new Error(`no number ${title}`);
  const of = isLoading ? undefined : { usage: { items, range, total: merged(now), comparedTotal: merged(before) } };
  const { columns, values } = panel.shape;
  const element = (
    <NumberFigure
      title={title}
      kind="NUMBER"
      size={panel.size}
      rows={isLoading ? [] : items}
      columns={columns}
      values={{ of, columns: values }}
      isLoading={isLoading}
    />
  );
  await renderScreen({ routes: [{ path: '/', element }] });
  return within(screen.getByRole('region', { name: title }));
}

it('compares spend with the period before, and says what a day costs', async () => {
  const spend = await card('Spend', {}, { quota: 800_000 });
  expect(spend.getByText('$2.00')).toBeInTheDocument();
  expect(spend.getByText('+25% vs previous period')).toBeInTheDocument();
  expect(spend.getByText('$1.00 per day')).toBeInTheDocument();
});

it.each(['Spend', 'Calls', 'Tokens', 'Margin'])('%s has placeholders and no dashes while it loads', async (title) => {
  const loading = await card(title, {}, {}, true);
  expect(loading.getByLabelText('Loading')).toBeInTheDocument();
  expect(screen.getByRole('region', { name: title })).not.toHaveTextContent(/[–0-9]/);
});

it('says that calls went down, how many failed and how fast they were', async () => {
  const calls = await card('Calls', {}, { calls: 400 });
  expect(calls.getByText('300')).toBeInTheDocument();
  expect(calls.getByText('−25% vs previous period')).toBeInTheDocument();
  expect(calls.getByText('Error rate 1% · Average duration 3.0 s')).toBeInTheDocument();
});

it('writes a change that rounds to nothing without a sign', async () => {
  expect((await card('Calls', {}, { calls: 301 })).getByText('0% vs previous period')).toBeInTheDocument();
});

it('compares with nothing when there was nothing', async () => {
  const calls = await card('Calls', { calls: 0 }, { calls: 0 });
  expect(calls.getByText('0')).toBeInTheDocument();
  expect(calls.getByText('No earlier data')).toBeInTheDocument();
});

it('writes millions short', async () => {
  const tokens = await card('Tokens');
  expect(tokens.getByText('1.92M')).toBeInTheDocument();
  expect(tokens.getByText('Input 1.50M · Output 420,000')).toBeInTheDocument();
});

it('states what was charged, what it cost and what is left of it', async () => {
  const margin = await card('Margin', {}, { cost: { marginUsd: 0.6 } });
  expect(margin.getByText('$0.75')).toBeInTheDocument();
  expect(margin.getByText('+25% vs previous period')).toBeInTheDocument();
  expect(margin.getByText('Charged, cost known $2.00 · Upstream cost $1.25')).toBeInTheDocument();
  expect(margin.getByText('38% · cost known for 300 of 300 calls')).toBeInTheDocument();
});

it('shows sums below a cent, and a loss, where few costs are known', async () => {
  const cost = { knownUsd: 0.000018, upstreamUsd: 0.000031, marginUsd: -0.000013, knownCalls: 1 };
  const margin = await card('Margin', { cost });
  expect(margin.getByText('-$0.000013')).toBeInTheDocument();
  expect(margin.getByText('Charged, cost known $0.000018 · Upstream cost $0.000031')).toBeInTheDocument();
  expect(margin.getByText('-72% · cost known for 1 of 300 calls')).toBeInTheDocument();
});

it('names no cost and no margin while no cost is known', async () => {
  const margin = await card('Margin', { cost: { knownCalls: 0 } });
  expect(margin.getByText('–')).toBeInTheDocument();
  expect(margin.getByText('Charged, cost known – · Upstream cost –')).toBeInTheDocument();
  expect(margin.queryByText(/%|\$/)).toBeNull();
});

it.each([
  [[], '–'],
  [
    [
      { amount: '1460.00', currency: 'CNY' },
      { amount: '12.50', currency: 'USD' },
    ],
    '¥1,460.00 · $12.50',
  ],
])('lists payments %j by currency', async (rows, text) => {
  const columns = [
    { path: 'amount', kind: 'NUMBER' as const },
    { path: 'currency', kind: 'TEXT' as const },
  ];
  const values = { of: {}, columns: [] };
  const element = (
    <NumberFigure title="Paid" kind="NUMBER" size="MEDIUM" rows={rows} columns={columns} values={values} />
  );
  await renderScreen({ routes: [{ path: '/', element }] });
  expect(screen.getByText(text)).toBeInTheDocument();
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
