import { durationMsOf, loggedDurationMs } from '../../server/src/shared/logged-details.js';
import { createDataSource } from '../../server/src/platform/db/data-source.js';
import { Aggregator } from '../../server/src/billing/rollups/aggregator.js';
import { entities } from '../../server/src/compose/entities.js';
import { Site, type Person } from './site.js';

/**
 * Questions that read the log without an index on what they ask for. Alice has a call, and Bob another and a failed one,
 * each with a channel, model and key of their own. The rollups say that Alice has 100,000 calls more, so that no test
 * writes as many.
 */
let site: Site;
let root: Person;
let alice: Person;
let bob: Person;
const day = 86_400;
const today = Math.floor(Date.now() / 1000 / day) * day;
const from = new Date((today - 4 * day) * 1000).toISOString();
const [keyOfAlice, keyOfBob] = [71, 72];
const other = { request_path: '/v1/chat/completions', duration_ms: 2500 };

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  [alice, bob] = [await site.invite(root), await site.invite(root)];
  for (const [person, key, channel, model, type] of [
    [alice, keyOfAlice, 1, 'busy', 2],
    [bob, keyOfBob, 2, 'quiet', 2],
    [bob, keyOfBob, 2, 'quiet', 6],
  ] as const) {
    await site.query(
      `INSERT INTO tokens (id, user_id, key_hash, key_prefix, key_sealed, name) VALUES ($1, $2, $3, '', '', $4)
       ON CONFLICT DO NOTHING`,
      [key, person.id, Buffer.from(`key ${key}`), model],
    );
    await site.query(
      `INSERT INTO logs (created_at, type, user_id, username, token_id, token_name, channel_id, model_name, "group", quota,
                         use_time, other)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $6, 'default', 10, 2, $8)`,
      [
        ...[today - 2 * day, type, person.id, person.username, key, model, channel],
        JSON.stringify(type === 6 ? { ...other, error_code: 'overloaded' } : { ...other, cache_creation_tokens: 5 }),
      ],
    );
  }
  const database = await createDataSource(site.server.database.url, 2, entities).initialize();
  // It waits for transactions of all databases, and gives up on a busy machine.
  const rolledUp = () => site.query(`SELECT FROM log_by_route WHERE granularity = 'DAY' AND model_name = 'busy'`);
  while ((await rolledUp()).length === 0) await new Aggregator(database, 60_000).run();
  await database.destroy();
  for (const table of ['log_by_all', 'log_by_route']) {
    await site.query(`UPDATE ${table} SET entries = entries + 100000 WHERE model_name = 'busy'`);
  }
});
afterAll(() => site.stop());

const refused = {
  message: expect.stringContaining('this range has 10000') as string,
  extensions: { code: 'INVALID_INPUT' },
};
async function ask(person: Person, query: string): Promise<{ data: unknown; errors: unknown[]; cost: number }> {
  const { text } = await site.graphql(person, query);
  const { data, errors, extensions } = JSON.parse(text) as {
    data: unknown;
    errors?: unknown[];
    extensions: { cost: { requested: number } };
  };
  return { data, errors: errors ?? [], cost: extensions.cost.requested };
}

describe('usage', () => {
  const usage = (filter: string, groupBy = 'ENDPOINT') =>
    ask(
      root,
      `{ usage(range: { from: "${from}" }, groupBy: [${groupBy}], filter: { ${filter} }) { items { metrics { calls failedCalls } } } }`,
    );

  it.each([
    ['a filter by a key', () => usage(`tokenIds: [${keyOfBob}]`)],
    ['a filter by a busy user', () => usage(`userIds: [${alice.id}]`)],
    ['users', () => usage('', 'ENDPOINT, USER')],
    ['a list of models and a key', () => usage(`models: ["busy", "quiet"], tokenIds: [${keyOfBob}]`)],
  ])('by endpoint with %s is refused, because no rollup has both and too many rows are left', async (_, read) => {
    expect((await read()).errors).toMatchObject([refused]);
  });

  it.each([
    ['nothing', ''],
    ['a group', 'groups: ["default"]'],
    ['two models', 'models: ["busy", "quiet"]'],
  ])('by endpoint is read from the rollups with a filter by %s, whatever the number of rows', async (_, filter) => {
    const { data, errors } = await usage(filter);
    expect([errors, data]).toEqual([[], { usage: { items: [{ metrics: { calls: 2, failedCalls: 1 } }] } }]);
  });

  it.each([
    ['the user', () => `userIds: [${bob.id}], tokenIds: [${keyOfBob}]`],
    ['the name of the user', () => `usernames: ["${bob.username}"]`],
    ['a channel', () => 'channelIds: [2]'],
    ['a model', () => 'models: ["quiet"]'],
  ])('by endpoint is read with a filter by %s', async (_, filter) => {
    expect(await usage(filter())).toMatchObject({
      errors: [],
      data: { usage: { items: [{ metrics: { calls: 1, failedCalls: 1 } }] } },
    });
  });

  it('by key of channels is refused as a file, too, where too many rows are left', async () => {
    const start = Math.floor(Date.parse(from) / 1000);
    const path = `/api/data/export?group_by=user,upstream_key&start_timestamp=${start}`;
    const { body } = await site.rest(root, 'GET', path);
    expect(body).toMatchObject({ success: false, code: 'INVALID_INPUT', message: refused.message });
  });

  it('by code of error reads the failed calls alone', async () => {
    const { data, errors } = await usage('', 'ERROR');
    expect([errors, data]).toEqual([[], { usage: { items: [{ metrics: { calls: 0, failedCalls: 1 } }] } }]);
  });

  it('of an API key reads the log of its owner', async () => {
    const cacheOf = (key: number) =>
      ask(
        root,
        `{ tokens(filter: { ids: [${key}] }) { items { usage(range: { from: "${from}" }) { cache { writeTokens } } } } }`,
      );
    const { data, errors } = await cacheOf(keyOfBob);
    expect([errors, data]).toEqual([[], { tokens: { items: [{ usage: { cache: { writeTokens: 5 } } }] } }]);
    expect((await cacheOf(keyOfAlice)).errors).toMatchObject([refused]);
  });
});

describe('the log', () => {
  const at = `at: { from: "${from}" }`;
  const slow = 'durationMs: { atLeast: 2000 }';
  const costly = 'quota: { atLeast: 5 }';
  const overloaded = 'errorCodes: ["overloaded"]';
  const logs = (filter: string, sort = 'AT', fields = 'items { type }') =>
    ask(root, `{ logs(pageSize: 1, filter: { ${at} ${filter} }, sort: [{ field: ${sort} }]) { ${fields} } }`);
  const own = (person: Person, filter: string, sort = 'AT') =>
    ask(person, `{ myLogs(pageSize: 1, filter: { ${at} ${filter} }, sort: [{ field: ${sort} }]) { items { type } } }`);

  it.each([
    ['duration', () => logs(slow)],
    ['duration, as a number of rows', () => logs(slow, 'AT', 'totalCount')],
    ['duration, as totals', () => logs(slow, 'AT', 'sums { quota }')],
    // Totals are of charged calls, also beside other types.
    ['duration of failed calls, as totals', () => logs(`${slow} types: [ERROR]`, 'AT', 'sums { quota }')],
    ['duration and a key', () => logs(`${slow} tokenIds: [${keyOfBob}]`)],
    ['duration and a pattern of models', () => logs(`${slow} models: ["qui*"]`)],
    ['the order of durations', () => logs('', 'DURATION')],
    ['the order of quota and duration', () => logs(slow, 'QUOTA')],
    ['the order of own durations', () => own(alice, '', 'DURATION')],
    [
      'duration, below a user',
      () => ask(root, `{ user(id: ${alice.id}) { logs(filter: { ${at} ${slow} }) { items { type } } } }`),
    ],
  ])('is not read by %s where too many rows are left', async (_, read) => {
    expect((await read()).errors).toMatchObject([refused]);
  });

  it.each([
    ['duration and user', () => logs(`${slow} username: "${bob.username}"`), 'logs'],
    ['duration and channel', () => logs(`${slow} channelIds: [2]`), 'logs'],
    ['duration and model', () => logs(`${slow} models: ["quiet"]`), 'logs'],
    ['duration and name of the key', () => logs(`${slow} tokenName: "quiet"`), 'logs'],
    ['duration of failed calls', () => logs(`${slow} types: [ERROR]`), 'logs'],
    ['code of error', () => logs(overloaded), 'logs'],
    // Quota has an index.
    ['quota', () => logs(`${costly} types: [ERROR]`), 'logs'],
    ['the order of quota', () => logs('types: [ERROR]', 'QUOTA'), 'logs'],
    ['the order of cost of a channel', () => logs('channelIds: [2]', 'QUOTA'), 'logs'],
    ['own cost', () => own(bob, costly), 'myLogs'],
    [
      'own cost without a range',
      () => ask(bob, `{ myLogs(pageSize: 1, filter: { ${costly} }) { items { type } } }`),
      'myLogs',
    ],
    ['own duration', () => own(bob, slow), 'myLogs'],
    ['the order of own durations', () => own(bob, '', 'DURATION'), 'myLogs'],
  ])('is read by %s', async (_, read, name) => {
    expect(await read()).toMatchObject({ errors: [], data: { [name]: { items: [{ type: 'ERROR' }] } } });
  });

  it('is read by a duration of ten seconds and more, because few calls are as slow', async () => {
    const verySlow = 'durationMs: { atLeast: 10000 }';
    expect(await logs(verySlow)).toMatchObject({ errors: [], data: { logs: { items: [] } } });
    await site.query(
      `INSERT INTO logs (created_at, type, user_id, model_name, use_time, other) VALUES ($1, 2, $2, 'busy', 12, $3)`,
      [today - day, alice.id, JSON.stringify({ duration_ms: 12_345 })],
    );
    for (const sort of ['AT', 'DURATION']) {
      expect(await logs(verySlow, sort)).toMatchObject({
        errors: [],
        data: { logs: { items: [{ type: 'CONSUME' }] } },
      });
    }
    expect((await logs('durationMs: { atLeast: 9999 }')).errors).toMatchObject([refused]);
  });

  it('is read by duration below a user', async () => {
    const below = (filter: string) =>
      ask(root, `{ user(id: ${bob.id}) { logs(pageSize: 1, filter: { ${at} ${filter} }) { items { type } } } }`);
    const { cost, ...rest } = await below(slow);
    expect(rest).toEqual({ errors: [], data: { user: { logs: { items: [{ type: 'ERROR' }] } } } });
    expect(cost).toBe((await below('')).cost + 500);
  });

  it('has the same duration for the list, which Postgres reads, and for the live log', async () => {
    const rows = ['12.7', ' 12.4', '0.5', '3250', '1.5e3', '-4.2', '9e20', '"12"', 'null', '']
      .map((value) => ({ other: `{"a":1,"duration_ms":${value},"b":2}`, useTime: 3 }))
      .concat({ other: '', useTime: 4 }, { other: 'no JSON', useTime: 5 });
    const read = await site.query<{ milliseconds: string }>(
      `SELECT ${loggedDurationMs} AS milliseconds
         FROM unnest($1::text[], $2::integer[]) WITH ORDINALITY AS given(other, use_time, n) ORDER BY n`,
      [rows.map(({ other }) => other), rows.map(({ useTime }) => useTime)],
    );
    expect(read.map(({ milliseconds }) => Number(milliseconds))).toEqual(rows.map(durationMsOf));
    expect(rows.map(durationMsOf).slice(0, 6)).toEqual([13, 12, 1, 3250, 1500, -4]);
  });

  it('costs more by what no index has', async () => {
    const [cheap, cheapOwn] = [(await logs('')).cost, (await own(bob, '')).cost];
    expect((await logs(slow)).cost).toBe(cheap + 500);
    // A value of a list costs 1.
    expect((await logs(overloaded)).cost).toBe(cheap + 501);
    expect((await logs('quota: { atLeast: 1 }')).cost).toBe(cheap + 500);
    expect((await logs('', 'DURATION')).cost).toBe(cheap + 500);
    expect((await logs('', 'QUOTA')).cost).toBe(cheap + 500);
    expect((await logs(costly)).cost).toBe(cheap + 500);
    expect((await own(bob, costly)).cost).toBe(cheapOwn + 500);
    expect((await own(bob, slow)).cost).toBe(cheapOwn + 500);
    expect((await own(bob, 'quota: { below: 1 }')).cost).toBe(cheapOwn + 500);
    expect((await own(bob, '', 'DURATION')).cost).toBe(cheapOwn + 500);
  });
});
