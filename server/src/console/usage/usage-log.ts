import { InvalidInputError } from '../../shared/errors.js';
import { durationBounds } from '../../shared/latency.js';
import { LogType } from '../../shared/log-type.js';
import { loggedDurationMs, loggedNumber, loggedText } from '../../shared/logged-details.js';
import { day, hour, type Range } from '../../billing/rollups/index.js';
import { logDimensions, type UsageQuery, type UsageSource } from './usage-question.js';
import type { Span } from './usage-time.js';

// Endpoints, codes of errors and cache writes are no columns of the usage tables: each would multiply the rows that every
// settlement writes. Questions about them read the log rows of a bounded range.

/** Longest range in seconds: 31 days and the hour of a clock change. */
const maxSeconds = 31 * day + hour;

/** Returns what a question is read from: log rows if it needs what only they have. */
export function sourceOf(dimensions: UsageQuery['dimensions'], counters: UsageQuery['counters']): UsageSource {
  if (dimensions.includes('ERROR')) return 'logOfFailures';
  const needsLog = counters.cache === true || dimensions.some((dimension) => logDimensions.includes(dimension));
  return needsLog ? 'logOfCalls' : 'counters';
}

export const isFromLog = ({ source }: Pick<UsageQuery, 'source'>): boolean => source !== 'counters';

/** @throws AppError INVALID_INPUT for a range that is too long for the log */
export function assertLogRange({
  current,
  compared,
}: {
  readonly current: Span;
  readonly compared: Span | null;
}): void {
  const isLong = (span: Span | null): boolean => span !== null && span.range.end - span.range.from > maxSeconds;
  if (!isLong(current) && !isLong(compared)) return;
  throw new InvalidInputError(
    'ENDPOINT, ERROR and cache are read from the log, for at most 31 days',
    isLong(current) ? 'range' : 'compareTo',
  );
}

/** Returns a condition on the type of log rows: failed calls alone for the codes of errors, else all calls. */
export const typesOf = ({ source }: Pick<UsageQuery, 'source'>): string =>
  source === 'logOfFailures' ? `type = ${LogType.error}` : `type IN (${LogType.consume}, ${LogType.error})`;

/**
 * Returns SQL for FROM that reads log rows of calls under the names of the usage tables, `hour` as the second of the call.
 * @param fields columns of the usage tables, `endpoint`, `error_code` and counters
 */
export function usageFromLog(
  query: UsageQuery,
  {
    range,
    condition,
    fields,
  }: { readonly range: Range; readonly condition: string; readonly fields: readonly string[] },
): string {
  const columns = fields.map((field) => {
    const sql = columnsOf(query.quotaPerUnit)[field];
    return sql === undefined ? field : `${sql} AS ${field}`;
  });
  // OFFSET 0 computes each column once for each row, not at each of the 24 sums of a histogram.
  return `(SELECT ${['created_at AS hour', ...columns].join(', ')} FROM logs
    WHERE created_at >= ${range.from} AND created_at < ${range.end} AND ${typesOf(query)} AND ${condition} OFFSET 0) used`;
}

const answered = `type = ${LogType.consume}`;
const ofAnswered = (sql: string, otherwise = '0'): string => `CASE WHEN ${answered} THEN ${sql} ELSE ${otherwise} END`;
const firstTokenMs = `ceil(${loggedNumber('frt')})::bigint`;
const upstreamUsd = loggedNumber('upstream_cost');

/** SQL of the buckets of one call, as `durationBucket` of `shared/latency.ts` finds them. Whole milliseconds. */
const bucketsOf = (milliseconds: string): string =>
  `array_fill(0::bigint, ARRAY[width_bucket(${milliseconds} - 1, ARRAY[${durationBounds.join(', ')}]::bigint[])]) || 1::bigint`;

/**
 * SQL of the USD that the cached tokens of a call would have cost more as other prompt tokens, by the ratios of its row. A
 * ratio of 1 is 2 USD for a million tokens in rows with prices in USD, else one unit of quota per token.
 */
const savedUsd = (quotaPerUnit: number): string =>
  `CASE WHEN coalesce(${loggedNumber('model_price')}, -1) >= 0 THEN 0 ELSE
     coalesce(${loggedNumber('cache_tokens')} * (1 - ${loggedNumber('cache_ratio')}) * ${loggedNumber('model_ratio')}
       * coalesce(nullif(greatest(${loggedNumber('user_group_ratio')}, -1), -1), ${loggedNumber('group_ratio')}, 1), 0)
     / (CASE WHEN ${loggedNumber('quota_per_unit')} IS NULL THEN ${quotaPerUnit}::numeric ELSE 500000 END) END`;

const columnsOf = (quotaPerUnit: number): Readonly<Record<string, string>> => ({
  endpoint: `coalesce(${loggedText('request_path')}, '')`,
  error_code: `coalesce(${loggedText('error_code')}, '')`,
  active_users: ofAnswered('user_id', 'NULL'),
  calls: `(${answered})::integer`,
  stream_calls: `(${answered} AND is_stream)::integer`,
  failed_calls: `(NOT ${answered})::integer`,
  prompt_tokens: ofAnswered('prompt_tokens'),
  completion_tokens: ofAnswered('completion_tokens'),
  cached_tokens: ofAnswered(`coalesce(${loggedNumber('cache_tokens')}, 0)::bigint`),
  quota: ofAnswered('quota'),
  duration_ms: ofAnswered(loggedDurationMs),
  duration_buckets: ofAnswered(bucketsOf(loggedDurationMs), `'{}'`),
  first_token_buckets: ofAnswered(
    `CASE WHEN ${firstTokenMs} > 0 THEN ${bucketsOf(firstTokenMs)} ELSE '{}' END`,
    `'{}'`,
  ),
  cost_calls: ofAnswered(`(${upstreamUsd} IS NOT NULL)::integer`),
  cost_quota: ofAnswered(`CASE WHEN ${upstreamUsd} IS NULL THEN 0 ELSE quota END`),
  cost_nano_usd: ofAnswered(`round(coalesce(${upstreamUsd}, 0) * 1e9)::bigint`),
  cache_write_tokens: ofAnswered(`coalesce(${loggedNumber('cache_creation_tokens')}, 0)::bigint`),
  cache_saved_nano_usd: ofAnswered(`round((${savedUsd(quotaPerUnit)}) * 1e9)::bigint`),
});
