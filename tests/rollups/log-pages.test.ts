import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { entities } from '../../server/src/compose/entities.js';
import { createDataSource } from '../../server/src/platform/db/data-source.js';
import { LogService, type LogListQuery } from '../../server/src/console/logs/log.service.js';
import { type LogFilter } from '../../server/src/console/logs/log-conditions.js';
import { type LogView, type OwnLogView } from '../../server/src/console/logs/log-view.js';
import { Aggregator } from '../../server/src/billing/rollups/aggregator.js';
import type { Actor } from '../../server/src/shared/actor.js';
import { systemClock } from '../../server/src/shared/clock.js';
import type { Slice } from '../../server/src/shared/page.js';
import { Secrets } from '../../server/src/shared/secrets.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

/** Pages are found by way of the sums: they have to be those that reading the whole log would give. */
let database: TestDatabase;
let dataSource: DataSource;
let logs: LogService;
const root: Actor = { id: 1, username: 'root', role: 'root', status: 'enabled', group: 'default' };
const hour = 3600;
const thisHour = Math.floor(Date.now() / 1000 / hour) * hour;
const rows = 900;

beforeAll(async () => {
  database = await createTestDatabase();
  dataSource = await createDataSource(database.url, 3, entities).initialize();
  logs = new LogService(dataSource, new Secrets('test'), systemClock);
  await insert(rows, `${thisHour} - (power(random(), 2) * 60 * 24 * 3600)::bigint`);
  await new Aggregator(dataSource, 60_000).run();
  // Late ones, and some of this hour.
  await insert(40, `${thisHour} - 500 * 3600 - (random() * 100 * 3600)::bigint`);
  await insert(40, `${thisHour} + (random() * 100)::bigint`);
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

const insert = (count: number, at: string): Promise<unknown> =>
  dataSource.query(
    `INSERT INTO logs (created_at, request_id, type, user_id, username, token_id, token_name, channel_id, model_name, "group")
     SELECT ${at}, 'r' || n, CASE WHEN random() < 0.9 THEN 2 ELSE 6 END, 1 + n % 3, 'user' || n % 3, n % 5, 'key ' || n % 5,
            (random() * 3)::integer, 'model-' || (power(random(), 3) * 12)::integer, CASE WHEN n % 4 = 0 THEN 'vip' ELSE 'default' END
       FROM generate_series(1, ${count}) n`,
  );

const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });
const filters: fc.Arbitrary<LogFilter> = fc
  .record({
    types: maybe(fc.constantFrom([2], [6], [3], [2, 6], [])),
    userIds: maybe(fc.constantFrom([1], [4], [1, 3])),
    username: maybe(fc.constantFrom('user1')),
    tokenIds: maybe(fc.constantFrom([1], [2, 3])),
    tokenName: maybe(fc.constantFrom('key 1', 'key 2')),
    channelIds: maybe(fc.constantFrom([1], [3], [1, 2])),
    groups: maybe(fc.constantFrom(['vip'], ['vip', 'default'])),
    models: maybe(fc.constantFrom(['model-0'], ['model-1*'], ['*1'], ['model-9'], ['none*'], ['model-2', '*1'])),
    from: maybe(fc.nat(70 * 24 * hour).map((ago) => thisHour - ago)),
    until: maybe(fc.nat(70 * 24 * hour).map((ago) => thisHour - ago)),
  })
  .map((filter) => Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)));

async function expected(filter: LogFilter): Promise<string[]> {
  const { from, until, models, ...exact } = filter;
  const lists = {
    types: 'type',
    userIds: 'user_id',
    tokenIds: 'token_id',
    channelIds: 'channel_id',
    groups: '"group"',
  };
  const names: Record<string, string> = { ...lists, username: 'username', tokenName: 'token_name' };
  const conditions = Object.entries(exact).map(([field, value]) => {
    const values = [value].flat().map((one) => `'${String(one)}'`);
    return values.length === 0 ? 'FALSE' : `${names[field]} IN (${values.join(', ')})`;
  });
  if (from !== undefined) conditions.push(`created_at >= ${from}`);
  if (until !== undefined) conditions.push(`created_at < ${until}`);
  if (models !== undefined) {
    conditions.push(`(${models.map((model) => `model_name LIKE '${model.replaceAll('*', '%')}'`).join(' OR ')})`);
  }
  const found = await dataSource.query<Array<{ id: string }>>(
    `SELECT id FROM logs WHERE ${['TRUE', ...conditions].join(' AND ')} ORDER BY created_at, id`,
  );
  return found.map(({ id }) => id);
}

it('shows the page of the whole log, whatever is asked for together', async () => {
  await fc.assert(
    fc.asyncProperty(
      filters,
      fc.nat(12),
      fc.constantFrom(1, 7, 50),
      fc.constantFrom('ASC' as const, 'DESC' as const),
      async (filter, page, pageSize, direction) => {
        const all = await expected(filter);
        if (direction === 'DESC') all.reverse();
        const query = {
          page,
          pageSize,
          after: null,
          sort: [{ field: 'createdAt', direction }] as const,
          counted: true,
        };
        const { items, total, hasNextPage } = await logs.list(root, filter, query);
        expect(await total()).toEqual({ count: all.length, capped: false });
        expect(hasNextPage).toBe((page + 1) * pageSize < all.length);
        expect(items.map(({ id }) => String(id))).toEqual(all.slice(page * pageSize, (page + 1) * pageSize));
      },
    ),
    { numRuns: 300 },
  );
});

it('reads on from a cursor to the end, whatever the filter, and each row once', async () => {
  await fc.assert(
    fc.asyncProperty(
      filters,
      fc.constantFrom(13, 60),
      fc.constantFrom('ASC' as const, 'DESC' as const),
      fc.boolean(),
      async (filter, pageSize, direction, own) => {
        const reader: Actor = { ...root, id: 2, role: own ? 'common' : 'root' };
        const all = await expected(own ? { ...withoutAdminFields(filter), userIds: [reader.id] } : filter);
        if (direction === 'DESC') all.reverse();
        const sort = [{ field: 'createdAt', direction }] as const;
        const read: string[] = [];
        for (let after: string | null = null, more = true; more;) {
          const query: LogListQuery = { page: 0, pageSize, after, sort };
          const page: Slice<OwnLogView | LogView> = own
            ? await logs.listOwn(reader, filter, query)
            : await logs.list(reader, filter, query);
          read.push(...page.items.map(({ requestId }) => requestId));
          [after, more] = [page.endCursor, page.hasNextPage];
        }
        expect(read).toEqual(await requestIdsOf(all));
      },
    ),
    { numRuns: 60 },
  );
});

it('shows owners no ids of rows, neither in rows nor in cursors', async () => {
  const owner: Actor = { ...root, id: 2, role: 'common' };
  const page = await logs.listOwn(owner, {}, { page: 0, pageSize: 50, after: null, sort: [] });
  const again = await logs.listOwn(owner, {}, { page: 0, pageSize: 50, after: null, sort: [] });
  expect(again.items.map(({ id }) => id)).toEqual(page.items.map(({ id }) => id));
  expect(new Set(page.items.map(({ id }) => id)).size).toBe(50);
  const stored = await dataSource.query<Array<{ id: string }>>(
    `SELECT id FROM logs WHERE user_id = 2 ORDER BY created_at DESC, id DESC LIMIT 50`,
  );
  const shown = [...page.items.map(({ id }) => id), Buffer.from(page.endCursor ?? '', 'base64url').toString('latin1')];
  expect(shown.some((text) => text === stored[0]?.id || text.includes(`,${stored[49]?.id}]`))).toBe(false);
  for (const after of [
    'x',
    'v1.AAAA',
    (await logs.list(root, {}, { page: 0, pageSize: 1, after: null, sort: [] })).endCursor,
  ]) {
    await expect(logs.listOwn(owner, {}, { page: 0, pageSize: 1, after, sort: [] })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      field: 'after',
    });
  }
});

const withoutAdminFields = ({ username: _name, channelIds: _channels, ...filter }: LogFilter): LogFilter => filter;

async function requestIdsOf(ids: readonly string[]): Promise<string[]> {
  const rows = await dataSource.query<Array<{ id: string; request_id: string }>>('SELECT id, request_id FROM logs');
  const byId = new Map(rows.map((row) => [row.id, row.request_id]));
  return ids.map((id) => byId.get(id) ?? '');
}
