import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getNamedType, isObjectType, type GraphQLObjectType } from 'graphql';
import { builtInDashboards } from '../../server/src/console/dashboards/built-in.js';
import { Dashboard } from '../../server/src/console/dashboards/dashboard.entity.js';
import { DashboardService, type DashboardDeps } from '../../server/src/console/dashboards/dashboard.service.js';
import { firstPageDashboards } from '../../server/src/compose/first-page.js';
import { composeSchema } from '../../server/src/compose/resolvers.js';
import { secondWithinHour } from '../support/hours.js';
import { operator as newOperator } from './operator.js';
import { page } from './question-page.js';
import { Site, type GraphQLAnswer, type Person } from './site.js';

/** Saved dashboards over the whole way: stored, read by others, exported for Grafana, and their queries run. */
let site: Site;
let root: Person;
let admin: Person;
let other: Person;
let common: Person;

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  [admin, other, common] = [
    await site.invite(root, 'admin'),
    await site.invite(root, 'admin'),
    await site.invite(root),
  ];
  const now = secondWithinHour();
  const hour = now - (now % 3600);
  await site.query(`
    INSERT INTO channels (id, type, name, key_sealed, models) VALUES (1, 20, 'router', '', '{m1}')`);
  await site.query(
    `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", calls, failed_calls, prompt_tokens,
       cached_tokens, quota, duration_buckets)
     VALUES ($1, $2, 1, 1, 'm1', 'default', 4, 1, 100, 10, 500000, '{0,4}'),
       ($1 - 7200, $2, 1, 1, 'm2', 'vip', 2, 0, 50, 0, 250000, '{}')`,
    [hour, admin.id],
  );
  await site.query(
    `INSERT INTO logs (created_at, request_id, type, user_id, username, channel_id, model_name, quota, use_time, other)
     VALUES ($1, 'r1', 6, $2, 'someone', 1, 'm1', 0, 1, '{"error_code":"rate_limited"}')`,
    [now, admin.id],
  );
});
afterAll(() => site.stop());

const query = 'query ($range: TimeRange) { usage(range: $range) { total { usd calls } items { metrics { quota } } } }';
const panel = { title: 'Spend', kind: 'NUMBER', size: 'SMALL', query };

interface Saved {
  readonly id: number;
  readonly name: string;
  readonly visibility: string;
  readonly mayChange: boolean;
  readonly builtIn: string | null;
  readonly owner: { readonly username: string } | null;
  readonly panels: ReadonlyArray<{
    readonly title: string;
    readonly kind: string;
    readonly query: string;
    readonly variables: Record<string, unknown>;
    readonly numbers: readonly string[] | null;
    readonly shape: {
      readonly rows: string | null;
      readonly columns: ReadonlyArray<{ readonly path: string; readonly kind: string }>;
      readonly values: ReadonlyArray<{ readonly path: string; readonly kind: string }>;
    } | null;
  }>;
  readonly grafana: Grafana;
}

/** The panels of a dashboard as an input, to save a copy. */
const inputsOf = ({ panels }: Saved): object[] =>
  panels.map(({ title, kind, query, variables, numbers }) => ({ title, kind, query, variables, numbers }));
interface Grafana {
  readonly title: string;
  readonly panels: ReadonlyArray<{
    readonly type: string;
    readonly title: string;
    readonly gridPos: Record<'x' | 'y' | 'w' | 'h', number>;
    readonly targets: ReadonlyArray<{
      readonly type: string;
      readonly url: string;
      readonly root_selector: string;
      readonly columns: ReadonlyArray<{ readonly selector: string; readonly type: string }>;
      readonly url_options: {
        readonly method: string;
        readonly body_graphql_query: string;
        readonly body_graphql_variables: string;
      };
    }>;
  }>;
}
const fields = `id name visibility mayChange builtIn owner { username }
  panels { title kind query variables numbers shape { rows columns { path kind } values { path kind } } } grafana`;

const create = (person: Person, input: object): Promise<GraphQLAnswer> =>
  site.graphql(
    person,
    `mutation ($input: CreateDashboardInput!) { createDashboard(input: $input) { replayed dashboard { ${fields} } } }`,
    { input },
  );
async function created(person: Person, input: object): Promise<Saved> {
  const { data, text } = await create(person, input);
  if (!data?.['createDashboard']) throw new Error(text);
  return (data['createDashboard'] as { dashboard: Saved }).dashboard;
}
async function read(person: Person, id: number): Promise<Saved | null> {
  const { data, codes, text } = await site.graphql(person, `{ dashboard(id: ${id}) { ${fields} } }`);
  if (codes.length > 0) throw new Error(text);
  return (data?.['dashboard'] ?? null) as Saved | null;
}
const update = (person: Person, input: object): Promise<GraphQLAnswer> =>
  site.graphql(
    person,
    `mutation ($input: UpdateDashboardInput!) { updateDashboard(input: $input) { dashboard { name visibility panels { title } } } }`,
    { input },
  );
const remove = (person: Person, id: number): Promise<GraphQLAnswer> =>
  site.graphql(person, `mutation { deleteDashboard(id: ${id}) { id } }`);

it('is private until its owner shares it, and only its owner and root change it', async () => {
  const { id, ...saved } = await created(admin, { name: ' Mine ', panels: [panel] });
  expect(saved).toMatchObject({
    name: 'Mine',
    visibility: 'PRIVATE',
    mayChange: true,
    builtIn: null,
    owner: { username: admin.username },
    panels: [{ title: 'Spend', kind: 'NUMBER', query, variables: {} }],
  });
  for (const person of [other, root]) {
    expect(await read(person, id)).toBeNull();
    expect((await update(person, { id, name: 'Theirs' })).codes).toEqual(['NOT_FOUND']);
    expect((await remove(person, id)).codes).toEqual(['NOT_FOUND']);
  }
  const shared = await update(admin, { id, visibility: 'SHARED', panels: [panel, { ...panel, title: 'More' }] });
  expect(shared.data?.['updateDashboard']).toEqual({
    dashboard: { name: 'Mine', visibility: 'SHARED', panels: [{ title: 'Spend' }, { title: 'More' }] },
  });
  expect(await read(other, id)).toMatchObject({ name: 'Mine', mayChange: false });
  expect((await update(other, { id, name: 'Theirs' })).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
  expect((await remove(other, id)).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
  expect((await update(root, { id, name: 'Ours' })).codes).toEqual([]);
  expect((await remove(root, id)).data?.['deleteDashboard']).toEqual({ id });
  expect(await read(admin, id)).toBeNull();
});

it('is listed by name: own and shared ones', async () => {
  const { id } = await created(admin, { name: 'a private one', panels: [panel] });
  await created(admin, { name: 'B shared one', visibility: 'SHARED', panels: [panel] });
  const list = async (person: Person, more = ''): Promise<string[]> => {
    const { data, text } = await site.graphql(person, `{ dashboards${more} { totalCount items { name } } }`);
    const page = data?.['dashboards'] as { totalCount: number; items: Array<{ name: string }> } | undefined;
    if (!page) throw new Error(text);
    expect(page.totalCount).toBe(page.items.length);
    return page.items.map(({ name }) => name);
  };
  const builtIn = ['My usage', 'Overview', 'Usage of the site'];
  expect(await list(admin)).toEqual(['a private one', 'B shared one', ...builtIn]);
  expect(await list(other)).toEqual(['B shared one', ...builtIn]);
  expect(await list(admin, '(filter: { visibility: PRIVATE })')).toEqual(['a private one']);
  expect(await list(admin, '(filter: { isMine: false })')).toEqual(builtIn);
  expect(await list(other, '(filter: { isMine: true })')).toEqual([]);
  expect(await list(other, '(filter: { builtIn: "usage" })')).toEqual(['Usage of the site']);
  expect(await list(admin, '(sort: [{ field: NAME }])')).toEqual([
    ...builtIn.toReversed(),
    'B shared one',
    'a private one',
  ]);
  await remove(admin, id);
});

it('is created once for each idempotency key, and audited', async () => {
  const input = { name: 'Once', panels: [panel], idempotencyKey: 'k1' };
  const first = await created(admin, input);
  const { data } = await create(admin, input);
  expect(data?.['createDashboard']).toMatchObject({ replayed: true, dashboard: { id: first.id } });
  expect((await create(admin, { ...input, name: 'Twice' })).codes).toEqual(['CONFLICT']);
  await update(admin, { id: first.id, name: 'Renamed' });
  await remove(admin, first.id);
  const audit = await site.graphql(
    root,
    `{ auditEntries(filter: { subjects: [DASHBOARD], subjectIds: ["${first.id}"] }) { items { action actorName changes { field } } } }`,
  );
  const entries = (audit.data?.['auditEntries'] as { items: Array<{ action: string; changes: object[] }> }).items;
  expect(entries.map(({ action }) => action)).toEqual(['delete', 'update', 'create']);
  expect(entries[1]).toEqual({ action: 'update', actorName: admin.username, changes: [{ field: 'name' }] });
});

it.each([
  ['a text that is not GraphQL', { query: 'query {' }, 'panels.0.query'],
  ['a field that the schema lacks', { query: '{ usage { nothing } }' }, 'panels.0.query'],
  ['a mutation', { query: 'mutation { deleteDashboard(id: 1) { id } }' }, 'panels.0.query'],
  ['a subscription', { query: 'subscription { myLogCreated { items { id } } }' }, 'panels.0.query'],
  ['two operations', { query: 'query A { notice } query B { notice }' }, 'panels.0.query'],
  [
    'a query that is deeper than a request may be',
    { query: `{ users { items ${'{ tokens { items { user '.repeat(4)}{ id }${' } } }'.repeat(4)} } }` },
    'panels.0.query',
  ],
  ['a document that is too deep', { query: `{ a${'{ a'.repeat(20)}${'}'.repeat(21)}` }, 'panels.0.query'],
  [
    'a query above the cost of one operation',
    { query: '{ users(pageSize: 100) { items { tokens(pageSize: 100) { items { id user { id } } } } } }' },
    'panels.0.query',
  ],
  ['an empty query', { query: ' ' }, 'panels.0.query'],
  ['a query that is too long', { query: `{ notice } #${'x'.repeat(10_000)}` }, 'panels.0.query'],
  ['NUL in the query', { query: '{ notice } #\0' }, 'panels.0.query'],
  [
    'a variable without a value',
    { query: 'query ($name: String!) { users(filter: { keyword: $name }) { totalCount } }' },
    'panels.0.variables',
  ],
  [
    'a value of the wrong type',
    { query: 'query ($n: Int) { users(pageSize: $n) { totalCount } }', variables: { n: 'x' } },
    'panels.0.variables',
  ],
  ['a value of no variable', { variables: { nothing: 1 } }, 'panels.0.variables'],
  ['a list in place of variables', { variables: [1] }, 'panels.0.variables'],
  ['variables that are too long', { variables: { range: 'x'.repeat(5000) } }, 'panels.0.variables'],
  ['an empty title', { title: ' ' }, 'panels.0.title'],
  ['a title with a line break', { title: 'a\nb' }, 'panels.0.title'],
])('refuses %s', async (_, wrong, field) => {
  const { text, codes } = await create(admin, { name: 'Wrong', panels: [{ ...panel, ...wrong }] });
  expect(codes).toEqual(['INVALID_INPUT']);
  expect(text).toContain(`"field":"${field}"`);
  const checked = await site.graphql(admin, 'query ($panel: PanelInput!) { checkPanel(panel: $panel) { title } }', {
    panel: { ...panel, ...wrong },
  });
  expect([checked.codes, checked.text]).toEqual([
    ['INVALID_INPUT'],
    expect.stringContaining(`"field":"${field.replace('panels.0', 'panel')}"`) as string,
  ]);
});

it('refuses names and numbers of panels out of bounds', async () => {
  const codesOf = async (input: object): Promise<string[]> => (await create(admin, input)).codes;
  expect(await codesOf({ name: '', panels: [panel] })).toEqual(['INVALID_INPUT']);
  expect(await codesOf({ name: 'x'.repeat(65), panels: [panel] })).toEqual(['INVALID_INPUT']);
  expect(await codesOf({ name: 'None', panels: [] })).toEqual(['INVALID_INPUT']);
  expect(await codesOf({ name: 'Many', panels: Array.from({ length: 25 }, () => panel) })).toEqual(['INVALID_INPUT']);
  const { id } = await created(admin, { name: 'Same', panels: [panel] });
  expect((await update(admin, { id })).codes).toEqual(['INVALID_INPUT']);
  await remove(admin, id);
});

it('shows only the numbers that a panel names, in their order, and refuses others', async () => {
  const check = (numbers: readonly string[] | null) =>
    site.graphql(
      admin,
      `query ($panel: PanelInput!) { checkPanel(panel: $panel) { numbers shape { columns { path } values { path } } } }`,
      { panel: { ...panel, numbers } },
    );
  const pathsOf = async (numbers: readonly string[] | null) => {
    const { data } = await check(numbers);
    const { shape } = data?.['checkPanel'] as {
      shape: Record<'columns' | 'values', ReadonlyArray<{ readonly path: string }>>;
    };
    return [...shape.columns, ...shape.values].map(({ path }) => path);
  };
  expect(await pathsOf(null)).toEqual(['metrics.quota', 'usage.total.usd', 'usage.total.calls']);
  expect(await pathsOf(['calls', 'quota', 'usd'])).toEqual(['metrics.quota', 'usage.total.calls', 'usage.total.usd']);
  expect(await pathsOf(['calls'])).toEqual(['usage.total.calls']);
  for (const [numbers, message] of [
    [['calls', 'gone'], 'The query selects no number gone'],
    [[], 'numbers must name at least one number'],
  ] as const) {
    const { codes, text } = await check(numbers);
    expect([codes, text.includes(message)]).toEqual([['INVALID_INPUT'], true]);
  }
});

it('has at most 100 dashboards of a user', async () => {
  await site.query(
    `INSERT INTO dashboards (owner_id, name, visibility, panels) SELECT $1, 'full', 'private', '[]' FROM generate_series(1, 100)`,
    [other.id],
  );
  expect((await create(other, { name: 'One more', panels: [panel] })).codes).toEqual(['CONFLICT']);
  await site.query(`DELETE FROM dashboards WHERE name = 'full'`);
});

it('derives rows, columns and values of a response from the query', async () => {
  const shapes = async (text: string): Promise<unknown> => {
    const { data } = await site.graphql(
      admin,
      'query ($panel: PanelInput!) { checkPanel(panel: $panel) { shape { rows columns { path field kind } values { path field kind } } } }',
      { panel: { ...panel, query: text } },
    );
    return (data?.['checkPanel'] as { shape: unknown }).shape;
  };
  expect(
    await shapes(`
      query ($range: TimeRange) { page: usage(range: $range, bucket: DAY, groupBy: [CHANNEL]) {
        items { time ...Cells } all: total { calls } } }
      fragment Cells on UsageRow { key { isOthers channelId channelName } metrics { spent: quota p95: latencyMs(quantile: 0.95) errorRate } }`),
  ).toEqual({
    rows: 'page.items',
    columns: [
      { path: 'time', field: 'time', kind: 'TIME' },
      { path: 'key.isOthers', field: 'key.isOthers', kind: 'BOOLEAN' },
      { path: 'key.channelId', field: 'key.channelId', kind: 'TEXT' },
      { path: 'key.channelName', field: 'key.channelName', kind: 'TEXT' },
      { path: 'metrics.spent', field: 'metrics.quota', kind: 'QUOTA' },
      { path: 'metrics.p95', field: 'metrics.latencyMs', kind: 'NUMBER' },
      { path: 'metrics.errorRate', field: 'metrics.errorRate', kind: 'NUMBER' },
    ],
    values: [{ path: 'page.all.calls', field: 'usage.total.calls', kind: 'NUMBER' }],
  });
  const owed = [
    { path: 'ledgerTotals.liabilityUsd', field: 'ledgerTotals.liabilityUsd', kind: 'NUMBER' },
    { path: 'ledgerTotals.asOf', field: 'ledgerTotals.asOf', kind: 'TIME' },
  ];
  expect(await shapes('{ ledgerTotals { liabilityUsd asOf } }')).toEqual({ rows: null, columns: owed, values: owed });
  // Lists inside rows have no column.
  expect(await shapes('{ channels { items { id name models tokens: id } } }')).toMatchObject({
    rows: 'channels.items',
    columns: [{ path: 'id' }, { path: 'name' }, { path: 'tokens' }],
  });
});

const range = (): Record<string, unknown> => ({
  timeZone: 'UTC',
  bucket: 'DAY',
  range: { from: new Date(Date.now() - 6 * 86_400_000).toISOString() },
});

/** Runs a query of a panel as the console does, with the variables that it declares. */
async function run(person: Person, text: string, given: Record<string, unknown>): Promise<Record<string, unknown>> {
  const variables = Object.fromEntries(Object.entries(given).filter(([name]) => text.includes(`$${name}:`)));
  const { data, codes, text: body } = await site.graphql(person, text, variables);
  if (!data || codes.length > 0) throw new Error(body);
  return data;
}

const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((one, name) => (one as Record<string, unknown> | null)?.[name], value);

describe('the built-in dashboard', () => {
  const builtIn = async (person: Person): Promise<Saved> => {
    const [row] = await site.query<{ id: number }>(`SELECT id FROM dashboards WHERE built_in = 'overview'`);
    const found = await read(person, row?.id ?? 0);
    if (!found) throw new Error('no built-in dashboard');
    return found;
  };

  it('is there on a fresh site, with twelve panels, and cannot be changed', async () => {
    const saved = await builtIn(admin);
    expect(saved).toMatchObject({ name: 'Overview', visibility: 'SHARED', mayChange: false, owner: null });
    expect(saved.panels.map(({ title }) => title)).toEqual(builtInDashboards[0]?.panels.map(({ title }) => title));
    expect(saved.panels).toHaveLength(12);
    expect((await update(root, { id: saved.id, name: 'Mine' })).codes).toEqual(['CONFLICT']);
    expect((await remove(root, saved.id)).codes).toEqual(['CONFLICT']);
  });

  it('can be copied as it is', async () => {
    const saved = await builtIn(admin);
    const { id } = await created(admin, { name: 'Copy', panels: inputsOf(saved) });
    await remove(admin, id);
  });

  it.each(builtInDashboards[0]?.panels.map(({ title }, index) => [title, index] as const) ?? [])(
    'panel “%s” gives figures',
    async (_, index) => {
      const { shape, query: text, kind } = (await builtIn(admin)).panels[index]!;
      const data = await run(admin, text, range());
      const rows = shape?.rows == null ? [data] : (at(data, shape.rows) as unknown[]);
      const columns = kind === 'NUMBER' ? shape?.values : shape?.columns;
      const numbers = rows.flatMap((row) =>
        (columns ?? [])
          .filter((column) => column.kind === 'NUMBER' || column.kind === 'QUOTA')
          .map(({ path }) => at(row, path)),
      );
      expect(numbers.some((value) => typeof value === 'number')).toBe(true);
    },
  );

  it('has the figures of the usage rows', async () => {
    const { panels } = await builtIn(admin);
    const answer = async (title: string): Promise<unknown> =>
      run(admin, panels.find((one) => one.title === title)?.query ?? '', range());
    expect(await answer('Spend')).toMatchObject({ usage: { total: { usd: 1.5, calls: 6, failedCalls: 1 } } });
    const { usage } = (await answer('Spend by group')) as {
      usage: { items: Array<{ key: { group: string }; metrics: { usd: number } }> };
    };
    expect(usage.items.map(({ key, metrics }) => [key.group, metrics.usd])).toEqual([
      ['default', 1],
      ['vip', 0.5],
    ]);
    expect(await answer('Errors by code, last 7 days')).toMatchObject({
      usage: {
        items: expect.arrayContaining([
          { time: expect.any(String), key: { errorCode: 'rate_limited' }, metrics: { failedCalls: 1 } },
        ]),
      },
    });
  });

  it('is written again by a start, under the same id', async () => {
    const { id } = await builtIn(admin);
    await site.query(`UPDATE dashboards SET name = 'Old', panels = '[]' WHERE built_in = 'overview'`);
    const dashboards = site.dataSource.getRepository(Dashboard);
    await new DashboardService({ dashboards } as unknown as DashboardDeps).start();
    const again = await builtIn(admin);
    expect([again.id, again.name, again.panels.length]).toEqual([id, 'Overview', 12]);
  });
});

describe('the built-in dashboards of usage', () => {
  it('are those that the first page of the console contains', async () => {
    const written = readFileSync(join(import.meta.dirname, '../../schema/dashboards.json'), 'utf8');
    expect(written).toBe(firstPageDashboards((await composeSchema()).schema));
  });

  const named = async (name: string): Promise<Saved> => {
    const [row] = await site.query<{ id: number }>(`SELECT id FROM dashboards WHERE built_in = $1`, [name]);
    const found = await read(admin, row?.id ?? 0);
    if (!found) throw new Error('no built-in dashboard');
    return found;
  };

  it.each(['usage', 'my-usage'])('%s is copied and exported with the same figures', async (name) => {
    const saved = await named(name);
    const { id } = await created(admin, { name: 'Copy', panels: inputsOf(saved) });
    const copy = await read(admin, id);
    expect(copy?.panels.map(({ shape }) => shape)).toEqual(saved.panels.map(({ shape }) => shape));
    expect(copy?.grafana.panels).toHaveLength(saved.panels.length);
    // Rates of an hour that goes on change all the time.
    const until = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000).toISOString();
    const given = {
      ...range(),
      range: { from: new Date(Date.now() - 86_400_000).toISOString(), until },
      usageFilter: null,
      logFilter: null,
    };
    for (const [index, target] of (copy?.grafana.panels ?? []).map(({ targets: [one] }) => one).entries()) {
      const { query: text, variables, shape } = saved.panels[index]!;
      const exported = JSON.parse(target!.url_options.body_graphql_variables) as Record<string, unknown>;
      expect(exported).toMatchObject(variables);
      const [own, there] = [
        await run(admin, text, { ...given, ...variables }),
        await run(admin, target!.url_options.body_graphql_query, { ...given, ...variables }),
      ];
      expect(there).toEqual(own);
      expect(at({ data: own }, target!.root_selector)).toBeDefined();
      expect(shape?.columns.some(({ kind }) => kind === 'QUOTA' || kind === 'NUMBER')).toBe(true);
    }
    await remove(admin, id);
  });

  it('have calls per minute of the part of a bucket that has passed', async () => {
    const { usage } = (await run(
      admin,
      'query ($range: TimeRange!) { usage(range: $range, bucket: HOUR) { items { time until metrics { calls callsPerMinute tokensPerMinute } } total { callsPerMinute } } }',
      range(),
    )) as {
      usage: {
        items: Array<{
          time: string;
          until: string;
          metrics: { calls: number; callsPerMinute: number; tokensPerMinute: number };
        }>;
        total: { callsPerMinute: number | null };
      };
    };
    expect(usage.total.callsPerMinute).toBeNull();
    // The earlier hour has 2 calls of 50 tokens. The last one has only begun, so its 4 calls are more than 4 an hour.
    const [earlier, last] = usage.items;
    expect(earlier?.metrics.callsPerMinute).toBeCloseTo(2 / 60);
    expect(earlier?.metrics.tokensPerMinute).toBeCloseTo(50 / 60);
    expect(last?.metrics.callsPerMinute).toBeGreaterThanOrEqual(4 / 60);
  });
});

describe('the export for Grafana', () => {
  it('has a panel for each, and each target runs', async () => {
    const [row] = await site.query<{ id: number }>(`SELECT id FROM dashboards WHERE built_in = 'overview'`);
    const saved = await read(admin, row?.id ?? 0);
    if (!saved) throw new Error('no dashboard');
    const { grafana } = saved;
    expect(grafana).toMatchObject({ title: 'Overview', schemaVersion: 39, uid: `tollgate-${saved.id}` });
    expect(grafana.panels.map(({ title }) => title)).toEqual(saved.panels.map(({ title }) => title));
    expect(new Set(grafana.panels.map(({ type }) => type))).toEqual(
      new Set(['stat', 'timeseries', 'table', 'piechart']),
    );
    for (const { gridPos, targets } of grafana.panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      expect(targets).toHaveLength(1);
      const [target] = targets;
      expect(target).toMatchObject({ type: 'graphql', url: 'http://localhost:3000/graphql', parser: 'backend' });
      const { body_graphql_query: text, body_graphql_variables: variables } = target!.url_options;
      // Grafana replaces these texts before it sends the query.
      const filled = variables
        .replaceAll('${__from:date:iso}', new Date(Date.now() - 6 * 86_400_000).toISOString())
        .replaceAll('${__to:date:iso}', new Date(Date.now() + 60_000).toISOString())
        .replaceAll('${__timezone}', 'Asia/Shanghai');
      const data = await run(admin, text, JSON.parse(filled) as Record<string, unknown>);
      const selected = at({ data }, target!.root_selector);
      const [first] = Array.isArray(selected) ? (selected as unknown[]) : [selected];
      for (const { selector } of target!.columns) expect(at(first, selector)).not.toBeUndefined();
    }
  });

  it('has bars for a ranking, one for each row', async () => {
    const text = 'query { usage(groupBy: [MODEL], top: 5) { items { key { modelName } metrics { usd } } } }';
    const { id, grafana, panels } = await created(admin, {
      name: 'Ranks',
      panels: [{ ...panel, kind: 'RANKING', query: text }],
    });
    expect(panels.map(({ kind }) => kind)).toEqual(['RANKING']);
    expect(grafana.panels).toMatchObject([
      {
        type: 'bargauge',
        options: { reduceOptions: { values: true } },
        targets: [{ root_selector: 'data.usage.items' }],
      },
    ]);
    await remove(admin, id);
  });

  it('puts panels beside each other while they fit', async () => {
    const sizes = ['SMALL', 'SMALL', 'SMALL', 'MEDIUM', 'LARGE'];
    const { id, grafana } = await created(admin, {
      name: 'Grid',
      panels: sizes.map((size) => ({ ...panel, size })),
    });
    expect(grafana.panels.map(({ gridPos: { x, y, w } }) => [x, y, w])).toEqual([
      [0, 0, 8],
      [8, 0, 8],
      [16, 0, 8],
      [0, 8, 12],
      [0, 16, 24],
    ]);
    await remove(admin, id);
  });
});

it('runs with the rights of the viewer, never with those of the author', async () => {
  const secret = 'query { auditEntries { totalCount } }';
  const { id } = await created(root, { name: 'Audit', visibility: 'SHARED', panels: [{ ...panel, query: secret }] });
  const seen = await read(admin, id);
  expect(seen?.panels[0]?.query).toBe(secret);
  expect((await site.graphql(admin, secret)).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
  expect((await site.graphql(root, secret)).codes).toEqual([]);
  await remove(root, id);
});

it('is closed to common users, and to tokens without the scope', async () => {
  for (const text of ['{ dashboards { totalCount } }', '{ dashboard(id: 1) { id } }']) {
    expect((await site.graphql(common, text)).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
    expect((await site.graphql(null, text)).codes).toEqual(['NOT_SIGNED_IN']);
  }
  expect((await create(common, { name: 'Mine', panels: [panel] })).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
});

it('shows a panel that a newer schema refuses without a shape, and leaves it out for Grafana', async () => {
  const { id } = await created(admin, { name: 'Old', panels: [panel, { ...panel, title: 'Gone' }] });
  await site.query(
    `UPDATE dashboards SET panels = replace(panels::text, '"Gone","kind":"number","size":"small","query":"query ($range: TimeRange) { usage', '"Gone","kind":"number","size":"small","query":"query ($range: TimeRange) { gone')::json WHERE id = ${id}`,
  );
  const saved = await read(admin, id);
  expect(saved?.panels.map(({ shape }) => shape === null)).toEqual([false, true]);
  expect(saved?.grafana.panels.map(({ title }) => title)).toEqual(['Spend']);
  await remove(admin, id);
});

describe('what runs by itself when a dashboard is opened', () => {
  /** Root fields with an effect, with requests to other servers, with secrets, or with notes of admins about payments, and a query of each. */
  const withheld: Readonly<Record<string, string>> = {
    accessToken: '{ accessToken }',
    capturedContent: '{ capturedContent(requestId: "r1") { request } }',
    channelKeys: '{ channelKeys(id: 1) }',
    drawingNotifyUrl: '{ drawingNotifyUrl(channelId: 1) }',
    invitation: '{ invitation(token: "x") { organisationName } }',
    inviteCode: '{ inviteCode }',
    latestRelease: 'query ($on: Boolean = false) { ... on Query { latestRelease @include(if: $on) { tag } } }',
    priceDryRun:
      'query ($days: Int!) { notice ...Run } fragment Run on Query { usage: priceDryRun(settings: [], days: $days) { isComplete } }',
    tokenKey: '{ tokenKey(id: 1) }',
    topUpEvents: '{ topUpEvents(orderId: 1) { detail } }',
    webhookDeliveries: '{ webhookDeliveries { totalCount } }',
    webhookEndpoints: '{ webhookEndpoints { id } }',
    topUpReversals: '{ topUpReversals(orderId: 1) { note } }',
  };
  const readable =
    `about accessTokens alerts auditEntries billingProfile boundSignInProviders budgets canCheckIn channel
    channelHealth channelRetries channelSessions channelTags channelTestRun channelTypes channels channelsByTag
    checkPanel creativeTasks credits customRoles dashboard dashboards drawings enabledModels failedAttempts groups
    hasPassword homePageContent invitations keyFailures ledgerTotals liabilities liveCalls logs lowBalances me
    members modelHealth modelSale myCreativeTasks myDrawings myGroups myLogs myModels myOrganisations myPlans
    mySessions mySetting myStatements myTokens myTopUps myUsage notice options organisation
    organisations payableAmount paymentMethods permissions planSubscriptions planUpgrade plans priceCheck
    priceUpdates priceVersion priceVersions pricing projects redemptionBatches redemptions revenue salesBelowCost
    secondFactors setup signInProviders siteEventKinds siteImport statement statementMonths statementPreview statements status
    statusPage tokens topUps unpricedModels usage user userGrowth userSessions users`.split(/\s+/);
  const dryRun = { ...panel, query: withheld['priceDryRun'], variables: { days: 1 } };

  it('is decided for every field of Query', async () => {
    const { schema } = await composeSchema();
    const fieldsOfQuery = Object.values(schema.getQueryType()?.getFields() ?? {});
    const named = (isWithheld: boolean): string[] =>
      fieldsOfQuery
        .filter(({ extensions }) => (extensions.notInPanels ?? false) === isWithheld)
        .map(({ name }) => name)
        .sort();
    expect(named(true)).toEqual(Object.keys(withheld).sort());
    expect(named(false)).toEqual([...readable].sort());
  });

  it.each(Object.entries(withheld))('is never %s, not even of root', async (name, text) => {
    const variables = text.includes('$days') ? { days: 1 } : {};
    const { codes, text: body } = await create(root, {
      name: 'Trap',
      panels: [panel, { ...panel, query: text, variables }],
    });
    expect(codes).toEqual(['INVALID_INPUT']);
    expect(body).toContain('"field":"panels.1.query"');
    expect(body).toContain(
      `A panel cannot ask for ${name}: it changes something, asks another server or returns a secret`,
    );
  });

  /** Secrets in rows, with a query that nests each. */
  const nested: Readonly<Record<string, string>> = {
    'Channel.headers': '{ channels { items { id headers } } }',
    'Channel.parameters': '{ logs { items { ... on Log { channel { parameters } } } } }',
    'ChannelSetting.more': '{ channel(id: 1) { setting { more } } }',
    'ChannelSetting.proxy':
      '{ channelHealth { rows { channel { ...Way } } } } fragment Way on Channel { setting { proxy } }',
    'CreativeTask.contentUrl': '{ creativeTasks { items { link: contentUrl } } }',
    'TopUpReversal.note': '{ topUps { items { reversals { note } } } }',
    'Redemption.key':
      '{ redemptions { items { ...Row } } } fragment Row on Redemption { id ...Code } fragment Code on Redemption { name: key }',
    'UserSetting.webhookUrl': 'query ($on: Boolean = false) { mySetting { webhookUrl @include(if: $on) } }',
  };

  it.each(Object.entries(nested))('is never %s, however deep', async (name, text) => {
    const { codes, text: body } = await create(root, { name: 'Trap', panels: [{ ...panel, query: text }] });
    expect(codes).toEqual(['INVALID_INPUT']);
    expect(body).toContain('"field":"panels.0.query"');
    expect(body).toContain(`A panel cannot ask for ${name}: it `);
  });

  it('is decided for every field whose name may be that of a secret', async () => {
    const { schema } = await composeSchema();
    const query = schema.getQueryType();
    const read = Object.values(schema.getTypeMap()).filter(
      (type): type is GraphQLObjectType => isObjectType(type) && !/^__|Payload$|Result$|^Mutation$/.test(type.name),
    );
    const fieldsOf = read
      .filter((type) => type !== query)
      .flatMap((type) =>
        Object.values(type.getFields()).map((field) => ({ path: `${type.name}.${field.name}`, field })),
      );
    const withheldPaths = fieldsOf.filter(({ field }) => field.extensions.notInPanels).map(({ path }) => path);
    expect(withheldPaths.sort()).toEqual(Object.keys(nested).sort());
    const maySecret = fieldsOf.filter(
      ({ field }) =>
        /key$|secret|password|header|proxy|parameters|url$|link$/i.test(field.name) &&
        ['String', 'JSON'].includes(getNamedType(field.type).name) &&
        !field.extensions.notInPanels,
    );
    // Public texts of the site, addresses without a secret, masked keys, options, whose secrets are never shown, and endpoints,
    // which only withheld queries return.
    expect(maySecret.map(({ path }) => path).sort()).toEqual([
      ...['Channel.baseUrl', 'ChannelType.defaultBaseUrl', 'ChatLink.link', 'Drawing.imageUrl', 'Option.key'],
      ...['PaymentForm.url', 'Status.docsLink', 'Status.topUpLink', 'Status.turnstileSiteKey', 'Token.maskedKey'],
      'WebhookEndpoint.url',
    ]);
  });

  it('is named in docs/graphql.md', () => {
    const [, section = ''] = page.split('A panel runs as soon as its dashboard is opened.');
    const [text = ''] = section.split('All of this is checked');
    const [, names = ''] = text.split('returns a secret:');
    const named = [...names.matchAll(/`(\w+(?:\.\w+)?)`/g)].flatMap(([, name = '']) =>
      name === 'INVALID_INPUT' ? [] : [name],
    );
    expect(named.sort()).toEqual([...Object.keys(withheld), ...Object.keys(nested)].sort());
  });

  it('is nothing that its author may not read', async () => {
    const operator = await newOperator(site, root, ['usage.read']);
    for (const [author, text] of [
      [admin, '{ auditEntries { totalCount } }'],
      [operator, '{ ...Rows } fragment Rows on Query { people: users { totalCount } }'],
    ] as const) {
      const { codes, text: body } = await create(author, { name: 'Trap', panels: [{ ...panel, query: text }] });
      expect(codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
      expect(body).toContain('"field":"panels.0.query"');
      expect(body).toMatch(/You may not read (auditEntries|users), so your panels cannot ask for it/);
    }
    const { id } = await created(operator, {
      name: 'Own',
      panels: [panel, { ...panel, query: '{ me { id } notice }' }],
    });
    await remove(operator, id);
  });

  it('is checked when a dashboard is shared', async () => {
    const { id } = await created(admin, { name: 'Kept', panels: [panel] });
    for (const [query, code] of [
      ['{ auditEntries { totalCount } }', 'INSUFFICIENT_PRIVILEGES'],
      ['{ tokenKey(id: 1) }', 'INVALID_INPUT'],
    ]) {
      await site.query('UPDATE dashboards SET panels = $2 WHERE id = $1', [
        id,
        JSON.stringify([{ title: 'Old', kind: 'number', size: 'small', query, variables: {} }]),
      ]);
      expect((await update(admin, { id, visibility: 'SHARED' })).codes).toEqual([code]);
      expect((await update(admin, { id, name: 'Renamed' })).codes).toEqual([]);
    }
    await remove(admin, id);
  });

  it('is no panel that was stored before: it has a reason in place of its shape', async () => {
    const { id } = await created(admin, { name: 'Old', visibility: 'SHARED', panels: [panel] });
    await site.query('UPDATE dashboards SET panels = $2 WHERE id = $1', [
      id,
      JSON.stringify([
        { ...panel, kind: 'number', size: 'small', variables: {} },
        { ...dryRun, kind: 'number', size: 'small', title: 'Trap' },
      ]),
    ]);
    const { data } = await site.graphql(root, `{ dashboard(id: ${id}) { panels { shape { rows } refusal } grafana } }`);
    expect(data?.['dashboard']).toMatchObject({
      panels: [
        { shape: { rows: 'usage.items' }, refusal: null },
        { shape: null, refusal: expect.stringContaining('A panel cannot ask for priceDryRun') as string },
      ],
      grafana: { panels: [{ title: 'Spend' }] },
    });
    await remove(admin, id);
  });
});

it('costs as many checks as a dashboard has panels', async () => {
  const costOf = async (text: string): Promise<unknown> =>
    (JSON.parse((await site.graphql(admin, text)).text) as { extensions: { cost: { requested: number } } }).extensions
      .cost.requested;
  // The operation costs 10, the list 1, each dashboard 1, each of its 24 panels 1 and each shape 10.
  expect(await costOf('{ dashboards(pageSize: 3) { items { panels { title } } } }')).toBe(11 + 3 * (1 + 24));
  expect(await costOf('{ dashboards(pageSize: 3) { items { panels { shape { rows } } } } }')).toBe(
    11 + 3 * (1 + 24 * 11),
  );
  expect(await costOf('{ dashboards(pageSize: 3) { items { grafana } } }')).toBe(11 + 3 * (1 + 240));
  const panels = `{ title: "", kind: TABLE, query: "{ a }" }`;
  const save = (list: string): string =>
    `mutation { createDashboard(input: { name: "", panels: [${list}] }) { dashboard { id } } }`;
  // The operation, the payload and the dashboard, and 10 for each distinct query.
  expect(await costOf(save(`${panels}, ${panels}`))).toBe(12 + 10);
  expect(await costOf(save(`${panels}, ${panels.replace('a', 'b')}`))).toBe(12 + 20);
  expect(await costOf(`mutation { updateDashboard(input: { id: 0, panels: [${panels}] }) { dashboard { id } } }`)).toBe(
    12 + 10,
  );
});

it('is checked once for a query and its variables', () => {
  const asked: unknown[] = [];
  const check: DashboardDeps['queries']['check'] = ({ query: text, variables }) => {
    asked.push([text, variables]);
    return { rows: null, columns: [], values: [] };
  };
  const service = new DashboardService({ queries: { check } } as unknown as DashboardDeps);
  const stored = { title: 'Spend', kind: 'number', size: 'small', query, variables: { a: 1 } } as const;
  const first = service.checkStored(stored);
  expect(service.checkStored({ ...stored, title: 'Again', variables: { a: 1 } })).toBe(first);
  service.checkStored({ ...stored, variables: { a: 2 } });
  expect(asked).toEqual([
    [query, { a: 1 }],
    [query, { a: 2 }],
  ]);
});

it('goes with its owner while it is private, and stays without one when it is shared', async () => {
  const leaving = await site.invite(root, 'admin');
  const mine = await created(leaving, { name: 'Mine', panels: [panel] });
  const ours = await created(leaving, { name: 'Ours', visibility: 'SHARED', panels: [panel] });
  await site.query('DELETE FROM users WHERE id = $1', [leaving.id]);
  expect(await site.query('SELECT id, owner_id FROM dashboards WHERE id IN ($1, $2)', [mine.id, ours.id])).toEqual([
    { id: ours.id, owner_id: null },
  ]);
  await remove(root, ours.id);
});
