import fc from 'fast-check';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { entities } from '../../server/src/compose/entities.js';
import { createDataSource } from '../../server/src/platform/db/data-source.js';
import { reconcile } from '../../server/src/billing/ledger/reconcile.js';
import { Aggregator } from '../../server/src/billing/rollups/aggregator.js';
import { hour } from '../../server/src/billing/rollups/read-plan.js';
import {
  callsFrom,
  logFrom,
  readSnapshot,
  usageFrom,
  type Snapshots,
} from '../../server/src/billing/rollups/rollups.js';
import { loggedCalls } from '../../server/src/billing/rollups/logged-calls.js';
import { usageCounters } from '../../server/src/billing/rollups/rollup-tables.js';
import { dropOldUsage, type Queries } from '../../server/src/billing/rollups/aggregate.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

/**
 * Reading through the rollups always equals reading the rows themselves: for calls on time and late, for transactions that
 * end at any time, and wherever an aggregation crashes.
 */
let database: TestDatabase;
let dataSource: DataSource;
let slow: pg.Client;
const day = 24 * hour;
/** Three hours before a day begins, so that buckets of all lengths end. */
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
    CREATE OR REPLACE FUNCTION rollup_clock() RETURNS double precision LANGUAGE sql VOLATILE AS 'SELECT now FROM test_clock';
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
    TRUNCATE usage_hourly, usage_five_minutes, logs, reservations, usage_by_model, usage_by_route, usage_by_user, usage_by_token, usage_by_all, calls_by_detail,
      log_by_route, log_by_all, rollup_invalidated;
    UPDATE rollup_state SET hours_until = 0, five_minutes_until = 0, minutes_until = 0;
    SELECT setval('rollup_closed_until', 0);
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
    request_id: requestId,
    charge: call.quota,
    counted: 1,
    logged: call.logged,
    created_at: call.at,
    channel_id: call.channel,
    username: `user${call.user}`,
    token_name: `key ${call.channel}`,
    model_name: call.model,
    group: call.quota % 2 ? 'default' : 'vip',
    prompt_tokens: call.quota,
    completion_tokens: 3,
    cached_tokens: 1,
    duration_ms: duration,
    duration_bucket: call.quota % 24,
    is_stream: call.logged,
    content: '',
    other: JSON.stringify({
      request_path: call.quota % 2 ? '/v1/messages' : '/v1/embeddings',
      cache_tokens: 3,
      cache_creation_tokens: call.quota % 5,
      cache_ratio: 0.5,
      model_ratio: 2,
      group_ratio: 1,
      ...(call.quota % 3 ? { quota_per_unit: 500_000 } : {}),
      // The key of a channel with one key has no name.
      ...(call.quota % 4 ? { admin_info: { upstream_key: `key${call.quota % 4}` } } : {}),
    }),
  };
  await client.query('SELECT * FROM ledger_settle_calls($1::json)', [JSON.stringify([line])]);
}

/** Many calls in one second. More than 500 are worth a minute. */
const burst = (at: number, size = 40): Promise<unknown> =>
  dataSource.query(
    `INSERT INTO logs (created_at, request_id, type, user_id, username, token_name, channel_id, model_name, "group", quota, other)
     SELECT $1, 'burst ' || n, 2, 1 + n % 3, '', 'key 1', 1, 'm' || n % 2, 'vip', n,
            '{"request_path": "/v1/' || n % 3 || '"}' FROM generate_series(1, $2) n`,
    [at, size],
  );

async function fail(at: number, user: number): Promise<void> {
  await dataSource.query(
    `INSERT INTO logs (created_at, type, user_id, channel_id, model_name, "group", other)
     VALUES ($1, 6, $2, 1, 'm0', 'vip', $3)`,
    [at, user, JSON.stringify({ error_code: `e${at % 3}`, request_path: '/v1/messages' })],
  );
  await dataSource.query(
    `INSERT INTO usage_hourly AS h (hour, user_id, token_id, channel_id, model_name, "group", failed_calls)
     VALUES ($1, $2, 0, 1, 'm0', 'vip', 1)
     ON CONFLICT (hour, user_id, token_id, channel_id, model_name, "group") DO UPDATE SET failed_calls = h.failed_calls + 1`,
    [at - (at % hour), user],
  );
}

/** Compares everything that can be added up, in one snapshot, through the rollups and from the rows. */
async function compare(
  transaction: Queries,
  state: Parameters<typeof logFrom>[1],
  range: { from: number; end: number },
) {
  const wholeHours = { from: Math.floor(range.from / hour) * hour, end: Math.ceil(range.end / hour) * hour };
  for (const [columns, fixed] of questions) {
    const list = columns.map((column) => (column === 'group' ? '"group"' : column));
    for (const [longest, time] of [
      ['DAY', '0'],
      ['DAY', `hour - hour % ${day}`],
      ['HOUR', 'hour'],
    ] as const) {
      const keys = [...(time === '0' ? [] : [time]), ...list];
      const of = (from: string): string => `SELECT ${[...keys, ...counters].join(', ')} FROM ${from}
        ${keys.length === 0 ? '' : `GROUP BY ${keys.join(', ')} ORDER BY ${keys.join(', ')}`}`;
      const condition = fixed === null ? 'TRUE' : `${fixed} = $1`;
      const values = fixed === null ? [] : [fixed === 'user_id' ? 2 : 1];
      const named = [...columns, ...(fixed === null ? [] : [fixed])];
      const plain = `(SELECT * FROM usage_hourly WHERE hour >= ${wholeHours.from} AND hour < ${wholeHours.end}
        ${fixed === null ? '' : `AND ${fixed} = $1`}) plain`;
      const fields = ['hour', ...list, ...usageCounters];
      const summed = usageFrom({ ranges: [wholeHours], columns: named, condition, longest, fields }, state);
      expect(await transaction.query(of(summed), values)).toEqual(await transaction.query(of(plain), values));
    }
  }
  for (const [columns, condition, ofDetails, ...details] of [
    [[], 'TRUE', 'TRUE'],
    [['endpoint'], 'type = 2', 'TRUE'],
    [['channel_id', 'error_code'], 'type = 6', 'TRUE'],
    [['model_name', '"group"'], 'channel_id = 1', 'TRUE'],
    [['user_id'], 'TRUE', 'TRUE'],
    [['channel_id', 'upstream_key'], 'type = 2', 'TRUE'],
    [['model_name'], 'channel_id = 1', `upstream_key = ANY ('{key1,other}')`, 'upstream_key'],
    [['user_id', 'endpoint'], 'TRUE', `upstream_key = ''`, 'upstream_key'],
  ] as const) {
    const sums = [
      ...callCounters.map((column) => `sum(${column})::text`),
      'coalesce(sum(duration_buckets[3]), 0)::text',
    ];
    const of = (from: string): string => `SELECT ${[...columns, ...sums].join(', ')} FROM ${from}
      ${columns.length === 0 ? '' : `GROUP BY ${columns.join(', ')} ORDER BY ${columns.join(', ')}`}`;
    const fields = [...columns, ...callCounters, 'duration_buckets'];
    const rows = `created_at >= ${range.from} AND created_at < ${range.end} AND ${condition}`;
    const plain = `${loggedCalls(rows, [...fields, ...details])} WHERE ${ofDetails}`;
    const named = [...columns.map((column) => column.replaceAll('"', '')), 'type', 'channel_id', ...details];
    const expected = await transaction.query(of(plain));
    for (const longest of ['HOUR', 'DAY', null] as const) {
      const question = { ranges: [range], columns: named, longest, condition, ofDetails };
      const from = callsFrom({ ...question, fields: fields.map((name) => ({ name, sql: name, from: [name] })) }, state);
      expect(await transaction.query(of(from))).toEqual(expected);
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
    const expected = await transaction.query(of(plain));
    for (const longest of ['HOUR', 'DAY'] as const) {
      const summed = logFrom({ range, columns, condition, longest }, state);
      expect(await transaction.query(of(summed ?? ''))).toEqual(expected);
    }
  }
}

const counters = [
  ...['calls', 'failed_calls', 'quota', 'logged_calls', 'logged_quota', 'prompt_tokens', 'duration_ms'].map(
    (column) => `sum(${column})::text AS ${column}`,
  ),
  'coalesce(sum(duration_buckets[3]), 0)::text AS bucket',
];

const callCounters = [
  ...['calls', 'failed_calls', 'quota', 'cached_tokens', 'cache_write_tokens', 'cache_saved_nano_usd'],
  'cache_saved_quota',
];

/** Columns to group by, and one to filter with: one question for every table. */
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
  | { kind: 'burst'; late: number; lateSeconds: number; size: number }
  | { kind: 'forget parts' }
  | { kind: 'fail'; late: number }
  | { kind: 'hold'; quota: number }
  | { kind: 'let go'; commit: boolean }
  | { kind: 'wait'; seconds: number }
  | { kind: 'set back'; seconds: number }
  | { kind: 'aggregate' }
  | { kind: 'die'; after: number }
  | { kind: 'trim'; ago: number }
  | { kind: 'ask'; from: number; length: number }
  | { kind: 'ask near a burst'; which: number; offset: number; length: number };

/** Within the hour, too: in five-minute buckets that are aggregated, and in those that are not. */
const lateSeconds = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(5000) });
/** Hours back: mostly none. */
const late = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(400) });
const kind = <Kind extends string>(name: Kind): fc.Arbitrary<Kind> => fc.constant(name);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: kind('settle'),
      late,
      lateSeconds,
      user: fc.integer({ min: 1, max: 3 }),
      model: fc.nat(2),
      channel: fc.nat(2),
      quota: fc.nat(500),
      logged: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: kind('burst'), late, lateSeconds, size: fc.constantFrom(40, 600) }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('forget parts') }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('fail'), late }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('hold'), quota: fc.nat(500) }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('let go'), commit: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: kind('wait'),
      seconds: fc.oneof(fc.nat(70), fc.nat(700), fc.nat(5000), fc.nat(8 * day)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: kind('set back'), seconds: fc.oneof(fc.nat(300), fc.nat(2 * day)) }) },
  { weight: 4, arbitrary: fc.record({ kind: kind('aggregate') }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('die'), after: fc.nat(60) }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('trim'), ago: fc.nat(10 * day) }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('ask'), from: fc.nat(20 * day), length: fc.nat(20 * day) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: kind('ask near a burst'),
      which: fc.nat(20),
      offset: fc.integer({ min: -hour, max: hour }),
      length: fc.oneof(fc.nat(hour), fc.nat(3 * day)),
    }),
  },
);

it('reads what the rows say, with late calls, open transactions, crashes, and clocks that are set back', async () => {
  const aggregator = new Aggregator(dataSource, 100);
  let now = origin;
  let furthest = origin;
  let isHeld = false;
  let bursts: number[] = [];
  const ask = (range: { from: number; end: number }): Promise<void> =>
    readSnapshot(dataSource, (transaction, state) => compare(transaction, state, range));
  const take = async (one: Step): Promise<void> => {
    switch (one.kind) {
      case 'settle':
        await settle(dataSource, { ...one, at: now - one.late * hour - one.lateSeconds, model: `m${one.model}` });
        break;
      case 'burst':
        bursts.push(now - one.late * hour - one.lateSeconds);
        await burst(now - one.late * hour - one.lateSeconds, one.size);
        break;
      case 'forget parts':
        // As a server of an older version leaves an hour that it aggregates.
        await dataSource.query(
          `UPDATE log_by_route SET parts = NULL, part_entries = NULL, part_quota = NULL
            WHERE granularity = 'HOUR' AND start % ${2 * hour} = 0`,
        );
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
      case 'aggregate':
        await aggregator.run();
        break;
      case 'die':
        await new Aggregator(dying(one.after), 100)
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
      // A run that failed before may have left it open.
      if (isHeld) await slow.query('ROLLBACK');
      isHeld = false;
      await reset();
      now = origin;
      furthest = origin;
      bursts = [];
      for (const one of steps) await take(one);
      await take({ kind: 'let go', commit: true });
      await take({ kind: 'wait', seconds: Math.max(0, furthest - now) + 2 * hour });
      await new Aggregator(dataSource, 60_000).run();
      const [state] = await dataSource.query<Array<Record<'hours' | 'fiveMinutes' | 'invalidated', number>>>(
        `SELECT hours_until::float8 AS hours, five_minutes_until::float8 AS "fiveMinutes",
                (SELECT count(*)::int FROM rollup_invalidated WHERE start < greatest(hours_until, five_minutes_until)) AS invalidated
           FROM rollup_state`,
      );
      if (!state) throw new Error('rollup_state has no row');
      const last = (ago: number, length: number): number => Math.floor((now - ago) / length) * length;
      expect([state.hours, state.invalidated]).toEqual([last(120, hour), 0]);
      expect(Math.max(state.hours, state.fiveMinutes)).toBe(last(10, 300));
      await ask({ from: 0, end: now + day });
      await ask({ from: now - 9 * day, end: now });
      for (const at of bursts) await ask({ from: at - 700, end: at + 250 });
      const drifts = await reconcile({ query: async (sql) => ({ rows: await dataSource.query(sql) }) });
      expect(drifts.filter(({ account }) => account.startsWith('rollup'))).toEqual([]);
    }),
    { numRuns: 8 },
  );
}, 300_000);

it('waits for transactions that began to write before an hour was closed, and reads later changes from the rows', async () => {
  await reset();
  const whole = { from: origin - day, end: origin + day };
  const ask = (): Promise<void> => readSnapshot(dataSource, (transaction, state) => compare(transaction, state, whole));
  await settle(dataSource, { at: origin, user: 1, model: 'm1', channel: 1, quota: 5, logged: true });
  await slow.query('BEGIN');
  await settle(slow, { at: origin + 1, user: 9, model: 'm1', channel: 7, quota: 7, logged: true });
  await dataSource.query('UPDATE test_clock SET now = $1', [origin + 2 * hour]);
  expect(await new Aggregator(dataSource, 100).run()).toBe(0);
  await slow.query('COMMIT');
  await ask();
  expect(await new Aggregator(dataSource, 60_000).run()).toBeGreaterThan(0);
  await ask();
  // Now the hour is closed: a transaction that writes to it invalidates it, whenever it ends.
  await slow.query('BEGIN');
  await settle(slow, { at: origin + 2, user: 9, model: 'm2', channel: 7, quota: 9, logged: true });
  await new Aggregator(dataSource, 100).run();
  await slow.query('COMMIT');
  await ask();
  expect(await new Aggregator(dataSource, 60_000).run()).toBe(1);
  await ask();
});

it('reads what the rows say while two writers settle, two nodes aggregate and the clock runs', async () => {
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
  const aggregator = async (): Promise<void> => {
    while (!isOver()) await new Aggregator(dataSource, 50).step();
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
      await readSnapshot(dataSource, (transaction, state) => compare(transaction, state, range));
    }
  };
  await Promise.all([writer(1), writer(2), aggregator(), aggregator(), clock(), reader()]);
  expect(asked).toBeGreaterThan(0);
  const [aggregated] = await dataSource.query<Array<{ rows: number }>>(
    'SELECT count(*)::int AS rows FROM usage_by_all',
  );
  expect(aggregated?.rows).toBeGreaterThan(0);
});

it('has a row for each pattern of a path, not for each model or project that paths name', async () => {
  await reset();
  const one = (n: number): readonly (readonly [path: string, pattern: string])[] => [
    ['/v1/chat/completions', '/v1/chat/completions'],
    [`/v1/engines/text-${n}/embeddings`, '/v1/engines/{model}/embeddings'],
    [`/v1beta/models/gemini-${n}:generateContent`, '/v1beta/models/{model}:generateContent'],
    // LangChain leaves `models/` out of a name with a slash, and names may have a colon.
    [`/v1beta/vendor/model-${n}:free:generateContent`, '/v1beta/models/{model}:generateContent'],
    [`/v1alpha/models/${'long'.repeat(60)}${n}:embedContent`, '/v1alpha/models/{model}:embedContent'],
    [
      `/v1/projects/p-${n}/locations/eu-${n}/publishers/google/models/gemini-${n}:streamGenerateContent`,
      '/v1/projects/{project}/locations/{location}/publishers/google/models/{model}:streamGenerateContent',
    ],
    [
      `/v1beta1/projects/${'p'.repeat(250)}/locations/eu-${n}/publishers/anthropic/models/claude@${n}:rawPredict`,
      '/v1beta1/projects/{project}/locations/{location}/publishers/anthropic/models/{model}:rawPredict',
    ],
    [`/model/eu.anthropic.claude-${n}-v1:0/converse-stream`, '/model/{model}/converse-stream'],
    [`/model/arn%3Aaws%3Abedrock%2F${n}/invoke`, '/model/{model}/invoke'],
  ];
  const paths = Array.from({ length: 30 }, (_, n) => one(n)).flat();
  await dataSource.query(
    `INSERT INTO logs (created_at, request_id, type, user_id, channel_id, model_name, "group", other)
     SELECT $1, 'path ' || n, 2, 1, 1, 'm1', 'vip', other
       FROM unnest($2::text[]) WITH ORDINALITY AS given(other, n)`,
    [origin, paths.map(([path]) => JSON.stringify({ request_path: path }))],
  );
  const expected = [...new Set(paths.map(([, pattern]) => pattern))].sort().map((endpoint) => ({
    endpoint,
    calls: String(paths.filter(([, pattern]) => pattern === endpoint).length),
  }));
  const plain = loggedCalls('TRUE', ['endpoint', 'calls']);
  const ofRows = await dataSource.query<object[]>(
    `SELECT endpoint, sum(calls)::text AS calls FROM ${plain} GROUP BY 1 ORDER BY endpoint COLLATE "C"`,
  );
  expect(ofRows).toEqual(expected);
  await dataSource.query('UPDATE test_clock SET now = $1', [origin + 2 * hour]);
  await new Aggregator(dataSource, 60_000).run();
  const stored = await dataSource.query<object[]>(
    `SELECT endpoint, calls::text FROM calls_by_detail WHERE granularity = 'HOUR' ORDER BY endpoint COLLATE "C"`,
  );
  expect(stored).toEqual(expected);
});

it('adds up rows of imported programs, whatever their numbers and texts', async () => {
  await reset();
  const code = Array.from({ length: 900 }, (_, n) => String.fromCodePoint(0x4e00 + ((n * 7919) % 20_000))).join('');
  const details = {
    error_code: code,
    request_path: `/v1/${code}`,
    ...Object.fromEntries(
      [
        'cache_tokens',
        'cache_creation_tokens',
        'cache_ratio',
        'model_ratio',
        'duration_ms',
        'frt',
        'upstream_cost',
      ].map((name) => [name, 1e30]),
    ),
  };
  for (const type of [2, 6]) {
    await dataSource.query(
      `INSERT INTO logs (created_at, type, user_id, channel_id, model_name, "group", other) VALUES ($1, $2, 1, 1, 'm1', 'vip', $3)`,
      [origin - 30 * hour, type, JSON.stringify(details).replaceAll('1e+30', '1e30')],
    );
  }
  await new Aggregator(dataSource, 60_000).run();
  const found = await reconcile({ query: async (sql) => ({ rows: await dataSource.query(sql) }) });
  expect(found.filter(({ account }) => account.startsWith('rollup'))).toEqual([]);
  const [sums] = await dataSource.query<Array<{ calls: string; failed: string }>>(
    `SELECT sum(calls) AS calls, sum(failed_calls) AS failed FROM calls_by_detail WHERE granularity = 'HOUR'`,
  );
  expect(sums).toEqual({ calls: '1', failed: '1' });
});

it('reconcile reports rollups that differ from their rows', async () => {
  await reset();
  await settle(dataSource, { at: origin - 30 * hour, user: 1, model: 'm1', channel: 1, quota: 5, logged: true });
  await new Aggregator(dataSource, 60_000).run();
  const drifts = async (): Promise<string[]> => {
    const found = await reconcile({ query: async (sql) => ({ rows: await dataSource.query(sql) }) });
    return [...new Set(found.map(({ account }) => account).filter((account) => account.startsWith('rollup')))];
  };
  expect(await drifts()).toEqual([]);
  await dataSource.query(
    `UPDATE usage_by_user SET duration_buckets[6] = duration_buckets[6] + 1 WHERE granularity = 'DAY'`,
  );
  await dataSource.query(`DELETE FROM log_by_all WHERE granularity = 'HOUR'`);
  expect(await drifts()).toEqual(['rollup usage_by_user', 'rollup log_by_all', 'rollup log_by_route']);
});

it('aggregates five minutes ten seconds after they end, again after a late call, and drops them with their hour', async () => {
  await reset();
  const at = origin + hour;
  const range = { from: origin, end: at + hour };
  const clock = (now: number): Promise<unknown> => dataSource.query('UPDATE test_clock SET now = $1', [now]);
  const call = (time: number): Promise<void> =>
    settle(dataSource, { at: time, user: 1, model: 'm1', channel: 1, quota: 5, logged: true });
  const buckets = (): Promise<number[][]> =>
    dataSource
      .query<Array<{ start: number; entries: number }>>(
        `SELECT start::float8 AS start, sum(entries)::int AS entries FROM log_by_route
          WHERE granularity = 'FIVE_MINUTES' GROUP BY 1 ORDER BY 1`,
      )
      .then((rows) => rows.map(({ start, entries }) => [start - at, entries]));
  await clock(at + 10);
  await new Aggregator(dataSource, 60_000).run();
  for (const second of [10, 20, 400, 700]) await call(at + second);
  await clock(at + 609);
  await new Aggregator(dataSource, 60_000).run();
  expect(await buckets()).toEqual([[0, 2]]);
  expect(await total(range)).toEqual({ entries: 4, rows: 2 });
  await clock(at + 610);
  expect(await new Aggregator(dataSource, 60_000).run()).toBe(1);
  expect(await buckets()).toEqual([
    [0, 2],
    [300, 1],
  ]);
  expect(await total(range)).toEqual({ entries: 4, rows: 1 });
  // A late call: its five minutes are read from the rows, and no others.
  await call(at + 30);
  expect(await total(range)).toEqual({ entries: 5, rows: 4 });
  expect(await new Aggregator(dataSource, 60_000).run()).toBe(1);
  expect(await total(range)).toEqual({ entries: 5, rows: 1 });
  // The clock is set back: a call in a closed bucket still invalidates it.
  await clock(at + 100);
  await call(at + 90);
  expect(await total(range)).toEqual({ entries: 6, rows: 5 });
  expect(await new Aggregator(dataSource, 60_000).run()).toBe(1);
  expect(await total(range)).toEqual({ entries: 6, rows: 1 });
  await dataSource.query(
    `UPDATE log_by_route SET entries = entries + 1 WHERE granularity = 'FIVE_MINUTES' AND start = $1`,
    [at],
  );
  const drifts = await reconcile({ query: async (sql) => ({ rows: await dataSource.query(sql) }) });
  expect(drifts.filter(({ account }) => account.startsWith('rollup')).map(({ name }) => name)).toEqual([
    'bucket of five minutes',
  ]);
  await clock(at + hour + 120);
  await new Aggregator(dataSource, 60_000).run();
  expect(await buckets()).toEqual([]);
  expect(await total(range)).toEqual({ entries: 6, rows: 0 });
});

it('aggregates minutes of a busy site ten seconds after they end, and drops them with their five minutes', async () => {
  await reset();
  const at = origin + hour;
  const range = { from: origin, end: at + hour };
  const clock = (now: number): Promise<unknown> => dataSource.query('UPDATE test_clock SET now = $1', [now]);
  const run = (): Promise<number> => new Aggregator(dataSource, 60_000).run();
  const minutes = async (): Promise<number[][]> => {
    const rows = await dataSource.query<Array<{ start: number; entries: number }>>(
      `SELECT start::float8 AS start, sum(entries)::int AS entries FROM log_by_route WHERE granularity = 'MINUTE' GROUP BY 1 ORDER BY 1`,
    );
    return rows.map(({ start, entries }) => [start - at, entries]);
  };
  await clock(at + 10);
  await run();
  await burst(at + 5, 499);
  await clock(at + 70);
  expect([await run(), await minutes()]).toEqual([0, []]);
  await burst(at + 65, 400);
  await clock(at + 129);
  // With the hour before.
  expect([await run(), await minutes()]).toEqual([2, [[0, 499]]]);
  expect(await total(range)).toEqual({ entries: 899, rows: 400 });
  // A late call: its five minutes are read from the rows until the next minutes are aggregated.
  await burst(at + 20, 1);
  expect(await total(range)).toEqual({ entries: 900, rows: 900 });
  expect(await run()).toBe(0);
  await burst(at + 130, 100);
  await clock(at + 190);
  expect(await run()).toBe(2);
  expect(await minutes()).toEqual([
    [0, 500],
    [60, 400],
    [120, 100],
  ]);
  expect(await total(range)).toEqual({ entries: 1000, rows: 0 });
  await dataSource.query(`UPDATE log_by_all SET entries = entries + 1 WHERE granularity = 'MINUTE' AND start = $1`, [
    at,
  ]);
  const drifts = await reconcile({ query: async (sql) => ({ rows: await dataSource.query(sql) }) });
  expect(new Set(drifts.filter(({ account }) => account.startsWith('rollup')).map(({ name }) => name))).toEqual(
    new Set(['bucket of a minute']),
  );
  await clock(at + 310);
  await run();
  expect([await minutes(), await total(range)]).toEqual([[], { entries: 1000, rows: 0 }]);
});

it('answers ranges that begin within an hour from its minutes, and from the rows where a server left none', async () => {
  await reset();
  for (const second of [0, 59, 60, 1500, 3599]) await burst(origin + second, 10);
  await dataSource.query('UPDATE test_clock SET now = $1', [origin + 2 * hour]);
  await new Aggregator(dataSource, 60_000).run();
  const begun = { from: origin + 50, end: origin + hour };
  expect(await total(begun)).toEqual({ entries: 40, rows: 10 });
  expect(await total({ from: origin, end: origin + 70 })).toEqual({ entries: 30, rows: 10 });
  const drifts = async (): Promise<string[]> => {
    const found = await reconcile({ query: async (sql) => ({ rows: await dataSource.query(sql) }) });
    return found.filter(({ account }) => account.startsWith('rollup')).map(({ name }) => name);
  };
  expect(await drifts()).toEqual([]);
  await dataSource.query('UPDATE log_by_route SET part_quota[2] = part_quota[2] + 1');
  expect(await drifts()).toEqual(['minute of an hour']);
  await dataSource.query('UPDATE log_by_route SET parts = NULL');
  expect([await drifts(), await total(begun)]).toEqual([[], { entries: 40, rows: 40 }]);
});

it('closes a time for good before it is aggregated, however many nodes close', async () => {
  await reset();
  const closed = async (): Promise<number> => {
    const [row] = await dataSource.query<Array<{ until: number }>>(
      `SELECT pg_sequence_last_value('rollup_closed_until')::float8 AS until`,
    );
    return row?.until ?? NaN;
  };
  await dataSource.query('UPDATE test_clock SET now = $1', [origin + 2 * hour + 70]);
  // It crashes before its transaction ends: the time is closed all the same.
  await expect(new Aggregator(dying(4), 100).step()).rejects.toThrow('killed');
  const [{ hours } = { hours: NaN }] = await dataSource.query<Array<{ hours: number }>>(
    'SELECT hours_until::float8 AS hours FROM rollup_state',
  );
  expect([hours, await closed()]).toEqual([0, Math.floor((origin + 2 * hour - 50) / hour) * hour]);
  await new Aggregator(dataSource, 60_000).run();
  const until = origin + 2 * hour;
  expect(await closed()).toBe(until);
  await dataSource.query('UPDATE test_clock SET now = $1', [origin + hour]);
  await Promise.all([new Aggregator(dataSource, 60_000).run(), new Aggregator(dataSource, 60_000).run()]);
  expect(await closed()).toBe(until);
});

/** Log rows of a range, and how many of them were read one by one. */
async function total(range: { from: number; end: number }): Promise<{ entries: number; rows: number }> {
  return readSnapshot(dataSource, async (transaction, state) => {
    await compare(transaction, state, range);
    const from = (only?: 'rows'): string =>
      logFrom({ range, columns: ['type'], condition: 'type = 2', only }, state) ?? '';
    const [row] = await transaction.query<Array<{ entries: number; rows: number }>>(
      `SELECT (SELECT sum(entries)::int FROM ${from()}) AS entries,
              (SELECT coalesce(sum(entries), 0)::int FROM ${from('rows')}) AS rows`,
    );
    return row ?? { entries: NaN, rows: NaN };
  });
}

it('keeps usage of five minutes for 48 hours', async () => {
  await reset();
  const now = origin;
  for (const ago of [0, 47 * hour, 50 * hour]) {
    await settle(dataSource, { at: now - ago, user: 1, model: 'm1', channel: 1, quota: 5, logged: true });
  }
  await fail(now, 1);
  const starts = async (): Promise<number[]> => {
    const rows = await dataSource.query<Array<{ ago: number }>>(
      'SELECT ($1 - start)::int AS ago FROM usage_five_minutes ORDER BY start DESC',
      [now],
    );
    return rows.map(({ ago }) => ago);
  };
  expect(await starts()).toEqual([0, 47 * hour, 50 * hour]);
  for (const ago of [0, 91 * 24 * hour, 91 * 24 * hour + 1]) {
    await dataSource.query(`INSERT INTO model_failures VALUES ($1, 'm1', 'default', 'TIMEOUT', 1, $1)`, [now - ago]);
  }
  await dropOldUsage(dataSource, now);
  const failures = await dataSource.query<unknown[]>('SELECT 1 FROM model_failures');
  expect(failures).toHaveLength(2);
  expect(await starts()).toEqual([0, 47 * hour]);
});

it('deletes failed attempts beyond their number, refused requests first', async () => {
  await dataSource.query(
    `INSERT INTO failed_attempts (at, request_id, user_id, channel_id, key_ending, model, kind, error, attempts)
       SELECT now(), 'r' || n, 1, 1, '', 'm1', CASE WHEN n > 50 THEN 'REQUEST' ELSE 'TIMEOUT' END, '', 1
         FROM generate_series(1, 200100) n`,
  );
  await dropOldUsage(dataSource, Math.floor(Date.now() / 1000));
  const rows = await dataSource.query<unknown[]>(
    'SELECT kind, count(*)::int FROM failed_attempts GROUP BY kind ORDER BY kind',
  );
  await dataSource.query('DELETE FROM failed_attempts');
  expect(rows).toEqual([
    { kind: 'REQUEST', count: 199_950 },
    { kind: 'TIMEOUT', count: 50 },
  ]);
});

it('keeps recent usage, however far the clock of the node is ahead', async () => {
  await reset();
  const now = Math.floor(Date.now() / 1000);
  await settle(dataSource, { at: now, user: 1, model: 'm1', channel: 1, quota: 5, logged: true });
  await dropOldUsage(dataSource, now + 365 * day);
  expect(await dataSource.query('SELECT 1 FROM usage_five_minutes')).toHaveLength(1);
});
