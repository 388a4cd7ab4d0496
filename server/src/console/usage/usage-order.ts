import { InvalidInputError } from '../../shared/errors.js';
import { durationBounds } from '../../shared/latency.js';
import { sortKey } from './usage-dimensions.js';
import type { ComparisonSide, UsageMetric, UsageOrder, UsageQuery } from './usage-question.js';

/**
 * Returns ORDER BY for groups. The order is complete, so that a page never depends on chance.
 * @throws AppError INVALID_INPUT for an order that the query does not support
 */
export function orderSql(query: UsageQuery, order: readonly UsageOrder[]): string {
  const keys = query.dimensions.map((name, n) => sortKey(name, n));
  const time = query.current.starts ? ['bucket'] : [];
  const parts = order.flatMap(({ metric, of, direction }) => {
    if (metric === 'TIME') {
      if (time.length === 0) throw new InvalidInputError('TIME sorts by bucket: set `bucket`', 'orderBy');
      return time.map((sql) => `${sql} ${direction}`);
    }
    if (metric === 'KEY') return keys.map((sql) => `${sql} ${direction}`);
    return [`${sideSql(metric, of, query)} ${direction} NULLS LAST`];
  });
  const sorted = [...parts, ...time, ...keys];
  return sorted.length === 0 ? '1' : sorted.join(', ');
}

function sideSql(metric: Summed, of: ComparisonSide, { compared, quotaPerUnit }: UsageQuery): string {
  if (of !== 'CURRENT' && !compared) {
    throw new InvalidInputError(`${of} needs compareTo`, 'orderBy');
  }
  const value = (side: Side): string => metricSql[metric](side, quotaPerUnit);
  switch (of) {
    case 'CURRENT':
      return value('current');
    case 'PREVIOUS':
      return value('compared');
    case 'DIFFERENCE':
      return `coalesce(${value('current')}, 0) - coalesce(${value('compared')}, 0)`;
    case 'RATIO':
      return `${value('current')}::numeric / nullif(${value('compared')}::numeric, 0)`;
  }
}

/** SQL that computes `percentile` of `shared/latency.ts`, without rounding. */
const p95Sql = (column: string): string => `(SELECT low + (high - low) * (0.95 * total - until + count) / count
   FROM (SELECT *, sum(count) OVER (ORDER BY low) AS until, sum(count) OVER () AS total
           FROM unnest(ARRAY[0, ${durationBounds.join(', ')}], ARRAY[${durationBounds.join(', ')}, ${2 * (durationBounds.at(-1) ?? 0)}],
                       ${column}) AS bucket (low, high, count)) buckets
  WHERE count > 0 AND until >= 0.95 * total ORDER BY low LIMIT 1)`;

type Side = 'current' | 'compared';
type Summed = Exclude<UsageMetric, 'TIME' | 'KEY'>;

/** Counters that a metric is computed from. */
const metricCounters: Readonly<Record<Summed, readonly string[]>> = {
  QUOTA: ['quota'],
  CALLS: ['calls'],
  FAILED_CALLS: ['failed_calls'],
  ERROR_RATE: ['calls', 'failed_calls'],
  PROMPT_TOKENS: ['prompt_tokens'],
  COMPLETION_TOKENS: ['completion_tokens'],
  CACHED_TOKENS: ['cached_tokens'],
  CACHED_SHARE: ['cached_tokens', 'prompt_tokens'],
  TOTAL_TOKENS: ['prompt_tokens', 'completion_tokens'],
  AVERAGE_MS: ['duration_ms', 'calls'],
  P95_MS: ['duration_buckets'],
  UPSTREAM_USD: ['cost_calls', 'cost_nano_usd'],
  MARGIN_USD: ['cost_calls', 'cost_quota', 'cost_nano_usd'],
  MARGIN_SHARE: ['cost_quota', 'cost_nano_usd'],
  KNOWN_USD: ['cost_calls', 'cost_quota'],
  KNOWN_CALLS: ['cost_calls'],
  ACTIVE_USERS: ['active_users'],
};

/** Counters that an order needs; none for TIME and KEY. */
export const countersOfOrder = (order: readonly UsageOrder[]): string[] => [
  ...new Set(order.flatMap(({ metric }) => (metric === 'TIME' || metric === 'KEY' ? [] : metricCounters[metric]))),
];

/** A group without any known cost has no margin: it comes last, and not between losses and profits. */
const whereKnown = (side: Side, sql: string): string => `CASE WHEN ${side}_cost_calls > 0 THEN ${sql} END`;
const marginSql = (side: Side, quotaPerUnit: number): string =>
  `(${side}_cost_quota / ${quotaPerUnit}::numeric - ${side}_cost_nano_usd / 1e9)`;

const metricSql: Readonly<Record<Summed, (side: Side, quotaPerUnit: number) => string>> = {
  QUOTA: (side) => `${side}_quota`,
  CALLS: (side) => `${side}_calls`,
  FAILED_CALLS: (side) => `${side}_failed_calls`,
  ERROR_RATE: (side) => `(${side}_failed_calls / nullif(${side}_calls + ${side}_failed_calls, 0))`,
  PROMPT_TOKENS: (side) => `${side}_prompt_tokens`,
  COMPLETION_TOKENS: (side) => `${side}_completion_tokens`,
  CACHED_TOKENS: (side) => `${side}_cached_tokens`,
  CACHED_SHARE: (side) => `(${side}_cached_tokens / nullif(${side}_prompt_tokens, 0))`,
  TOTAL_TOKENS: (side) => `(${side}_prompt_tokens + ${side}_completion_tokens)`,
  AVERAGE_MS: (side) => `(${side}_duration_ms / nullif(${side}_calls, 0))`,
  P95_MS: (side) => p95Sql(`${side}_duration_buckets`),
  ACTIVE_USERS: (side) => `${side}_active_users`,
  UPSTREAM_USD: (side) => whereKnown(side, `${side}_cost_nano_usd`),
  MARGIN_USD: (side, quotaPerUnit) => whereKnown(side, marginSql(side, quotaPerUnit)),
  MARGIN_SHARE: (side, quotaPerUnit) =>
    `(${marginSql(side, quotaPerUnit)} / nullif(${side}_cost_quota / ${quotaPerUnit}::numeric, 0))`,
  KNOWN_USD: (side) => whereKnown(side, `${side}_cost_quota`),
  KNOWN_CALLS: (side) => `${side}_cost_calls`,
};
