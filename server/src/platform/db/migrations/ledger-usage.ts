/** SQL that counts settled calls in the usage tables. */

const usageMeasures = `calls, stream_calls, prompt_tokens, completion_tokens, cached_tokens, quota, logged_calls, logged_quota,
      duration_ms, cost_calls, cost_quota, cost_nano_usd, duration_buckets, first_token_buckets`;

/** Prices minus charges, in billionths of a quota unit: those of all calls, and those of calls with a log row. */
const rests = ', rest, logged_rest';

/** The tables that count usage: permanently by hour, and by five minutes for the last two days. */
export const usageTables = [
  {
    name: 'usage_hourly',
    time: 'hour',
    seconds: 3600,
    keys: ['user_id', 'token_id', 'channel_id', 'model_name', '"group"'],
    hasRests: true,
  },
  { name: 'usage_five_minutes', time: 'start', seconds: 300, keys: ['channel_id', 'model_name'], hasRests: false },
];
type UsageTable = (typeof usageTables)[number];

const keysOf = ({ time, keys }: UsageTable): string => [time, ...keys].join(', ');

/** The end of an upsert into one of the tables `AS h`. The two arrays follow it. */
const addToUsageRow = (table: UsageTable): string => `ON CONFLICT (${keysOf(table)}) DO UPDATE SET
        calls = h.calls + excluded.calls,
        stream_calls = h.stream_calls + excluded.stream_calls,
        prompt_tokens = h.prompt_tokens + excluded.prompt_tokens,
        completion_tokens = h.completion_tokens + excluded.completion_tokens,
        cached_tokens = h.cached_tokens + excluded.cached_tokens,
        quota = h.quota + excluded.quota,
        logged_calls = h.logged_calls + excluded.logged_calls,
        logged_quota = h.logged_quota + excluded.logged_quota,
        duration_ms = h.duration_ms + excluded.duration_ms,
        cost_calls = h.cost_calls + excluded.cost_calls,
        cost_quota = h.cost_quota + excluded.cost_quota,
        cost_nano_usd = h.cost_nano_usd + excluded.cost_nano_usd${
          table.hasRests ? ', rest = h.rest + excluded.rest, logged_rest = h.logged_rest + excluded.logged_rest' : ''
        }`;

/** Counts a batch of settlements `due`, in the order of the keys. */
export const countBatch = (table: UsageTable): string => {
  const keys = table.keys.map((key) => `k.${key}`).join(', ');
  const histogram = (bucket: string): string => `coalesce((
               SELECT array_agg((SELECT count(*) FROM unnest(array_agg(k.${bucket})) b WHERE b = n) ORDER BY n)
                 FROM generate_series(0, max(k.${bucket})) n), '{}')`;
  const merged = (column: string): string => `coalesce((
          SELECT array_agg(coalesce(h.${column}[i], 0) + coalesce(excluded.${column}[i], 0) ORDER BY i)
            FROM generate_series(1, greatest(cardinality(h.${column}), cardinality(excluded.${column}))) i), '{}')`;
  return `INSERT INTO ${table.name} AS h (${keysOf(table)}, ${usageMeasures}${table.hasRests ? rests : ''})
      SELECT k.time, ${keys}, count(*), sum(k.is_stream::integer), sum(k.prompt_tokens), sum(k.completion_tokens),
             sum(k.cached_tokens), sum(k.charge), sum(k.logged::integer), sum(CASE WHEN k.logged THEN k.charge ELSE 0 END),
             sum(k.duration_ms), count(k.cost_nano_usd), coalesce(sum(k.charge) FILTER (WHERE k.cost_nano_usd IS NOT NULL), 0),
             coalesce(sum(k.cost_nano_usd), 0), ${histogram('duration_bucket')}, ${histogram('first_token_bucket')}${
               table.hasRests ? ', sum(k.rest), coalesce(sum(k.rest) FILTER (WHERE k.logged), 0)' : ''
             }
        FROM (SELECT *, d.created_at - d.created_at % ${table.seconds} AS time FROM unnest(due) d) k
       GROUP BY k.time, ${keys} ORDER BY k.time, ${keys}
      ${addToUsageRow(table)},
        duration_buckets = ${merged('duration_buckets')},
        first_token_buckets = ${merged('first_token_buckets')}`;
};

/**
 * Moves what plans paid for calls of known cost from the part of balances.
 * @param calls SQL of the calls with the columns of the keys, `created_at` and `charge`; their rows are counted
 */
export const countPlans = (table: UsageTable, calls: string): string => {
  const keys = table.keys.join(', ');
  return `UPDATE ${table.name} h SET cost_quota = h.cost_quota - k.charge, cost_plan_quota = h.cost_plan_quota + k.charge
      FROM (SELECT d.created_at - d.created_at % ${table.seconds} AS time, ${keys}, sum(d.charge) AS charge FROM ${calls} d
             GROUP BY 1, ${keys}) k
      WHERE h.${table.time} = k.time AND ${table.keys.map((key) => `h.${key} = k.${key}`).join(' AND ')}`;
};

/** Counts one settlement `call` of a reservation `reserved`. */
export const countOne = (table: UsageTable): string => {
  const keys = table.keys.map((key) => (/^(user|token)_id$/.test(key) ? `reserved.${key}` : `call.${key}`)).join(', ');
  const one = (bucket: string): string => `array_fill(0::bigint, ARRAY[call.${bucket}]) || 1::bigint`;
  // Increments one bucket; pads with zeros if the row has fewer.
  const incremented = (column: string, bucket: string): string => `h.${column}[1 : call.${bucket}]
          || array_fill(0::bigint, ARRAY[greatest(call.${bucket} - cardinality(h.${column}), 0)])
          || (coalesce(h.${column}[call.${bucket} + 1], 0) + 1)
          || h.${column}[call.${bucket} + 2 : cardinality(h.${column})]`;
  return `INSERT INTO ${table.name} AS h (${keysOf(table)}, ${usageMeasures}${table.hasRests ? rests : ''})
      VALUES (call.created_at - call.created_at % ${table.seconds}, ${keys}, 1, call.is_stream::integer, call.prompt_tokens,
              call.completion_tokens, call.cached_tokens, call.charge, call.logged::integer,
              CASE WHEN call.logged THEN call.charge ELSE 0 END, call.duration_ms, (call.cost_nano_usd IS NOT NULL)::integer,
              CASE WHEN call.cost_nano_usd IS NULL THEN 0 ELSE call.charge END, coalesce(call.cost_nano_usd, 0),
              ${one('duration_bucket')},
              CASE WHEN call.first_token_bucket IS NULL THEN '{}'::bigint[] ELSE ${one('first_token_bucket')} END${
                table.hasRests
                  ? ', coalesce(call.rest, 0), CASE WHEN call.logged THEN coalesce(call.rest, 0) ELSE 0 END'
                  : ''
              })
      ${addToUsageRow(table)},
        duration_buckets = ${incremented('duration_buckets', 'duration_bucket')},
        first_token_buckets = CASE WHEN call.first_token_bucket IS NULL THEN h.first_token_buckets
          ELSE ${incremented('first_token_buckets', 'first_token_bucket')} END`;
};
