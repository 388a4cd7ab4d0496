import { durationBounds } from '../../shared/latency.js';
import { callTypes, LogType } from '../../shared/log-type.js';
import { loggedDuration, loggedNumber, loggedText } from '../../shared/logged-details.js';

// Endpoints, codes of errors, keys of channels and cache writes are no columns of `usage_hourly`: each would multiply the rows that every
// settlement writes. They are read from the text of the log rows.

/** Columns that are read from the text of log rows. */
export const detailColumns = ['endpoint', 'error_code', 'upstream_key'] as const;

/**
 * Returns SQL for FROM, named `calls`, of the log rows of calls with `created_at` and these columns: those of the usage
 * tables, `type`, `endpoint`, `error_code`, `upstream_key`, and counters.
 * @param condition SQL over the columns of `logs`
 */
export function loggedCalls(condition: string, columns: readonly string[]): string {
  const list = [...new Set(columns)].map((column) => {
    const sql = sqlOf[column];
    return sql === undefined ? column : `${sql} AS ${column}`;
  });
  // OFFSET 0 computes each column once for each row, not at each of the 24 sums of a histogram.
  return `(SELECT ${['created_at', ...list].join(', ')} FROM logs
    WHERE type IN (${callTypes.join(', ')}) AND ${condition} OFFSET 0) calls`;
}

/** Returns a text as a key. It has a maximum of characters, because an index of Postgres takes some 2,700 bytes in a row. */
const keyOf = (text: string, maxLength = 200): string => `left(coalesce(${text}, ''), ${maxLength})`;

/**
 * SQL of the pattern of a path: Google's, Vertex AI's, Bedrock's and old OpenAI paths name a model, a project or a location,
 * each of which would make a row of its own.
 */
const patternOf = (path: string): string => `(SELECT CASE
    WHEN path LIKE '/model/%' THEN regexp_replace(path, '^/model/.*/', '/model/{model}/')
    WHEN path LIKE '/v1/engines/%' THEN regexp_replace(path, '^/v1/engines/.*/', '/v1/engines/{model}/')
    WHEN path LIKE '/v1%/projects/%:%' THEN regexp_replace(path, '^(/[^/]+/projects)/.*(/publishers/[^/]+/models)/.*:',
      '\\1/{project}/locations/{location}\\2/{model}:')
    WHEN path LIKE '/v1%:%' THEN regexp_replace(path, '^(/[^/]+)/.*:', '\\1/models/{model}:')
    ELSE path END
  FROM (SELECT ${path} AS path OFFSET 0) given)`;

/** SQL of a whole number. Rows of imported programs may have any number, whose sum has to fit into a bigint. */
const whole = (sql: string): string => `least(greatest(coalesce(${sql}, 0), 0), 1e13)::bigint`;

const answered = `type = ${LogType.consume}`;
const ofAnswered = (sql: string, otherwise = '0'): string => `CASE WHEN ${answered} THEN ${sql} ELSE ${otherwise} END`;
const firstTokenMs = whole(`ceil(${loggedNumber('frt')})`);
const durationMs = whole(loggedDuration);
const upstreamUsd = loggedNumber('upstream_cost');
/** SQL. The ledger writes the key `plan` as jsonb does. A text within the details has a backslash before each quote. */
const isPaidByPlan = `other LIKE '%"plan": {%'`;

/** SQL of the buckets of one call, as `durationBucket` of `billing/ledger` finds them. Whole milliseconds. */
const bucketsOf = (milliseconds: string): string =>
  `array_fill(0::bigint, ARRAY[width_bucket(${milliseconds} - 1, ARRAY[${durationBounds.join(', ')}]::bigint[])]) || 1::bigint`;

/**
 * SQL of what the cached tokens of a call would have cost more as other prompt tokens, by the ratios of its row. A ratio of
 * 1 is 2 USD for a million tokens in rows with prices in USD, else one unit of quota per token.
 */
const saved = `CASE WHEN coalesce(${loggedNumber('model_price')}, -1) >= 0 THEN 0 ELSE
     coalesce(${loggedNumber('cache_tokens')} * (1 - ${loggedNumber('cache_ratio')}) * ${loggedNumber('model_ratio')}
       * coalesce(nullif(greatest(${loggedNumber('user_group_ratio')}, -1), -1), ${loggedNumber('group_ratio')}, 1), 0) END`;
const isInUsd = `${loggedNumber('quota_per_unit')} IS NOT NULL`;

const sqlOf: Readonly<Record<string, string>> = {
  endpoint: keyOf(patternOf(loggedText('request_path'))),
  error_code: keyOf(loggedText('error_code')),
  upstream_key: keyOf(loggedText('upstream_key'), 20),
  active_users: ofAnswered('user_id', 'NULL'),
  calls: `(${answered})::integer`,
  stream_calls: `(${answered} AND is_stream)::integer`,
  failed_calls: `(NOT ${answered})::integer`,
  prompt_tokens: ofAnswered('prompt_tokens'),
  completion_tokens: ofAnswered('completion_tokens'),
  cached_tokens: ofAnswered(whole(loggedNumber('cache_tokens'))),
  quota: ofAnswered('quota'),
  duration_ms: ofAnswered(durationMs),
  duration_buckets: ofAnswered(bucketsOf(durationMs), `'{}'`),
  first_token_buckets: ofAnswered(
    `CASE WHEN ${firstTokenMs} > 0 THEN ${bucketsOf(firstTokenMs)} ELSE '{}' END`,
    `'{}'`,
  ),
  cost_calls: ofAnswered(`(${upstreamUsd} IS NOT NULL)::integer`),
  cost_quota: ofAnswered(`CASE WHEN ${upstreamUsd} IS NULL OR ${isPaidByPlan} THEN 0 ELSE quota END`),
  cost_plan_quota: ofAnswered(`CASE WHEN ${upstreamUsd} IS NOT NULL AND ${isPaidByPlan} THEN quota ELSE 0 END`),
  cost_nano_usd: ofAnswered(whole(`round(${upstreamUsd} * 1e9)`)),
  cache_write_tokens: ofAnswered(whole(loggedNumber('cache_creation_tokens'))),
  cache_saved_nano_usd: ofAnswered(`CASE WHEN ${isInUsd} THEN ${whole(`round(${saved} / 500000 * 1e9)`)} ELSE 0 END`),
  cache_saved_quota: ofAnswered(`CASE WHEN ${isInUsd} THEN 0 ELSE least(${saved}, 1e13) END`),
};
