/**
 * `npm run seed -- --logs 1000000 [--days 30] [--users 1000] [--models 20] [--even]`: fills the database at
 * DATABASE_URL with the ENCRYPTION_KEY of its server, else the embedded one of the server that runs on DATA_DIR, with realistic calls, for a first look,
 * benchmarks and screenshots. A database with users of its own is refused. Few logs have fewer users, unless `--users` is
 * given. `--even`: in every other call, users and models alternate from the first second to the last, so that few calls
 * contain all of them every hour. The schema must exist: start the server once. The ledger is consistent afterwards
 * (`npm run reconcile`), because balances, counters, usage and log are written from the same rows. The rollups are left
 * to the server.
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { fail, findSite, refuseOtherKey, sealed } from './seed-site.mjs';

const { values } = parseArgs({
  options: {
    logs: { type: 'string', default: '10000' },
    days: { type: 'string', default: '30' },
    users: { type: 'string' },
    models: { type: 'string', default: '20' },
    even: { type: 'boolean', default: false },
  },
});
const logs = whole(values.logs, 'logs');
const days = whole(values.days, 'days');
const users = whole(values.users ?? String(Math.min(1000, Math.max(10, Math.round(logs / 10)))), 'users');
const models = whole(values.models, 'models');
const site = findSite();
const keySealed = sealed('invented', site.encryptionKey);

/** The seconds that belong to each bucket of `duration_buckets` (shared/latency.ts). */
const none = 'FALSE';
const buckets = [
  ...[none, none, none, none, 'use_time = 0', none, 'use_time = 1', none, 'use_time = 2', 'use_time = 3'],
  ...['use_time IN (4, 5)', 'use_time IN (6, 7)', 'use_time BETWEEN 8 AND 10', 'use_time BETWEEN 11 AND 15'],
  ...['use_time BETWEEN 16 AND 20', 'use_time BETWEEN 21 AND 30', 'use_time > 30'],
];
/** Distance between the four models of a key. */
const favouriteStep = Math.max(1, Math.round(models / 4));
const daySeconds = 86_400;
const client = new pg.Client({ connectionString: site.url, application_name: 'tollgate-seed' });
try {
  await client.connect();
  await refuseUsed();
  await refuseOtherKey(client, site);
} catch (error) {
  fail(error.message);
}
try {
  const began = Date.now();
  await client.query("SET synchronous_commit = off; SET work_mem = '256MB'; SET maintenance_work_mem = '512MB'");
  await client.query(`SELECT logs_ensure_partitions(now() - make_interval(days => $1), $2)`, [
    days + 1,
    Math.ceil(days / 28) + 1,
  ]);
  const run = Date.now().toString(36);
  const end = Math.floor(began / 1000);
  const owners = await makeOwners(run, end - days * daySeconds);
  await client.query('BEGIN');
  const loaders = await openMonths(end - days * daySeconds, end);
  for (let day = 0; day < days; day++) {
    const [first, last] = [Math.round((logs * day) / days), Math.round((logs * (day + 1)) / days)];
    const begin = end - (days - day) * daySeconds;
    let done = first;
    for (const month of loaders) {
      const [low, high] = [Math.max(begin, month.low), Math.min(begin + daySeconds, month.high)];
      if (low >= high) continue;
      // The part of the day that is in this month, and its share of the rows.
      const until =
        high === begin + daySeconds ? last : first + Math.round(((last - first) * (high - begin)) / daySeconds);
      await makeLogs(run, owners, month, { low, high, first: done, last: until });
      done = until;
    }
    console.log(`${last} of ${logs} log rows`);
  }
  for (const month of loaders) await closeMonth(month);
  // Months that were filled as separate tables bypassed the triggers that invalidate the rollups of a running server.
  await client.query(
    'INSERT INTO rollup_invalidated (start) SELECT DISTINCT created_at - created_at % 300 FROM logs WHERE created_at >= $1 ON CONFLICT DO NOTHING',
    [end - days * daySeconds],
  );
  await client.query('COMMIT');
  for (let day = 0; day < days; day++) await sumUp(owners, end - (days - day) * daySeconds, day === days - 1);
  await book(owners);
  await client.query('ANALYZE');
  console.log(`done in ${((Date.now() - began) / 1000).toFixed(1)} s`);
} finally {
  await client.end();
}

/** Invented calls look like real ones and stay in the statistics of the site for good. */
async function refuseUsed() {
  const { rows: tables } = await client.query("SELECT to_regclass('users') AS users");
  if (!tables[0].users) fail('the database is empty: start a server on it once, which creates the tables');
  const { rows } = await client.query(
    "SELECT count(*) AS count FROM users WHERE role <> 'root' AND username NOT LIKE 'seed-%'",
  );
  if (rows[0].count !== '0') fail(`the database has users of its own (${rows[0].count}): use another one`);
}

/**
 * Creates users with two keys each, and a channel per model. Returns the first id of each; the ids of one run are
 * consecutive. The users signed up one after the other in as many days before the calls as there are days of calls.
 * @param begin time of the first call, Unix seconds
 */
async function makeOwners(run, begin) {
  const first = async (sql, parameters) => Number((await client.query(sql, parameters)).rows[0].id);
  const from = await first(
    `WITH made AS (INSERT INTO users (username, "group", created_at)
       SELECT 'seed-' || $1::text || '-' || n, (ARRAY['default', 'default', 'default', 'vip', 'svip'])[1 + n % 5],
              to_timestamp($3::bigint - $4::bigint * ($2 - n + 1) / $2)
         FROM generate_series(1, $2) n RETURNING id) SELECT min(id) AS id FROM made`,
    [run, users, begin, days * daySeconds],
  );
  const tokens = await first(
    `WITH made AS (INSERT INTO tokens (user_id, key_hash, key_prefix, key_sealed, name, created_at, unlimited_quota)
       SELECT $2::integer + n / 2, sha256(convert_to($1::text || n, 'UTF8')), 'seed', $4, 'key ' || n, to_timestamp(at), true
         FROM generate_series(0, $3 - 1) n
         JOIN (SELECT id, ceil(extract(epoch FROM created_at))::bigint AS at FROM users) u ON u.id = $2::integer + n / 2
        ORDER BY n RETURNING id) SELECT min(id) AS id FROM made`,
    [run, from, users * 2, keySealed],
  );
  const channels = await first(
    `WITH made AS (INSERT INTO channels (type, name, key_sealed, status, created_at, models)
       SELECT 1, 'seed ' || n, $2, 'disabled', to_timestamp($3), '{gpt-4o}' FROM generate_series(1, $1) n RETURNING id)
     SELECT min(id) AS id FROM made`,
    [models, keySealed, begin - days * daySeconds],
  );
  return { from, tokens, channels };
}

/**
 * The months of the range, each with the table of its rows. An empty month is filled as a separate table and attached
 * afterwards: building its indexes at once is several times faster than row by row.
 */
async function openMonths(from, to) {
  const { rows } = await client.query(
    `SELECT c.relname AS name, substring(pg_get_expr(c.relpartbound, c.oid) FROM 'FROM \\(''?(\\d+)') AS low,
            substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \\(''?(\\d+)') AS high
       FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'logs'::regclass ORDER BY 1`,
  );
  const months = rows
    .filter(({ low }) => low !== null)
    .map(({ name, low, high }) => ({ name, low: Number(low), high: Number(high) }))
    .filter(({ low, high }) => low <= to && high > from);
  for (const month of months) {
    const found = await client.query(`SELECT 1 FROM ${month.name} LIMIT 1`);
    month.isApart = found.rowCount === 0;
    if (month.isApart) {
      await client.query(`DROP TABLE ${month.name}; CREATE TABLE ${month.name} (LIKE logs INCLUDING DEFAULTS)`);
    }
  }
  return months;
}

async function closeMonth({ name, low, high, isApart }) {
  if (isApart) await client.query(`ALTER TABLE logs ATTACH PARTITION ${name} FOR VALUES FROM (${low}) TO (${high})`);
}

/**
 * Creates one day in order of time, with a busy and a quiet half; now is busy. A few users make most calls; a user has
 * one key for most calls and a second one; each key has a favourite among its four models; a model is served by one
 * channel. Two of a hundred calls fail. With `--even` this applies to every other call.
 */
async function makeLogs(run, { from, tokens, channels }, { name, isApart }, { low, high, first, last }) {
  await client.query(
    `INSERT INTO ${isApart ? name : 'logs'} (created_at, request_id, type, user_id, username, token_id, token_name, channel_id,
                       model_name, "group", quota, prompt_tokens, completion_tokens, use_time, is_stream, content, other)
     SELECT at, 'seed' || $1::text || n, CASE WHEN failed THEN 6 ELSE 2 END, $2::integer + u,
            'seed-' || $1::text || '-' || (u + 1), $3::integer + u * 2 + k, 'key ' || (u * 2 + k), $4::integer + m, 'model-' || m,
            (ARRAY['default', 'default', 'default', 'vip', 'svip'])[1 + (u + 1) % 5],
            CASE WHEN failed THEN 0 ELSE p + c * 4 END, CASE WHEN failed THEN 0 ELSE p END, CASE WHEN failed THEN 0 ELSE c END,
            d / 1000, n % 3 = 0,
            CASE WHEN failed THEN 'the upstream answered 500' ELSE 'model ratio 1.25, completion ratio 4.00, group ratio 1.00' END,
            CASE WHEN failed THEN '{"status_code":500}' ELSE '{"model_ratio":1.25,"group_ratio":1,"completion_ratio":4,"model_price":-1,"frt":420,"admin_info":{"use_channel":["1"]}}' END
       FROM (SELECT n, at, u, k, CASE WHEN takes_turns THEN n / 2 / $5::integer ELSE u * 7 + k * 3 + floor(power(random(), 3) * 4)::integer * $11::integer END
                      % $10::integer AS m, p, c, d, failed
               FROM (SELECT n, takes_turns,
                            $6::bigint + floor(CASE WHEN takes_turns THEN (n - 0.5 - $7::bigint) / ($8::bigint - $7::bigint)
                              ELSE mod(((random() + random()) / 2 + 0.5)::numeric, 1) END * ($9::bigint - $6::bigint))::bigint AS at,
                            CASE WHEN takes_turns THEN n / 2 % $5::integer ELSE floor(power(random(), 3) * $5::integer)::integer END AS u,
                            (random() < 0.2)::integer AS k,
                            (random() * 2000)::integer AS p, (random() * 800)::integer AS c,
                            (200 + power(random(), 4) * 30000)::integer AS d, random() < 0.02 AS failed
                       FROM (SELECT n, $12::boolean AND n % 2 = 0 AS takes_turns FROM generate_series($7::bigint + 1, $8::bigint) n) called) drawn) placed
      ORDER BY at`,
    [run, from, tokens, channels, users, low, first, last, high, models, favouriteStep, values.even],
  );
}

/**
 * Counts a day's log rows as settlements and failures would have: the hours that begin in it, and the last two days by
 * five minutes.
 */
async function sumUp({ from }, begin, isLast) {
  const hourOf = (moment) => moment - (moment % 3600);
  const [low, high] = [hourOf(begin), isLast ? begin + 2 * daySeconds : hourOf(begin + daySeconds)];
  await count(
    'usage_hourly',
    'hour',
    3600,
    ['user_id', 'token_id', 'channel_id', 'model_name', '"group"'],
    from,
    low,
    high,
  );
  const recent = Math.floor(Date.now() / 1000) - 2 * daySeconds;
  if (high > recent) {
    const start = Math.max(low, recent - (recent % 300));
    await count('usage_five_minutes', 'start', 300, ['channel_id', 'model_name'], from, start, high);
  }
}

async function count(table, time, seconds, keys, from, low, high) {
  const measures = [
    ['calls', 'count(*) FILTER (WHERE type = 2)'],
    ['stream_calls', 'count(*) FILTER (WHERE type = 2 AND is_stream)'],
    ['failed_calls', 'count(*) FILTER (WHERE type = 6)'],
    ['prompt_tokens', 'sum(prompt_tokens)'],
    ['completion_tokens', 'sum(completion_tokens)'],
    ['quota', 'sum(quota)'],
    ['logged_calls', 'count(*) FILTER (WHERE type = 2)'],
    ['logged_quota', 'sum(quota)'],
    ['duration_ms', 'coalesce(sum(use_time) FILTER (WHERE type = 2), 0) * 1000'],
    [
      'duration_buckets',
      `ARRAY[${buckets.map((bucket) => `count(*) FILTER (WHERE type = 2 AND ${bucket})`).join(', ')}]`,
    ],
    // 420 ms: the fifth bucket.
    ['first_token_buckets', 'ARRAY[0, 0, 0, 0, count(*) FILTER (WHERE type = 2 AND is_stream)]'],
  ];
  await client.query(
    `INSERT INTO ${table} (${[time, ...keys, ...measures.map(([name]) => name)].join(', ')})
     SELECT created_at - created_at % ${seconds}, ${keys.join(', ')}, ${measures.map(([, sum]) => sum).join(', ')}
       FROM logs WHERE user_id >= $1 AND user_id < $1 + $2 AND created_at >= $3 AND created_at < $4
      GROUP BY ${[1, ...keys.map((_, index) => index + 2)].join(', ')} ORDER BY 1`,
    [from, users, low, high],
  );
}

/**
 * Balances and counters as the settlements of these calls would have left them, and an opening entry that covers them.
 */
async function book({ from }) {
  await client.query('BEGIN');
  await client.query(
    `SELECT ledger_post('opening:user:' || u.id, 'opening', 'user', u.id, 0, coalesce(s.quota, 0)::bigint + 5000000, 0, 'seed', NULL)
       FROM users u LEFT JOIN (SELECT user_id, sum(quota) AS quota FROM usage_hourly GROUP BY 1) s ON s.user_id = u.id
      WHERE u.id >= $1 AND u.id < $1 + $2 ORDER BY u.id`,
    [from, users],
  );
  // In place of the settlements of these calls.
  for (const [table, key, extra] of [
    ['users', 'user_id', ', quota = x.quota - s.quota, request_count = s.calls'],
    ['tokens', 'token_id', ', remain_quota = x.remain_quota - s.quota'],
    ['channels', 'channel_id', ''],
  ]) {
    await client.query(
      `UPDATE ${table} x SET used_quota = s.quota ${extra}
         FROM (SELECT ${key} AS id, sum(quota)::bigint AS quota, sum(calls)::bigint AS calls FROM usage_hourly
                WHERE user_id >= $1 AND user_id < $1 + $2 GROUP BY 1) s WHERE x.id = s.id AND x.used_quota = 0`,
      [from, users],
    );
  }
  await client.query(
    `UPDATE tokens x SET last_used_at = to_timestamp(l.last)
       FROM (SELECT token_id, max(created_at) AS last FROM logs WHERE type = 2 AND user_id >= $1 AND user_id < $1 + $2 GROUP BY 1) l
      WHERE l.token_id = x.id`,
    [from, users],
  );
  await client.query('COMMIT');
}

function whole(text, name) {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) fail(`--${name} must be a whole number above 0`);
  return value;
}
