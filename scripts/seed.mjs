/**
 * `npm run seed -- --logs 1000000 [--days 30] [--users 1000] [--models 20] [--even]`: fills the database at
 * DATABASE_URL with the ENCRYPTION_KEY of its server, else the embedded one of the server that runs on DATA_DIR, with a site in
 * use, for a first look, benchmarks and screenshots: channels with costs, calls with receipts, failures, top-ups, and alerts
 * of the past. A database with users of its own is refused. Few logs have fewer users, unless `--users` is
 * given. `--even`: in every other call, users and models alternate from the first second to the last, so that few calls
 * contain all of them every hour. The schema must exist: start the server once. The ledger is consistent afterwards
 * (`npm run reconcile`), because balances, counters, usage and log are written from the same rows. The rollups are left
 * to the server.
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { seededModels } from './seed-models.mjs';
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
/** The key of every channel is long enough to show its last characters. */
const upstreamKeySealed = sealed('invented-upstream-a7f3', site.encryptionKey);
const upstreamKeyEnding = 'a7f3';
const firstName = (n) =>
  `(ARRAY['Ada', 'Grace', 'Linus', 'Mira', 'Noor', 'Otto', 'Yuki', 'Zhang', 'Ines', 'Kofi', 'Lena'])[1 + (${n}) % 11]`;

/** Upper bounds of the buckets of durations, in milliseconds (shared/latency.ts). */
const durationBounds = [
  ...[50, 100, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000, 7500, 10_000, 15_000, 20_000, 30_000, 45_000, 60_000],
  ...[90_000, 120_000, 180_000, 300_000, 600_000],
];
const served = seededModels(models);
const quotaPerUsd = 500_000;
/** Milliseconds of a call, and in a stream of its first token. */
const durations = '(300 + power(random(), 2) * 1500)::integer AS first_ms, (4 + random() * 9)::float8 AS token_ms';

/** The details of a charged call: the lines of its receipt, and what it cost (docs/reference/relay/usage-log.md). */
const chargedDetails = `concat('{"model_ratio":', trim_scale(input / 2), ',"completion_ratio":', trim_scale(round(output / input, 6)),
  ',"model_price":-1,"cache_ratio":', trim_scale(round("cachedInput" / input, 6)), ',"group_ratio":1,"price_card":', to_json(name),
  ',"components":[["input",', p - cached, ',', input, ']', CASE WHEN cached > 0 THEN concat(',["cachedInput",', cached, ',', "cachedInput", ']') END,
  ',["output",', c, ',', output, ']],"cache_tokens":', cached, ',"frt":', CASE WHEN is_stream THEN first_ms ELSE -1000 END,
  ',"duration_ms":', ms, ',"group":', to_json("group"), ',"request_path":', to_json(path), ',"admin_info":{"use_channel":[', tried,
  '],"upstream_cost":', trim_scale(round(microdollars * factor * 1000) / 1000000000), ',"cost_basis":"list","cost_card":', to_json(name),
  ',"cost_factor":', factor, '}}')`;

const failures = `(VALUES (0, 429, 'rate_limit_exceeded', 'Rate limit reached for requests', 'RATE_LIMITED'),
  (1, 503, 'overloaded', 'The model is currently overloaded', 'SERVER_ERROR'),
  (2, 500, 'server_error', 'The server had an error while processing your request', 'SERVER_ERROR'),
  (3, 401, 'invalid_api_key', 'Incorrect API key provided', 'REFUSED')) AS failures (f, status, code, message, kind)`;

const failedDetails = `concat('{"error_type":"upstream_error","error_code":', to_json(code), ',"status_code":', status, ',"request_path":', to_json(path),
  ',"duration_ms":', ms, ',"admin_info":{"use_channel":[', tried, ']}}')`;

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
  await book(run, owners, end - days * daySeconds);
  await noteTrouble(owners, end);
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
    `WITH made AS (INSERT INTO users (username, display_name, "group", created_at)
       SELECT 'seed-' || $1::text || '-' || n,
              ${firstName('n')} || ' ' || (ARRAY['Abel', 'Berg', 'Costa', 'Diaz', 'Evans', 'Fischer', 'Gupta', 'Haas', 'Ito', 'Jansen', 'Kim', 'Lopez', 'Meyer'])[1 + n % 13],
              (ARRAY['default', 'default', 'default', 'vip', 'svip'])[1 + n % 5],
              to_timestamp($3::bigint - $4::bigint * ($2 - n + 1) / $2)
         FROM generate_series(1, $2) n RETURNING id) SELECT min(id) AS id FROM made`,
    [run, users, begin, days * daySeconds],
  );
  await client.query(
    `UPDATE users SET username = 'seed-' || lower(split_part(display_name, ' ', 1)) || '-' || id
      WHERE id >= $1::integer AND id < $1::integer + $2::integer`,
    [from, users],
  );
  const tokens = await first(
    `WITH made AS (INSERT INTO tokens (user_id, key_hash, key_prefix, key_sealed, name, created_at, unlimited_quota)
       SELECT $2::integer + n / 2, sha256(convert_to($1::text || n, 'UTF8')), 'seed', $4, 'key ' || n, to_timestamp(at), true
         FROM generate_series(0, $3 - 1) n
         JOIN (SELECT id, ceil(extract(epoch FROM created_at))::bigint AS at FROM users) u ON u.id = $2::integer + n / 2
        ORDER BY n RETURNING id) SELECT min(id) AS id FROM made`,
    [run, from, users * 2, keySealed],
  );
  // In the order of `served`: the ids of one statement are consecutive.
  const channels = await first(
    `WITH made AS (INSERT INTO channels (type, name, tag, base_url, models, groups, cost, key_sealed, created_at, tested_at,
                                         response_time, weight)
       SELECT c.type, c.name, c.tag, c."baseUrl", c.models, '{default,vip,svip}', json_build_object('factor', m.factor, 'cards', '{}'::json),
              $2, to_timestamp($3), now() - (n * 7 % 50) * interval '1 minute', 240 + n * 137 % 1900, 1 + n % 5 * 10
         FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS listed (model, n),
              jsonb_to_record(model) AS m (factor numeric, channel jsonb),
              jsonb_to_record(channel) AS c (type integer, name text, tag text, "baseUrl" text, models text[])
        ORDER BY n RETURNING id) SELECT min(id) AS id FROM made`,
    [JSON.stringify(served), upstreamKeySealed, begin - days * daySeconds],
  );
  await client.query(
    `CREATE TEMPORARY TABLE served AS SELECT n - 1 AS m, model.* FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS listed (one, n),
       jsonb_to_record(one) AS model (name text, input numeric, "cachedInput" numeric, output numeric, factor numeric, failures float8, path text)`,
    [JSON.stringify(served)],
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
 * one key for most calls and a second one; each key has a favourite among its four models; calls of a model go to one
 * channel. With `--even` this applies to every other call.
 */
async function makeLogs(run, { from, tokens, channels }, { name, isApart }, { low, high, first, last }) {
  await client.query(
    `INSERT INTO ${isApart ? name : 'logs'} (created_at, request_id, type, user_id, username, token_id, token_name, channel_id,
                       model_name, "group", quota, prompt_tokens, completion_tokens, use_time, is_stream, content, other)
     SELECT at, 'seed' || $1::text || n, CASE WHEN failed THEN 6 ELSE 2 END, $2::integer + u,
            'seed-' || lower(${firstName('u + 1')}) || '-' || ($2::integer + u), $3::integer + u * 2 + k, 'key ' || (u * 2 + k), $4::integer + m, name, "group",
            CASE WHEN failed THEN 0 ELSE round(microdollars * ${quotaPerUsd / 1_000_000}) END,
            CASE WHEN failed THEN 0 ELSE p END, CASE WHEN failed THEN 0 ELSE c END, round(ms / 1000.0), is_stream,
            CASE WHEN failed THEN message ELSE 'price card ' || name || ', group ratio 1.00' END,
            CASE WHEN failed THEN ${failedDetails} ELSE ${chargedDetails} END
       FROM (SELECT *, (p - cached) * input + cached * "cachedInput" + c * output AS microdollars,
                    CASE WHEN failed THEN first_ms ELSE first_ms + (c * token_ms)::integer END AS ms,
                    -- Another channel was tried before some calls were answered.
                    CASE WHEN n % 31 = 0 THEN '"' || ($4::integer + (m + 1) % $10::integer) || '",' ELSE '' END || '"' || ($4::integer + m) || '"' AS tried,
                    (ARRAY['default', 'default', 'default', 'vip', 'svip'])[1 + (u + 1) % 5] AS "group"
               FROM (SELECT placed.*, served.*, lot < failures AS failed, CASE WHEN lot * 20 - floor(lot * 20) < 0.4 THEN p * 3 / 5 ELSE 0 END AS cached
                       FROM (SELECT n, at, u, k, CASE WHEN takes_turns THEN n / 2 / $5::integer
                                      ELSE u * 7 + k * 3 + floor(power(random(), 3) * 4)::integer * $11::integer END % $10::integer AS place,
                                    p, c, first_ms, token_ms, lot, n % 3 <> 0 AS is_stream
                               FROM (SELECT n, takes_turns,
                                            $6::bigint + floor(CASE WHEN takes_turns THEN (n - 0.5 - $7::bigint) / ($8::bigint - $7::bigint)
                                              ELSE mod(((random() + random()) / 2 + 0.5)::numeric, 1) END * ($9::bigint - $6::bigint))::bigint AS at,
                                            CASE WHEN takes_turns THEN n / 2 % $5::integer ELSE floor(power(random(), 3) * $5::integer)::integer END AS u,
                                            (random() < 0.2)::integer AS k,
                                            (150 + power(random(), 3) * 9000)::integer AS p, (20 + power(random(), 2) * 1400)::integer AS c,
                                            ${durations}, random() AS lot
                                       FROM (SELECT n, $12::boolean AND n % 2 = 0 AS takes_turns FROM generate_series($7::bigint + 1, $8::bigint) n) called) drawn) placed
                       JOIN served ON served.m = placed.place) priced) known
       JOIN ${failures} ON f = n % 4
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
  const bucketsOf = (place, condition) =>
    `ARRAY[${[...durationBounds, null].map((_, n) => `count(*) FILTER (WHERE ${condition} AND ${place} = ${n})`).join(', ')}]`;
  // Once per call: each of the buckets compares the result.
  const placeOf = (milliseconds) => `width_bucket(${milliseconds} - 1, ARRAY[${durationBounds.join(', ')}]::bigint[])`;
  const measures = [
    ['calls', 'count(*) FILTER (WHERE type = 2)'],
    ['stream_calls', 'count(*) FILTER (WHERE type = 2 AND is_stream)'],
    ['failed_calls', 'count(*) FILTER (WHERE type = 6)'],
    ['prompt_tokens', 'sum(prompt_tokens)'],
    ['completion_tokens', 'sum(completion_tokens)'],
    ['cached_tokens', 'coalesce(sum(cached), 0)'],
    ['quota', 'sum(quota)'],
    ['logged_calls', 'count(*) FILTER (WHERE type = 2)'],
    ['logged_quota', 'sum(quota)'],
    ['duration_ms', 'coalesce(sum(ms) FILTER (WHERE type = 2), 0)'],
    ['duration_buckets', bucketsOf('duration', 'type = 2')],
    ['first_token_buckets', bucketsOf('first_token', 'first_ms > 0')],
    ['cost_calls', 'count(cost)'],
    ['cost_quota', 'coalesce(sum(quota) FILTER (WHERE cost IS NOT NULL), 0)'],
    ['cost_nano_usd', 'coalesce(sum(cost) * 1e9, 0)'],
  ];
  await client.query(
    `INSERT INTO ${table} (${[time, ...keys, ...measures.map(([name]) => name)].join(', ')})
     SELECT created_at - created_at % ${seconds}, ${keys.join(', ')}, ${measures.map(([, sum]) => sum).join(', ')}
       FROM (SELECT *, ${placeOf('ms')} AS duration, ${placeOf('first_ms')} AS first_token
               FROM (SELECT *, (details ->> 'duration_ms')::bigint AS ms, (details ->> 'frt')::bigint AS first_ms,
                            (details ->> 'cache_tokens')::bigint AS cached, (details #>> '{admin_info,upstream_cost}')::numeric AS cost
                       FROM (SELECT *, other::jsonb AS details FROM logs
                              WHERE user_id >= $1 AND user_id < $1 + $2 AND created_at >= $3 AND created_at < $4 OFFSET 0) logged
                     OFFSET 0) called OFFSET 0) counted
      GROUP BY ${[1, ...keys.map((_, index) => index + 2)].join(', ')} ORDER BY 1`,
    [from, users, low, high],
  );
}

/**
 * Top-ups, balances and counters as the payments and the settlements of these calls would have left them, and an opening
 * entry that covers the rest.
 */
async function book(run, { from }, begin) {
  await client.query('BEGIN');
  await client.query(
    `INSERT INTO top_up_orders (user_id, trade_no, provider, merchant_id, payment_method, quota, money, currency, status, created_at, paid_at)
     SELECT u, 'SEED' || upper($1::text) || u || 'N' || k, 'epay', '1001', (ARRAY['alipay', 'wxpay'])[1 + (u + k) % 2], usd * ${quotaPerUsd}, usd * 720, 'CNY',
            CASE WHEN paid THEN 'success' ELSE 'pending' END, at, CASE WHEN paid THEN at + interval '40 seconds' END
       FROM (SELECT u, k, (ARRAY[5, 5, 10, 10, 20, 20, 50])[1 + (u * 3 + k) % 7] AS usd, (u + k * 5) % 12 > 0 AS paid,
                    to_timestamp($4::bigint + (u * 7919 + k * 104729) % $5::bigint) AS at
               FROM generate_series($2::bigint, $2::bigint + $3::bigint - 1) u, generate_series(1, (u % 4)::integer) k) ordered ORDER BY at`,
    [run, from, users, begin, days * daySeconds - 60],
  );
  await client.query(
    `SELECT ledger_post('epay:' || trade_no, 'top_up', 'user', user_id, 0, quota, 0, '', NULL)
       FROM top_up_orders WHERE user_id >= $1 AND user_id < $1 + $2 AND status = 'success' ORDER BY user_id, id`,
    [from, users],
  );
  await client.query(
    `UPDATE ledger_entries e SET created_at = o.paid_at FROM top_up_orders o
      WHERE o.user_id >= $1 AND o.user_id < $1 + $2 AND e.source = 'epay:' || o.trade_no`,
    [from, users],
  );
  await client.query(
    `SELECT ledger_post('opening:user:' || u.id, 'opening', 'user', u.id, 0, greatest(coalesce(s.quota, 0)::bigint + 5000000 - u.quota, 0), 0, 'seed', NULL)
       FROM users u LEFT JOIN (SELECT user_id, sum(quota) AS quota FROM usage_hourly GROUP BY 1) s ON s.user_id = u.id
      WHERE u.id >= $1 AND u.id < $1 + $2 ORDER BY u.id`,
    [from, users],
  );
  await client.query(
    `UPDATE ledger_entries e SET created_at = u.created_at FROM users u
      WHERE u.id >= $1 AND u.id < $1 + $2 AND e.source = 'opening:user:' || u.id`,
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

/** Failed attempts of the last days, for the health and the pages of channels, and alerts that have ended. */
async function noteTrouble({ from, channels }, end) {
  await client.query(
    `INSERT INTO channel_failures (start, channel_id, kind, attempts, last_at, last_model, last_error)
     SELECT created_at - created_at % 300, channel_id, kind, count(*), max(created_at), max(model_name), max('status ' || status || ': ' || message)
       FROM logs JOIN ${failures} ON message = content
      WHERE type = 6 AND user_id >= $1 AND user_id < $1 + $2 AND created_at >= $3 GROUP BY 1, 2, 3`,
    [from, users, end - 2 * daySeconds],
  );
  await client.query(
    `INSERT INTO failed_attempts (at, request_id, user_id, channel_id, key_ending, model, kind, status, error)
     SELECT to_timestamp(created_at), request_id, user_id, channel_id, $4, model_name, kind, status, 'status ' || status || ': ' || message
       FROM logs JOIN ${failures} ON message = content
      WHERE type = 6 AND user_id >= $1 AND user_id < $1 + $2 AND created_at >= $3 ORDER BY created_at`,
    [from, users, end - 7 * daySeconds, upstreamKeyEnding],
  );
  await client.query(
    `INSERT INTO alerts (kind, channel_id, facts, opened_at, ended_at)
     SELECT kind, id, facts || jsonb_build_object('channelName', name), to_timestamp($2 - ago), to_timestamp($2 - ago + lasted)
       FROM (VALUES (0, 'ERROR_RATE', '{"calls": 64, "failedCalls": 41, "threshold": 50}'::jsonb, 93600, 1500),
                    (1, 'CHANNEL_BALANCE_LOW', '{"balance": 3.18, "threshold": 5}', 50400, 5400),
                    (2, 'CHANNEL_DISABLED', '{"reason": "401 Incorrect API key provided"}', 21600, 2700)) AS past (n, kind, facts, ago, lasted)
       JOIN channels ON channels.id = $1::integer + past.n AND past.n < $3::integer`,
    [channels, end, models],
  );
}

function whole(text, name) {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) fail(`--${name} must be a whole number above 0`);
  return value;
}
