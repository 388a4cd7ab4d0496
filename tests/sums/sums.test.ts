import fc from 'fast-check';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { entities } from '../../server/src/compose/entities.js';
import { createDataSource } from '../../server/src/db/data-source.js';
import { reconcile } from '../../server/src/modules/quota/reconcile.service.js';
import { SumFolding } from '../../server/src/modules/sums/sum-folding.service.js';
import {
  hour,
  logFrom,
  readSnapshot,
  usageCounters,
  usageFrom,
  type Queries,
  type Snapshots,
} from '../../server/src/modules/sums/sums.service.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

/**
 * Whatever is settled, late or on time, by transactions that end when they like, and wherever a folding dies: every
 * answer from the sums is that of the rows themselves, at every moment.
 */
let database: TestDatabase;
let dataSource: DataSource;
let slow: pg.Client;
const day = 24 * hour;
/** The start of a week of blocks, so that all lengths are met. */
const origin = Math.floor(1_763_000_000 / (7 * day)) * 7 * day - 3 * hour;

beforeAll(async () => {
  database = await createTestDatabase();
  dataSource = await createDataSource(database.url, 6, entities).initialize();
  slow = new pg.Client({ connectionString: database.url });
  await slow.connect();
  // The test says what time it is.
  await dataSource.query(`
    CREATE TABLE test_clock (now double precision);
    INSERT INTO test_clock VALUES (0);
    CREATE OR REPLACE FUNCTION sums_clock() RETURNS double precision LANGUAGE sql VOLATILE AS 'SELECT now FROM test_clock';
    INSERT INTO users (id, username) SELECT n, 'user' || n FROM generate_series(1, 9) n;
  `);
});
afterAll(async () => {
  await slow.end();
  await dataSource.destroy();
  await database.drop();
});

async function reset(): Promise<void> {
  await dataSource.query(`
    TRUNCATE usage_hourly, logs, reservations, usage_by_model, usage_by_route, usage_by_user, usage_by_token, usage_by_all,
      log_by_route, log_by_all, sums_late;
    UPDATE sums_state SET folded_until = 0, slots_until = 0, minutes_until = 0;
    SELECT setval('sums_closed_until', 0);
    UPDATE log_state SET trimmed_before = 0;
    UPDATE test_clock SET now = ${origin};
  `);
}

interface Call {
  readonly at: number;
  readonly user: number;
  readonly model: string;
  readonly channel: number;
  readonly quota: number;
  readonly logged: boolean;
}
let sequence = 0;

/** As a node settles, through the ledger's function. */
async function settle(client: { query(sql: string, values: unknown[]): Promise<unknown> }, call: Call): Promise<void> {
  const requestId = `request-${++sequence}`;
  const duration = (call.quota * 37) % 20_000;
  await client.query(`INSERT INTO reservations (request_id, node_id, user_id, amount) VALUES ($1, 'test', $2, 0)`, [
    requestId,
    call.user,
  ]);
  const line = {
    ...{ request_id: requestId, charge: call.quota, counted: 1, logged: call.logged, created_at: call.at },
    ...{ channel_id: call.channel, username: `user${call.user}`, token_name: `key ${call.channel}` },
    ...{
      model_name: call.model,
      group: call.quota % 2 ? 'default' : 'vip',
      prompt_tokens: call.quota,
      completion_tokens: 3,
    },
    ...{ cached_tokens: 1, duration_ms: duration, duration_bucket: call.quota % 24, is_stream: call.logged },
    ...{ content: '', other: '' },
  };
  await client.query('SELECT * FROM ledger_settle_calls($1::json)', [JSON.stringify([line])]);
}

/** So many calls at once that slots are kept when their hour is folded. */
const burst = (at: number): Promise<unknown> =>
  dataSource.query(
    `INSERT INTO logs (created_at, request_id, type, user_id, username, token_name, channel_id, model_name, "group", quota)
     SELECT $1, 'burst ' || n, 2, 1 + n % 3, '', 'key 1', 1, 'm' || n % 2, 'vip', n FROM generate_series(1, 40) n`,
    [at],
  );

const fail = (at: number, user: number): Promise<unknown> =>
  dataSource.query(
    `INSERT INTO usage_hourly AS h (hour, user_id, token_id, channel_id, model_name, "group", failed_calls)
     VALUES ($1, $2, 0, 1, 'm0', 'vip', 1)
     ON CONFLICT (hour, user_id, token_id, channel_id, model_name, "group") DO UPDATE SET failed_calls = h.failed_calls + 1`,
    [at - (at % hour), user],
  );

/** Everything there is to add up, of one moment, from the sums and from the rows. */
async function compare(
  transaction: Queries,
  state: Parameters<typeof logFrom>[1],
  range: { from: number; end: number },
) {
  const wholeHours = { from: Math.floor(range.from / hour) * hour, end: Math.ceil(range.end / hour) * hour };
  for (const [columns, fixed] of questions) {
    const list = columns.map((column) => (column === 'group' ? '"group"' : column));
    for (const [longest, time] of [
      [Infinity, '0'],
      [24, `hour - hour % ${day}`],
      [1, 'hour'],
    ] as const) {
      const keys = [...(time === '0' ? [] : [time]), ...list];
      const of = (from: string): string => `SELECT ${[...keys, ...counters].join(', ')} FROM ${from}
        ${keys.length === 0 ? '' : `GROUP BY ${keys.join(', ')} ORDER BY ${keys.join(', ')}`}`;
      const equal = fixed === null ? [] : [{ column: fixed, placeholder: '$1' }];
      const values = fixed === null ? [] : [fixed === 'user_id' ? 2 : 1];
      const plain = `(SELECT * FROM usage_hourly WHERE hour >= ${wholeHours.from} AND hour < ${wholeHours.end}
        ${fixed === null ? '' : `AND ${fixed} = $1`}) plain`;
      const summed = usageFrom({ range: wholeHours, columns, equal, longest, counters: usageCounters }, state);
      expect(await transaction.query(of(summed), values)).toEqual(await transaction.query(of(plain), values));
    }
  }
  for (const [condition, columns] of [
    ['TRUE', []],
    ['type = 2 AND channel_id = 1', ['type', 'channel_id']],
    ['type = 2 AND user_id = 2', ['type', 'user_id']],
    [`model_name LIKE 'm%1'`, ['model_name']],
    [`token_name = 'key 1'`, ['token_name']],
  ] as const) {
    const of = (from: string): string =>
      `SELECT coalesce(sum(entries), 0)::text AS entries, coalesce(sum(quota), 0)::text AS quota FROM ${from}`;
    const plain = `(SELECT 1 AS entries, * FROM logs
      WHERE created_at >= ${range.from} AND created_at < ${range.end} AND ${condition}) plain`;
    for (const isTotal of [false, true]) {
      const summed = logFrom({ range, columns, condition, isTotal }, state);
      expect(await transaction.query(of(summed ?? ''))).toEqual(await transaction.query(of(plain)));
    }
  }
}

const counters = [
  ...['calls', 'failed_calls', 'quota', 'logged_calls', 'logged_quota', 'prompt_tokens', 'duration_ms'].map(
    (column) => `sum(${column})::text AS ${column}`,
  ),
  'coalesce(sum(duration_buckets[3]), 0)::text AS bucket',
];

/** What is asked for, what is fixed: one for every table. */
const questions: ReadonlyArray<readonly [string[], string | null]> = [
  [[], null],
  [['model_name'], null],
  [['channel_id', 'group'], null],
  [['user_id'], null],
  [['token_id'], 'user_id'],
  [['model_name'], 'user_id'],
  [['user_id'], 'channel_id'],
];

/** A data source whose transactions die before their n-th statement. */
function dying(after: number): Snapshots {
  const mortal = (run: (transaction: Queries) => Promise<unknown>) =>
    dataSource.transaction((manager) => {
      let left = after;
      const query = ((sql: string, parameters?: unknown[]) => {
        if (left-- === 0) throw new Error('killed');
        return manager.query(sql, parameters);
      }) as Queries['query'];
      return run({ query });
    });
  return { query: dataSource.query.bind(dataSource), transaction: mortal } as unknown as Snapshots;
}

type Step =
  | {
      kind: 'settle';
      late: number;
      lateSeconds: number;
      user: number;
      model: number;
      channel: number;
      quota: number;
      logged: boolean;
    }
  | { kind: 'burst'; late: number; lateSeconds: number }
  | { kind: 'fail'; late: number }
  | { kind: 'hold'; quota: number }
  | { kind: 'let go'; commit: boolean }
  | { kind: 'wait'; seconds: number }
  | { kind: 'set back'; seconds: number }
  | { kind: 'fold' }
  | { kind: 'die'; after: number }
  | { kind: 'trim'; ago: number }
  | { kind: 'ask'; from: number; length: number }
  | { kind: 'ask near a burst'; which: number; offset: number; length: number };

/** Inside the hour, too: in slots that are folded, and in those that are not. */
const lateSeconds = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(5000) });
/** Hours back: mostly none. */
const late = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(400) });
const kind = <Kind extends string>(name: Kind): fc.Arbitrary<Kind> => fc.constant(name);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: kind('settle'),
      ...{ late, lateSeconds },
      ...{ user: fc.integer({ min: 1, max: 3 }), model: fc.nat(2), channel: fc.nat(2), quota: fc.nat(500) },
      logged: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: kind('burst'), late, lateSeconds }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('fail'), late }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('hold'), quota: fc.nat(500) }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('let go'), commit: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: kind('wait'), seconds: fc.oneof(fc.nat(700), fc.nat(5000), fc.nat(8 * day)) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: kind('set back'), seconds: fc.oneof(fc.nat(300), fc.nat(2 * day)) }) },
  { weight: 4, arbitrary: fc.record({ kind: kind('fold') }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('die'), after: fc.nat(60) }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('trim'), ago: fc.nat(10 * day) }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('ask'), from: fc.nat(20 * day), length: fc.nat(20 * day) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      ...{ kind: kind('ask near a burst'), which: fc.nat(20) },
      ...{ offset: fc.integer({ min: -hour, max: hour }), length: fc.oneof(fc.nat(hour), fc.nat(3 * day)) },
    }),
  },
);

it('answers as the rows do, whatever is late, held open or killed, and wherever the clock is set back to', async () => {
  const folding = new SumFolding(dataSource, 100);
  let now = origin;
  let furthest = origin;
  let isHeld = false;
  let bursts: number[] = [];
  let slotted = 0;
  const ask = (range: { from: number; end: number }): Promise<void> =>
    readSnapshot(
      dataSource,
      (transaction, state) => {
        slotted += state.slotted.length;
        return compare(transaction, state, range);
      },
      range,
    );
  const take = async (one: Step): Promise<void> => {
    switch (one.kind) {
      case 'settle':
        await settle(dataSource, { ...one, at: now - one.late * hour - one.lateSeconds, model: `m${one.model}` });
        break;
      case 'burst':
        bursts.push(now - one.late * hour - one.lateSeconds);
        await burst(now - one.late * hour - one.lateSeconds);
        break;
      case 'fail':
        await fail(now - one.late * hour, 1);
        break;
      case 'hold':
        if (isHeld) break;
        isHeld = true;
        await slow.query('BEGIN');
        await settle(slow, { at: now, user: 9, model: 'm1', channel: 7, quota: one.quota, logged: true });
        break;
      case 'let go':
        if (!isHeld) break;
        isHeld = false;
        await slow.query(one.commit ? 'COMMIT' : 'ROLLBACK');
        await ask({ from: now - 9 * day, end: now });
        break;
      case 'wait':
        now += one.seconds;
        await dataSource.query('UPDATE test_clock SET now = $1', [now]);
        break;
      case 'set back':
        furthest = Math.max(furthest, now);
        now -= one.seconds;
        await dataSource.query('UPDATE test_clock SET now = $1', [now]);
        break;
      case 'fold':
        await folding.run();
        break;
      case 'die':
        await new SumFolding(dying(one.after), 100)
          .run()
          .catch((error: unknown) => expect(error).toEqual(new Error('killed')));
        break;
      case 'trim':
        await dataSource.query('UPDATE log_state SET trimmed_before = greatest(trimmed_before, $1)', [now - one.ago]);
        await dataSource.query('DELETE FROM logs WHERE created_at < (SELECT trimmed_before FROM log_state)');
        break;
      case 'ask':
        await ask({ from: now - one.from, end: now - one.from + one.length });
        break;
      case 'ask near a burst': {
        const from = (bursts[one.which % Math.max(1, bursts.length)] ?? now) + one.offset;
        await ask({ from, end: from + one.length });
      }
    }
  };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }), async (steps) => {
      await reset();
      now = origin;
      furthest = origin;
      bursts = [];
      for (const one of steps) await take(one);
      await take({ kind: 'let go', commit: true });
      await take({ kind: 'wait', seconds: Math.max(0, furthest - now) + 2 * hour });
      await new SumFolding(dataSource).run();
      const [state] = await dataSource.query<Array<Record<'folded' | 'slots' | 'minutes' | 'late', number>>>(
        `SELECT folded_until::float8 AS folded, slots_until::float8 AS slots, minutes_until::float8 AS minutes,
                (SELECT count(*)::int FROM sums_late WHERE hour < greatest(folded_until, slots_until, minutes_until)) AS late
           FROM sums_state`,
      );
      if (!state) throw new Error('the state is gone');
      const last = (ago: number, length: number): number => Math.floor((now - ago) / length) * length;
      expect([state.folded, state.late]).toEqual([last(120, hour), 0]);
      expect(Math.max(state.folded, state.slots)).toBe(last(120, 300));
      expect(Math.max(state.folded, state.slots, state.minutes)).toBe(last(10, 60));
      await ask({ from: 0, end: now + day });
      await ask({ from: now - 9 * day, end: now });
      for (const at of bursts) await ask({ from: at - 700, end: at + 250 });
      const drifts = await reconcile({ query: async (sql) => ({ rows: await dataSource.query(sql) }) });
      expect(drifts.filter(({ account }) => account.startsWith('sums'))).toEqual([]);
    }),
    { numRuns: 8 },
  );
  expect(slotted).toBeGreaterThan(0);
}, 300_000);

it('waits for who began to write before an hour was over, and reads what came after from the rows', async () => {
  await reset();
  const whole = { from: origin - day, end: origin + day };
  const ask = (): Promise<void> => readSnapshot(dataSource, (transaction, state) => compare(transaction, state, whole));
  await settle(dataSource, { at: origin, user: 1, model: 'm1', channel: 1, quota: 5, logged: true });
  await slow.query('BEGIN');
  await settle(slow, { at: origin + 1, user: 9, model: 'm1', channel: 7, quota: 7, logged: true });
  await dataSource.query('UPDATE test_clock SET now = $1', [origin + 2 * hour]);
  expect(await new SumFolding(dataSource, 100).run()).toBe(0);
  await slow.query('COMMIT');
  await ask();
  expect(await new SumFolding(dataSource).run()).toBeGreaterThan(0);
  await ask();
  // Now the hour is over: who writes to it leaves a mark, whenever he ends.
  await slow.query('BEGIN');
  await settle(slow, { at: origin + 2, user: 9, model: 'm2', channel: 7, quota: 9, logged: true });
  await new SumFolding(dataSource, 100).run();
  await slow.query('COMMIT');
  await ask();
  expect(await new SumFolding(dataSource).run()).toBe(1);
  await ask();
});

it('answers as the rows do while several settle, two fold and the clock runs', async () => {
  await reset();
  const end = performance.now() + 4000;
  let now = origin;
  const isOver = (): boolean => performance.now() > end;
  const writer = async (user: number): Promise<void> => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    for (let n = 0; !isOver(); n++) {
      const at = now - (n % 5 === 0 ? (n % 70) * hour : 0);
      await settle(client, { at, user, model: `m${n % 3}`, channel: n % 4, quota: n % 100, logged: true });
    }
    await client.end();
  };
  const folder = async (): Promise<void> => {
    while (!isOver()) await new SumFolding(dataSource, 50).step();
  };
  const clock = async (): Promise<void> => {
    for (let n = 0; !isOver(); n++) {
      // Now and then it is set back.
      now += n % 7 === 6 ? -1500 : 600;
      await dataSource.query('UPDATE test_clock SET now = $1', [now]);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  let asked = 0;
  const reader = async (): Promise<void> => {
    for (; !isOver(); asked++) {
      const range = { from: now - 3 * day + 17, end: now + 1 };
      await readSnapshot(dataSource, (transaction, state) => compare(transaction, state, range), range);
    }
  };
  await Promise.all([writer(1), writer(2), folder(), folder(), clock(), reader()]);
  expect(asked).toBeGreaterThan(0);
  const [folded] = await dataSource.query<Array<{ rows: number }>>('SELECT count(*)::int AS rows FROM usage_by_all');
  expect(folded?.rows).toBeGreaterThan(0);
}, 60_000);

it('reconcile tells of sums that are not those of their rows', async () => {
  await reset();
  await settle(dataSource, { at: origin - 30 * hour, user: 1, model: 'm1', channel: 1, quota: 5, logged: true });
  await new SumFolding(dataSource).run();
  const drifts = async (): Promise<string[]> => {
    const found = await reconcile({ query: async (sql) => ({ rows: await dataSource.query(sql) }) });
    return [...new Set(found.map(({ account }) => account).filter((account) => account.startsWith('sums')))];
  };
  expect(await drifts()).toEqual([]);
  await dataSource.query('UPDATE usage_by_user SET duration_buckets[6] = duration_buckets[6] + 1 WHERE span = 24');
  await dataSource.query('DELETE FROM log_by_all WHERE span = 1');
  expect(await drifts()).toEqual(['sums usage_by_user', 'sums log_by_all', 'sums log_by_route']);
});

it('folds minutes of the hour that is not over, again what is late there, and lets them go with their hour', async () => {
  await reset();
  const at = origin + hour;
  const ask = (): Promise<void> =>
    readSnapshot(dataSource, (transaction, state) => compare(transaction, state, { from: origin, end: at + hour }));
  const slots = async (): Promise<number[]> => {
    const rows = await dataSource.query<Array<{ rows: number }>>(
      'SELECT sum(entries)::int AS rows FROM log_by_route WHERE span = 0 GROUP BY start ORDER BY start',
    );
    return rows.map(({ rows: count }) => count);
  };
  const rowsRead = (): Promise<number> =>
    readSnapshot(dataSource, async (transaction, state) => {
      const from = logFrom({ range: { from: 0, end: at + hour }, columns: [], condition: 'TRUE', only: 'rows' }, state);
      const [row] = await transaction.query<Array<{ rows: number }>>(`SELECT count(*)::int AS rows FROM ${from}`);
      return row?.rows ?? NaN;
    });
  const calls = async (times: number[]): Promise<void> => {
    for (const time of times)
      await settle(dataSource, { at: time, user: 1, model: 'm1', channel: 1, quota: 5, logged: true });
  };
  await dataSource.query('UPDATE test_clock SET now = $1', [at + 10]);
  await new SumFolding(dataSource).run();
  await dataSource.query('UPDATE test_clock SET now = $1', [at + 719]);
  await calls([at + 10, at + 20, at + 400, at + 700]);
  await dataSource.query('UPDATE test_clock SET now = $1', [at + 720]);
  await new SumFolding(dataSource).run();
  expect([await slots(), await rowsRead()]).toEqual([[2, 1], 1]);
  await ask();
  await calls([at + 30]);
  expect([await slots(), await rowsRead()]).toEqual([[2, 1], 4]);
  await ask();
  expect(await new SumFolding(dataSource).run()).toBe(1);
  expect([await slots(), await rowsRead()]).toEqual([[3, 1], 1]);
  await ask();
  await dataSource.query('UPDATE log_by_route SET entries = entries + 1 WHERE span = 0 AND start = $1', [at]);
  const drifts = await reconcile({ query: async (sql) => ({ rows: await dataSource.query(sql) }) });
  expect(drifts.filter(({ account }) => account.startsWith('sums')).map(({ name }) => name)).toEqual([
    'block of a slot',
  ]);
  await dataSource.query('UPDATE test_clock SET now = $1', [at + hour + 120]);
  await new SumFolding(dataSource).run();
  expect([await slots(), await rowsRead()]).toEqual([[], 0]);
  await ask();
});

it('folds minutes behind the slots after ten seconds, again what is late there, and lets them go with their slot', async () => {
  await reset();
  const at = origin + hour;
  const range = { from: origin, end: at + hour };
  const clock = (now: number): Promise<unknown> => dataSource.query('UPDATE test_clock SET now = $1', [now]);
  const call = (time: number): Promise<void> =>
    settle(dataSource, { at: time, user: 1, model: 'm1', channel: 1, quota: 5, logged: true });
  const blocks = (span: number): Promise<number[][]> =>
    dataSource
      .query<Array<{ start: number; entries: number }>>(
        'SELECT start::float8 AS start, sum(entries)::int AS entries FROM log_by_route WHERE span = $1 GROUP BY 1 ORDER BY 1',
        [span],
      )
      .then((rows) => rows.map(({ start, entries }) => [start - at, entries]));
  await clock(at + 299);
  for (const second of [5, 10, 130, 250, 290]) await call(at + second);
  await clock(at + 309);
  expect(await new SumFolding(dataSource).run()).toBeGreaterThan(0);
  expect(await blocks(-1)).toEqual([
    [0, 2],
    [120, 1],
  ]);
  expect(await total(range)).toEqual({ entries: 5, rows: 2 });
  await clock(at + 310);
  expect(await new SumFolding(dataSource).run()).toBe(1);
  expect(await total(range)).toEqual({ entries: 5, rows: 0 });
  // Late: its minute is read from the rows, and that minute alone.
  await call(at + 131);
  expect(await total(range)).toEqual({ entries: 6, rows: 2 });
  expect(await new SumFolding(dataSource).run()).toBe(1);
  expect(await total(range)).toEqual({ entries: 6, rows: 0 });
  // The clock is set back: what comes to a minute that is folded is still seen.
  await clock(at + 100);
  await call(at + 90);
  expect(await total(range)).toEqual({ entries: 7, rows: 1 });
  expect(await new SumFolding(dataSource).run()).toBe(1);
  expect(await total(range)).toEqual({ entries: 7, rows: 0 });
  await dataSource.query('UPDATE log_by_route SET entries = entries + 1 WHERE span = -1 AND start = $1', [at]);
  const drifts = await reconcile({ query: async (sql) => ({ rows: await dataSource.query(sql) }) });
  expect(drifts.filter(({ account }) => account.startsWith('sums')).map(({ name }) => name)).toEqual([
    'block of a minute',
  ]);
  await clock(at + 420);
  await new SumFolding(dataSource).run();
  expect([await blocks(0), await blocks(-1)]).toEqual([[[0, 7]], []]);
  expect(await total(range)).toEqual({ entries: 7, rows: 0 });
});

it('reads the slots that the version before folds over minutes, and lets these go with their hour', async () => {
  await reset();
  const at = origin + hour;
  const range = { from: origin, end: at + hour };
  for (const second of [5, 70, 310])
    await settle(dataSource, { at: at + second, user: 1, model: 'm1', channel: 1, quota: 5, logged: true });
  await dataSource.query('UPDATE test_clock SET now = $1', [at + 400]);
  await new SumFolding(dataSource).run();
  expect(await total(range)).toEqual({ entries: 3, rows: 0 });
  // It does not know that there are minutes.
  await dataSource.query(`
    INSERT INTO log_by_all SELECT 0, created_at - created_at % 300, type, user_id, token_id, token_name, channel_id, model_name, "group",
      count(*), sum(quota), sum(prompt_tokens), sum(completion_tokens) FROM logs WHERE created_at < ${at + 300} GROUP BY 2, 3, 4, 5, 6, 7, 8, 9;
    INSERT INTO log_by_route SELECT 0, start, type, channel_id, model_name, "group", sum(entries), sum(quota), sum(prompt_tokens),
      sum(completion_tokens) FROM log_by_all WHERE span = 0 GROUP BY 2, 3, 4, 5, 6;
    UPDATE sums_state SET slots_until = ${at + 300};
  `);
  expect(await total(range)).toEqual({ entries: 3, rows: 0 });
  await dataSource.query('UPDATE test_clock SET now = $1', [at + hour + 120]);
  await new SumFolding(dataSource).run();
  expect(await total(range)).toEqual({ entries: 3, rows: 0 });
  expect(
    await dataSource.query(
      'SELECT span FROM log_by_route WHERE span < 1 UNION SELECT span FROM log_by_all WHERE span < 1',
    ),
  ).toEqual([]);
});

it('is closed once and for all before it is folded, however many close', async () => {
  await reset();
  const closed = async (): Promise<number> => {
    const [row] = await dataSource.query<Array<{ until: number }>>(
      `SELECT pg_sequence_last_value('sums_closed_until')::float8 AS until`,
    );
    return row?.until ?? NaN;
  };
  await dataSource.query('UPDATE test_clock SET now = $1', [origin + 2 * hour + 70]);
  // It dies before its transaction ends: closed it is all the same.
  await expect(new SumFolding(dying(4), 100).step()).rejects.toThrow('killed');
  const [{ folded } = { folded: NaN }] = await dataSource.query<Array<{ folded: number }>>(
    'SELECT folded_until::float8 AS folded FROM sums_state',
  );
  expect([folded, await closed()]).toEqual([0, Math.floor((origin + 2 * hour - 50) / hour) * hour]);
  await new SumFolding(dataSource).run();
  const until = origin + 2 * hour + 60;
  expect(await closed()).toBe(until);
  await dataSource.query('UPDATE test_clock SET now = $1', [origin + hour]);
  await Promise.all([new SumFolding(dataSource).run(), new SumFolding(dataSource).run()]);
  expect(await closed()).toBe(until);
});

/** What the log says of a range, and how many of its rows were read for it one by one. */
async function total(range: { from: number; end: number }): Promise<{ entries: number; rows: number }> {
  await readSnapshot(dataSource, (transaction, state) => compare(transaction, state, range), range);
  return readSnapshot(
    dataSource,
    async (transaction, state) => {
      const from = (only?: 'rows'): string =>
        logFrom({ range, columns: ['type'], condition: 'type = 2', isTotal: true, only }, state) ?? '';
      const [row] = await transaction.query<Array<{ entries: number; rows: number }>>(
        `SELECT (SELECT sum(entries)::int FROM ${from()}) AS entries, (SELECT sum(abs(entries))::int FROM ${from('rows')}) AS rows`,
      );
      return row ?? { entries: NaN, rows: NaN };
    },
    range,
  );
}

it('keeps the slots of folded hours with many rows, for ranges that begin or end inside of them', async () => {
  await reset();
  const slots = async (): Promise<number> => {
    const [row] = await dataSource.query<Array<{ slots: number }>>(
      'SELECT count(DISTINCT start)::int AS slots FROM log_by_route WHERE span = 0',
    );
    return row?.slots ?? NaN;
  };
  const kept = { from: origin + 1000, end: origin + 3 * hour };
  for (let second = 0; second < hour; second += 100) await burst(origin + second);
  await settle(dataSource, { at: origin + hour + 5, user: 1, model: 'm1', channel: 1, quota: 5, logged: true });
  await dataSource.query('UPDATE test_clock SET now = $1', [origin + 3 * hour]);
  await new SumFolding(dataSource).run();
  // The hour with one row has no slots of its own.
  expect(await slots()).toBe(12);
  expect(await total(kept)).toEqual({ entries: 26 * 40 + 1, rows: 40 });
  // What is late is read from the rows of its hour, until it is folded anew.
  await burst(origin + 2000);
  expect(await total(kept)).toEqual({ entries: 27 * 40 + 1, rows: 27 * 40 });
  await new SumFolding(dataSource).run();
  expect(await total(kept)).toEqual({ entries: 27 * 40 + 1, rows: 40 });
  // Reconcile looks at them.
  const drifts = async (): Promise<string[]> => {
    const found = await reconcile({ query: async (sql) => ({ rows: await dataSource.query(sql) }) });
    return found.filter(({ account }) => account.startsWith('sums')).map(({ name }) => name);
  };
  expect(await drifts()).toEqual([]);
  await dataSource.query('UPDATE log_by_route SET quota = quota + 1 WHERE span = 0 AND start = $1', [origin + 600]);
  await dataSource.query('DELETE FROM log_by_route WHERE span = 0 AND start = $1', [origin + 900]);
  expect(await drifts()).toEqual(['block of a kept slot', 'block of a kept slot']);
});

it('reads a folded hour whose slots a trim removed from its rows', async () => {
  await reset();
  for (let second = 0; second < 2 * hour; second += 100) await burst(origin + second);
  await dataSource.query('UPDATE test_clock SET now = $1', [origin + 3 * hour]);
  await new SumFolding(dataSource).run();
  const inFirst = { from: origin + 1000, end: origin + hour };
  const inSecond = { from: origin + hour + 1000, end: origin + 2 * hour };
  expect([await total(inFirst), await total(inSecond)]).toEqual(Array(2).fill({ entries: 26 * 40, rows: 40 }));
  await dataSource.query('UPDATE log_state SET trimmed_before = $1', [origin + hour + 1500]);
  await dataSource.query('DELETE FROM logs WHERE created_at < $1', [origin + hour + 1500]);
  expect(await total(inSecond)).toEqual({ entries: 21 * 40, rows: 21 * 40 });
  await dataSource.query('UPDATE test_clock SET now = $1', [origin + 5 * hour]);
  await new SumFolding(dataSource).run();
  expect(await total(inSecond)).toEqual({ entries: 21 * 40, rows: 21 * 40 });
  expect(await total({ from: origin, end: origin + 2 * hour })).toMatchObject({ entries: 21 * 40 });
});
