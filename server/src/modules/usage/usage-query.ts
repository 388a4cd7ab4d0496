import { InvalidInputError } from '../../shared/errors.js';
import type { PageQuery } from '../../shared/page.js';
import { bucketSums, hour, usageFrom, type FoldState } from '../sums/sums.service.js';

export const usageDimensions = ['DAY', 'HOUR', 'USER', 'TOKEN', 'MODEL', 'CHANNEL', 'GROUP'] as const;
export type UsageDimension = (typeof usageDimensions)[number];

/** Whose usage of what. Times are Unix seconds; whole hours count, the one of `from` included. */
export interface UsageFilter {
  readonly from?: number;
  readonly to?: number;
  readonly userId?: number;
  /** Resolved to an id before anything is read. */
  readonly username?: string;
  readonly tokenId?: number;
  readonly channelId?: number;
  readonly modelName?: string;
  readonly group?: string;
}

const day = 24 * hour;

export type WholeUsageFilter = UsageFilter & { readonly from: number; readonly to: number };

interface Dimension {
  readonly sql: string;
  /** Absent: a time. */
  readonly column?: string;
  readonly field: string;
}

const dimensions: Readonly<Record<UsageDimension, Dimension>> = {
  DAY: { sql: `hour - hour % ${day}`, field: 'time' },
  HOUR: { sql: 'hour', field: 'time' },
  USER: { sql: 'user_id', column: 'user_id', field: 'userId' },
  TOKEN: { sql: 'token_id', column: 'token_id', field: 'tokenId' },
  MODEL: { sql: 'model_name', column: 'model_name', field: 'modelName' },
  CHANNEL: { sql: 'channel_id', column: 'channel_id', field: 'channelId' },
  GROUP: { sql: '"group"', column: 'group', field: 'group' },
};

/** What every group is summed up to; the driver hands such numbers on as text, and only those of the page. */
const sums: Readonly<Record<string, string>> = {
  calls: 'sum(calls)',
  streamCalls: 'sum(stream_calls)',
  failedCalls: 'sum(failed_calls)',
  promptTokens: 'sum(prompt_tokens)',
  completionTokens: 'sum(completion_tokens)',
  cachedTokens: 'sum(cached_tokens)',
  quota: 'sum(quota)',
  durationMs: 'sum(duration_ms)',
};

/** Fields a list can be ordered by, besides its dimensions. */
const orders: Readonly<Record<string, string>> = {
  ...sums,
  usd: 'sum(quota)',
  totalTokens: 'sum(prompt_tokens + completion_tokens)',
  averageMilliseconds: 'sum(duration_ms) / nullif(sum(calls), 0)',
  errorRate: 'sum(failed_calls) / nullif(sum(calls) + sum(failed_calls), 0)',
};

/** Two dozen sums for one percentile: left out where nobody asks for it. */
const sumColumns = (percentiles: boolean): string =>
  [
    ...Object.entries(sums).map(([name, sql]) => `coalesce(${sql}, 0) AS "${name}"`),
    percentiles ? `ARRAY[${bucketSums}]::bigint[] AS buckets` : `'{}'::bigint[] AS buckets`,
  ].join(', ');

export interface Statement {
  readonly sql: string;
  readonly values: unknown[];
}

/** One page of groups, each with `groups`, the number of all of them. @throws InvalidInputError */
export function groupedStatement(
  groupBy: readonly UsageDimension[],
  filter: WholeUsageFilter,
  { sort, page, pageSize }: PageQuery,
  percentiles: boolean,
  state: FoldState,
): Statement {
  if (new Set(groupBy).size !== groupBy.length || groupBy.length === 0) {
    throw new InvalidInputError('Group by one or more dimensions, each once', 'groupBy');
  }
  if (groupBy.includes('DAY') && groupBy.includes('HOUR')) {
    throw new InvalidInputError('Group by day or by hour, not both', 'groupBy');
  }
  const chosen = groupBy.map((name) => dimensions[name]);
  const { from, values } = usageOf(
    filter,
    chosen.flatMap(({ column }) => column ?? []),
    groupBy.includes('HOUR') ? 1 : groupBy.includes('DAY') ? 24 : Infinity,
    state,
  );
  const keys = chosen.map(({ sql }) => sql).join(', ');
  const tail = [...values, pageSize, page * pageSize];
  const sql = `SELECT ${chosen.map(({ sql: column, field }) => `${column} AS "${field}"`).join(', ')}, ${sumColumns(percentiles)},
      count(*) OVER () AS groups
    FROM ${from} GROUP BY ${keys} ORDER BY ${order(chosen, sort)}
    LIMIT $${tail.length - 1} OFFSET $${tail.length}`;
  return { sql, values: tail };
}

export function totalStatement(filter: WholeUsageFilter, percentiles: boolean, state: FoldState): Statement {
  const { from, values } = usageOf(filter, [], Infinity, state);
  return { sql: `SELECT ${sumColumns(percentiles)} FROM ${from}`, values };
}

/**
 * Calls that have a log row, by hour and model: `rows` is a JSON list of `[hour, model, calls, tokens, quota]`, because a
 * month of hours is many thousands of them, and the driver takes longer to read rows than the database to find them.
 */
export function hourlyModelStatement(filter: WholeUsageFilter, most: number, state: FoldState): Statement {
  const { from, values } = usageOf(filter, ['model_name'], 1, state);
  const sql = `SELECT '[' || coalesce(string_agg(
      concat('[', hour, ',', to_json(model_name), ',', calls, ',', tokens, ',', quota, ']'), ','), '') || ']' AS rows
    FROM (SELECT hour, model_name, sum(logged_calls) AS calls, sum(prompt_tokens + completion_tokens) AS tokens,
                 sum(logged_quota) AS quota
            FROM ${from} WHERE logged_calls > 0 GROUP BY hour, model_name
           ORDER BY hour, model_name COLLATE "C" LIMIT ${most}) models`;
  return { sql, values };
}

/** Time first when it is asked for, the dearest first otherwise; the dimensions make every order complete. */
function order(chosen: readonly Dimension[], sort: PageQuery['sort']): string {
  const keys = chosen.map(({ sql }) => sql).join(', ');
  if (!sort) {
    const time = chosen.find(({ field }) => field === 'time');
    return time ? `${time.sql} ASC, sum(quota) DESC, ${keys}` : `sum(quota) DESC, ${keys}`;
  }
  const own = chosen.find(({ field }) => field === sort.field)?.sql;
  const sql = own ?? (Object.hasOwn(orders, sort.field) ? orders[sort.field] : undefined);
  if (!sql) throw new InvalidInputError('Usage cannot be ordered by this field', 'orderBy');
  return `${sql} ${sort.direction} NULLS LAST, ${keys}`;
}

/** Whole hours of usage, added up as far as the question lets them be. @param longest time that may be one row, in hours */
function usageOf(
  filter: WholeUsageFilter,
  columns: readonly string[],
  longest: number,
  state: FoldState,
): { from: string; values: unknown[] } {
  const given = Object.entries({
    user_id: filter.userId,
    token_id: filter.tokenId,
    channel_id: filter.channelId,
    model_name: filter.modelName?.replaceAll('\0', ''),
    group: filter.group?.replaceAll('\0', ''),
  }).filter(([, value]) => value !== undefined);
  const range = { from: Math.floor(filter.from / hour) * hour, end: (Math.floor(filter.to / hour) + 1) * hour };
  const equal = given.map(([column], index) => ({ column, placeholder: `$${index + 1}` }));
  return { from: usageFrom({ range, columns, equal, longest }, state), values: given.map(([, value]) => value) };
}
