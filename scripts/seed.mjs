/**
 * `npm run seed -- --logs 1000000 [--days 30]`: fills the database at DATABASE_URL with calls that could have been made,
 * for benchmarks and screenshots. The schema has to be there: start the server once. The books add up afterwards
 * (`npm run reconcile`), because balances, counters, hourly usage and log are written from the same rows.
 */
import { parseArgs } from 'node:util';
import pg from 'pg';

const { values } = parseArgs({
  options: { logs: { type: 'string', default: '10000' }, days: { type: 'string', default: '30' } },
});
const logs = whole(values.logs, 'logs');
const days = whole(values.days, 'days');
const url = process.env.DATABASE_URL;
if (!url) fail('set DATABASE_URL to the database that is to be filled');

const users = Math.min(1000, Math.max(10, Math.round(logs / 1000)));
const rowsPerStep = 200_000;
const client = new pg.Client({ connectionString: url, application_name: 'tollgate-seed' });
await client.connect();
try {
  const began = Date.now();
  await client.query('SET synchronous_commit = off');
  await client.query(`SELECT logs_ensure_partitions(now() - make_interval(days => $1), $2)`, [
    days + 1,
    Math.ceil(days / 28) + 1,
  ]);
  const run = Date.now().toString(36);
  const { from, tokens, channels } = await makeOwners(run);
  for (let done = 0; done < logs; done += rowsPerStep) {
    await makeLogs(run, from, tokens, channels, done, Math.min(rowsPerStep, logs - done));
    console.log(`${Math.min(done + rowsPerStep, logs)} of ${logs} log rows`);
  }
  await book(run, from);
  await client.query('ANALYZE');
  console.log(`done in ${((Date.now() - began) / 1000).toFixed(1)} s`);
} finally {
  await client.end();
}

/** Users with two keys each, and channels. Answers the first id of each; ids of one run follow each other. */
async function makeOwners(run) {
  const first = async (sql, parameters) => Number((await client.query(sql, parameters)).rows[0].id);
  const from = await first(
    `WITH made AS (INSERT INTO users (username, "group")
       SELECT 'seed-' || $1::text || '-' || n, (ARRAY['default', 'default', 'default', 'vip', 'svip'])[1 + n % 5]
         FROM generate_series(1, $2) n RETURNING id) SELECT min(id) AS id FROM made`,
    [run, users],
  );
  const tokens = await first(
    `WITH made AS (INSERT INTO tokens (user_id, key_hash, key_prefix, key_sealed, name, created_time, accessed_time, unlimited_quota)
       SELECT $2::integer + n / 2, sha256(convert_to($1::text || n, 'UTF8')), 'seed', '', 'key ' || n, 0, 0, true
         FROM generate_series(0, $3 - 1) n RETURNING id) SELECT min(id) AS id FROM made`,
    [run, from, users * 2],
  );
  const channels = await first(
    `WITH made AS (INSERT INTO channels (type, name, key_sealed, status, created_time, models)
       SELECT 1, 'seed ' || n, '', 2, 0, 'gpt-4o' FROM generate_series(1, 20) n RETURNING id)
     SELECT min(id) AS id FROM made`,
  );
  return { from, tokens, channels };
}

/** A few users call most; each key uses four of twenty models; a model is served by one channel. */
async function makeLogs(run, from, tokens, channels, done, count) {
  await client.query(
    `INSERT INTO logs (created_at, request_id, type, user_id, username, token_id, token_name, channel_id, model_name, "group",
                       quota, prompt_tokens, completion_tokens, use_time, is_stream, content, other)
     SELECT extract(epoch FROM now())::bigint - (random() * $7 * 86400)::bigint, 'seed' || $1::text || n, 2, $2::integer + u,
            'seed-' || $1::text || '-' || (u + 1), $3::integer + u * 2 + k, 'key ' || (u * 2 + k), $4::integer + m, 'model-' || m,
            (ARRAY['default', 'default', 'default', 'vip', 'svip'])[1 + (u + 1) % 5],
            p + c * 4, p, c, d / 1000, n % 3 = 0, 'model ratio 1.25, completion ratio 4.00, group ratio 1.00',
            '{"model_ratio":1.25,"group_ratio":1,"completion_ratio":4,"model_price":-1,"frt":420,"admin_info":{"use_channel":["1"]}}'
       FROM (SELECT n, u, k, (u * 7 + k * 3 + (random() * 4)::integer * 5) % 20 AS m, p, c, d
               FROM (SELECT n, floor(power(random(), 2) * $5)::integer AS u, n % 2 AS k, (random() * 2000)::integer AS p,
                            (random() * 800)::integer AS c, (200 + power(random(), 4) * 30000)::integer AS d
                       FROM generate_series($6::bigint + 1, $6::bigint + $8) n) drawn) placed`,
    [run, from, tokens, channels, users, done, days, count],
  );
}

/** What settlements would have written beside the log rows, and an opening that paid for it. */
async function book(run, from) {
  await client.query('BEGIN');
  await client.query(
    `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", calls, stream_calls, prompt_tokens,
       completion_tokens, quota, logged_calls, logged_quota, duration_ms, duration_buckets)
     SELECT created_at - created_at % 3600, user_id, token_id, channel_id, model_name, "group", count(*),
            count(*) FILTER (WHERE is_stream), sum(prompt_tokens), sum(completion_tokens), sum(quota), count(*), sum(quota),
            sum(use_time) * 1000,
            ARRAY[0, 0, 0, 0, count(*) FILTER (WHERE use_time < 1), 0, 0, 0, 0, 0, count(*) FILTER (WHERE use_time BETWEEN 1 AND 4),
                  0, 0, 0, 0, count(*) FILTER (WHERE use_time > 4)]
       FROM logs WHERE user_id >= $1 AND user_id < $1 + $2 AND request_id LIKE 'seed' || $3::text || '%'
      GROUP BY 1, 2, 3, 4, 5, 6`,
    [from, users, run],
  );
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
  await client.query('COMMIT');
}

function whole(text, name) {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) fail(`--${name} must be a whole number above 0`);
  return value;
}

function fail(message) {
  console.error(`seed: ${message}`);
  process.exit(2);
}
