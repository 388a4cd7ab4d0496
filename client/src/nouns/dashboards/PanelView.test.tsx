import { ApolloLink } from '@apollo/client';
import { act, screen } from '@testing-library/react';
import { of, NEVER, type Observable } from 'rxjs';
import { renderScreen } from '../../testing/renderScreen.js';
import type { PanelPartsFragment } from './dashboards.generated.js';
import { PanelView } from './PanelView.js';

const viewer = {
  range: { from: '2026-11-01T00:00:00Z' },
  from: '2026-11-01T00:00:00Z',
  until: '2026-11-08T00:00:00Z',
  timeZone: 'UTC',
  bucket: 'DAY',
};
const panel: PanelPartsFragment = {
  title: 'Spend',
  kind: 'NUMBER',
  size: 'SMALL',
  query: 'query ($range: TimeRange!, $top: Int) { usage(range: $range, top: $top) { total { usd calls } } }',
  variables: { top: 5 },
  refusal: null,
  shape: {
    rows: null,
    columns: [],
    values: [
      { path: 'usage.total.usd', kind: 'NUMBER' },
      { path: 'usage.total.calls', kind: 'NUMBER' },
    ],
  },
};

const asked: unknown[] = [];
async function show(answer: Observable<ApolloLink.Result>, more: Partial<PanelPartsFragment> = {}) {
  asked.length = 0;
  const link = new ApolloLink(({ variables }) => {
    asked.push(variables);
    return answer;
  });
  const element = <PanelView panel={{ ...panel, ...more }} viewer={viewer} version={0} />;
  await renderScreen({ link, routes: [{ path: '/', element }] });
  expect(screen.getByRole('region', { name: 'Spend' })).toBeInTheDocument();
  return screen;
}

it('shows the first number large, and the others with their names', async () => {
  const shown = await show(of({ data: { usage: { total: { usd: 1.5, calls: 1234 } } } }));
  expect(await shown.findByText('$1.50')).toBeInTheDocument();
  expect(shown.getByText('Calls 1,234')).toBeInTheDocument();
});

it('compares a number with the same of the range before, and leaves that out of the others', async () => {
  const values = ['usd', 'calls'].flatMap((name) => [
    { path: `usage.total.${name}`, kind: 'NUMBER' as const },
    { path: `usage.comparedTotal.${name}`, kind: 'NUMBER' as const },
  ]);
  const usage = { total: { usd: 1.5, calls: 1234 }, comparedTotal: { usd: 2, calls: 10 } };
  const shown = await show(of({ data: { usage } }), { shape: { rows: null, columns: values, values } });
  expect(await shown.findByText('$1.50')).toBeInTheDocument();
  expect(shown.getByText('−25% vs previous period')).toBeInTheDocument();
  expect(shown.getByText('Calls 1,234')).toBeInTheDocument();
});

it('ranks rows by their share of the total of the response', async () => {
  const column = (path: string) => ({ path, kind: 'NUMBER' as const });
  const shape = {
    rows: 'usage.items',
    columns: [{ path: 'key.modelName', kind: 'TEXT' as const }, column('metrics.usd'), column('metrics.calls')],
    values: [column('usage.total.usd')],
  };
  const items = [
    { key: { modelName: 'm1' }, metrics: { usd: 3, calls: 4 } },
    { key: { modelName: 'm2' }, metrics: { usd: 1, calls: 2 } },
  ];
  const shown = await show(of({ data: { usage: { items, total: { usd: 10 } } } }), { kind: 'RANKING', shape });
  expect(await shown.findByText('m1')).toBeInTheDocument();
  expect(['$3.00', '30%', 'Calls 4', '$1.00', '10%', 'Calls 2'].map((text) => shown.getByText(text))).toHaveLength(6);
});

it('sends the values of the panel, and those of the viewer that its query declares', async () => {
  await (await show(of({ data: { usage: { total: { usd: 1, calls: 1 } } } }))).findByText('$1.00');
  expect(asked).toEqual([{ range: viewer.range, top: 5 }]);
});

it('shows the error of the server in its place', async () => {
  const errors = [{ message: 'No permission', extensions: { code: 'INSUFFICIENT_PRIVILEGES' } }];
  const shown = await show(of({ data: { usage: null }, errors }));
  expect(await shown.findByRole('alert')).toHaveTextContent('No permission');
});

it('says so where there are no rows', async () => {
  const shape = { rows: 'usage.items', columns: [{ path: 'key.modelName', kind: 'TEXT' as const }], values: [] };
  const empty = await show(of({ data: { usage: { items: [] } } }), { kind: 'BAR', shape });
  expect(await empty.findByText('No rows in this range')).toBeInTheDocument();
});

it('says so where the query selects no number', async () => {
  const shape = { rows: 'usage.items', columns: [{ path: 'key.modelName', kind: 'TEXT' as const }], values: [] };
  const rows = { usage: { items: [{ key: { modelName: 'm1' } }] } };
  const shown = await show(of({ data: rows }), { kind: 'PIE', shape });
  expect(await shown.findByText('The query selects no number')).toBeInTheDocument();
});

it.each([
  'Cannot query field "gone" on type "Query".',
  'A panel cannot ask for priceDryRun: it changes something, asks another server or returns a secret',
])('does not run a query that the server refuses, and says why: %s', async (refusal) => {
  const shown = await show(of({ data: { usage: { total: { usd: 1, calls: 1 } } } }), { shape: null, refusal });
  expect(await shown.findByRole('alert')).toHaveTextContent(`Not run: ${refusal}`);
  await act(async () => Promise.resolve());
  expect(asked).toEqual([]);
});

it('keeps its place while it loads', async () => {
  const shown = await show(NEVER);
  expect(shown.getByLabelText('Loading')).toBeInTheDocument();
});
