import { ApolloLink } from '@apollo/client';
import { act, cleanup, fireEvent, screen } from '@testing-library/react';
import { of, NEVER, type Observable } from 'rxjs';
import { changeLanguage } from '../../i18n/i18n.js';
import { renderScreen } from '../../testing/renderScreen.js';
import type { PanelPartsFragment } from './dashboards.generated.js';
import { PanelView } from './PanelView.js';

const viewer = {
  range: { from: '2026-11-01T00:00:00Z' },
  from: '2026-11-01T00:00:00Z',
  until: '2026-11-08T00:00:00Z',
  timeZone: 'UTC',
  bucket: 'DAY',
  usageFilter: null,
  logFilter: null,
};
const columnOf = (path: string, kind: 'NUMBER' | 'TEXT') => ({ path, field: path, kind });
const panel: PanelPartsFragment = {
  title: 'Spend',
  kind: 'NUMBER',
  size: 'SMALL',
  query: 'query ($range: TimeRange!, $top: Int) { usage(range: $range, top: $top) { total { usd calls } } }',
  variables: { top: 5 },
  numbers: null,
  refusal: null,
  shape: {
    rows: null,
    columns: [],
    values: [columnOf('usage.total.usd', 'NUMBER'), columnOf('usage.total.calls', 'NUMBER')],
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
    columnOf(`usage.total.${name}`, 'NUMBER'),
    columnOf(`usage.comparedTotal.${name}`, 'NUMBER'),
  ]);
  const usage = { total: { usd: 1.5, calls: 1234 }, comparedTotal: { usd: 2, calls: 10 } };
  const shown = await show(of({ data: { usage } }), { shape: { rows: null, columns: values, values } });
  expect(await shown.findByText('$1.50')).toBeInTheDocument();
  expect(shown.getByText('−25% vs previous period')).toBeInTheDocument();
  expect(shown.getByText('Calls 1,234')).toBeInTheDocument();
});

it('ranks rows by their share of the total of the response', async () => {
  const column = (path: string) => columnOf(path, 'NUMBER');
  const shape = {
    rows: 'usage.items',
    columns: [columnOf('key.modelName', 'TEXT'), column('metrics.usd'), column('metrics.calls')],
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

describe('a percentile that the query gives a name of its own', () => {
  const time = { path: 'time', field: 'time', kind: 'TIME' as const };
  const channel = { path: 'key.channelName', field: 'key.channelName', kind: 'TEXT' as const };
  const p95 = { path: 'metrics.p95', field: 'metrics.latencyMs', kind: 'NUMBER' as const };
  const total = [
    { path: 'usage.total.p95', field: 'usage.total.latencyMs', kind: 'NUMBER' as const },
    { path: 'usage.before.p95', field: 'usage.comparedTotal.latencyMs', kind: 'NUMBER' as const },
  ];
  const row = (date: string, channelName: string, value: number | null) => ({
    time: `2026-11-${date}T00:00:00Z`,
    key: { channelName },
    metrics: { p95: value },
  });
  // The 3rd has no row, the 4th none of the channel b.
  const items = [row('01', 'a', 1500), row('01', 'b', 300), row('02', 'b', null), row('04', 'a', 90)];
  const draw = (kind: PanelPartsFragment['kind'], columns: readonly object[], given: readonly object[] = items) =>
    show(of({ data: { usage: { items: given, total: { p95: null }, before: { p95: 40 } } } }), {
      kind,
      shape: { rows: 'usage.items', columns: columns as (typeof p95)[], values: total },
    });

  it.each(['LINE', 'BAR'] as const)('has gaps in a %s', async (kind) => {
    const shown = await draw(kind, [time, channel, p95]);
    fireEvent.click(await shown.findByRole('button', { name: 'More actions for Spend' }));
    fireEvent.click(await shown.findByText('View as table'));
    const cells = await shown.findAllByRole('cell');
    expect(cells.map(({ textContent }) => textContent)).toEqual(['1.5 s', '300 ms', '–', '–', '–', '–', '90 ms', '–']);
    expect(shown.getByRole('region', { name: 'Spend' })).not.toHaveTextContent('total');
  });

  it('is no number that is compared', async () => {
    const shown = await draw('NUMBER', [time, channel, p95]);
    expect(await shown.findByText('–')).toBeInTheDocument();
    expect(shown.queryByText(/vs previous period|40 ms|100%/)).toBeNull();
  });

  it('is a dash in a ranking and in a table, and no slice', async () => {
    const rows = [row('01', 'a', 1500), row('01', 'b', null)];
    const ranking = await draw('RANKING', [channel, p95], rows);
    expect(await ranking.findByText('1.5 s')).toBeInTheDocument();
    expect(ranking.getByText('–')).toBeInTheDocument();
    expect(ranking.queryByText(/%/)).toBeNull();
    cleanup();
    const table = await draw('TABLE', [channel, p95], rows);
    expect(await table.findByText('1.5 s')).toBeInTheDocument();
    expect(table.getByText('–')).toBeInTheDocument();
    cleanup();
    const pie = await draw('PIE', [channel, p95], rows);
    expect(await pie.findByText('1.5 s')).toBeInTheDocument();
    expect(pie.getAllByRole('listitem')).toHaveLength(1);
  });
});

it('sends the values of the panel, and those of the viewer that its query declares', async () => {
  await (await show(of({ data: { usage: { total: { usd: 1, calls: 1 } } } }))).findByText('$1.00');
  expect(asked).toEqual([{ range: viewer.range, top: 5 }]);
});

it('shows the error of the server in its place', async () => {
  const errors = [
    { message: 'No permission: insufficient privileges', extensions: { code: 'INSUFFICIENT_PRIVILEGES' } },
  ];
  const shown = await show(of({ data: { usage: null }, errors }));
  expect(await shown.findByRole('alert')).toHaveTextContent('You have no permission for this');
});

it('says so where there are no rows', async () => {
  const shape = { rows: 'usage.items', columns: [columnOf('key.modelName', 'TEXT')], values: [] };
  const empty = await show(of({ data: { usage: { items: [] } } }), { kind: 'BAR', shape });
  expect(await empty.findByText('No rows in this range')).toBeInTheDocument();
});

it('says so where the query selects no number', async () => {
  const shape = { rows: 'usage.items', columns: [columnOf('key.modelName', 'TEXT')], values: [] };
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

it('says why in the language of the reader', async () => {
  try {
    const errors = [{ message: 'User 7 does not exist', extensions: { code: 'NOT_FOUND' } }];
    const failed = await show(of({ data: { usage: null }, errors }));
    await act(() => changeLanguage('zh', false));
    expect(await failed.findByRole('alert')).toHaveTextContent('对象不存在（User 7 does not exist）');
    cleanup();
    const refused = await show(of({ data: {} }), { shape: null, refusal: 'Cannot query field "gone"' });
    await act(() => changeLanguage('zh', false));
    expect(await refused.findByRole('alert')).toHaveTextContent('输入无效（Cannot query field "gone"）');
  } finally {
    await act(() => changeLanguage('en', false));
  }
});

it('keeps its place while it loads', async () => {
  const shown = await show(NEVER);
  expect(shown.getByLabelText('Loading')).toBeInTheDocument();
});
