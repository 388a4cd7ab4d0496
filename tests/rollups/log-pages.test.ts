import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { entities } from '../../server/src/compose/entities.js';
import { createDataSource } from '../../server/src/db/data-source.js';
import { LogService, type LogFilter } from '../../server/src/modules/logs/log.service.js';
import { Aggregator } from '../../server/src/modules/rollups/aggregator.service.js';
import type { Actor } from '../../server/src/shared/actor.js';
import { systemClock } from '../../server/src/shared/clock.js';
import { Secrets } from '../../server/src/shared/secrets.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

/** Pages are found by way of the sums: they have to be those that reading the whole log would give. */
let database: TestDatabase;
let dataSource: DataSource;
let logs: LogService;
const root: Actor = { id: 1, username: 'root', role: 100, status: 1, group: 'default' };
const hour = 3600;
const thisHour = Math.floor(Date.now() / 1000 / hour) * hour;
const rows = 900;

beforeAll(async () => {
  database = await createTestDatabase();
  dataSource = await createDataSource(database.url, 3, entities).initialize();
  logs = new LogService(dataSource, new Secrets('test'), systemClock);
  await insert(rows, `${thisHour} - (power(random(), 2) * 60 * 24 * 3600)::bigint`);
  await new Aggregator(dataSource).run();
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
    type: maybe(fc.constantFrom(2, 6, 3)),
    userId: maybe(fc.integer({ min: 1, max: 4 })),
    username: maybe(fc.constantFrom('user1')),
    tokenName: maybe(fc.constantFrom('key 1', 'key 2')),
    channelId: maybe(fc.integer({ min: 1, max: 3 })),
    group: maybe(fc.constantFrom('vip')),
    modelName: maybe(fc.constantFrom('model-0', 'model-1*', '*1', 'model-9', 'none*')),
    from: maybe(fc.nat(70 * 24 * hour).map((ago) => thisHour - ago)),
    to: maybe(fc.nat(70 * 24 * hour).map((ago) => thisHour - ago)),
  })
  .map((filter) => Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)));

async function expected(filter: LogFilter): Promise<string[]> {
  const { from, to, modelName, ...equal } = filter;
  const columns = { type: 'type', userId: 'user_id', username: 'username', tokenName: 'token_name' } as const;
  const more = { channelId: 'channel_id', group: '"group"' } as const;
  const names: Record<string, string> = { ...columns, ...more };
  const conditions = Object.entries(equal).map(([field, value]) => `${names[field]} = '${value}'`);
  if (from !== undefined) conditions.push(`created_at >= ${from}`);
  if (to !== undefined) conditions.push(`created_at <= ${to}`);
  if (modelName !== undefined) conditions.push(`model_name LIKE '${modelName.replaceAll('*', '%')}'`);
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
        const query = { page, pageSize, sort: { field: 'createdAt', direction } };
        const { items, totalCount, totalCapped } = await logs.list(root, filter, query);
        expect([totalCount, totalCapped]).toEqual([all.length, false]);
        expect(items.map(({ id }) => String(id))).toEqual(all.slice(page * pageSize, (page + 1) * pageSize));
      },
    ),
    { numRuns: 300 },
  );
}, 60_000);
