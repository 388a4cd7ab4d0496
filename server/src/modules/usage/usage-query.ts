import { durationBounds } from '../../shared/latency.js';
import { InvalidInputError } from '../../shared/errors.js';
import type { PageQuery } from '../../shared/page.js';

export const usageDimensions = ['DAY', 'HOUR', 'USER', 'TOKEN', 'MODEL', 'CHANNEL', 'GROUP'] as const;
export type UsageDimension = (typeof usageDimensions)[number];

/** Whose usage of what. Times are Unix seconds; whole hours count, the one of `from` included. */
export interface UsageFilter {
  readonly from?: number;
  readonly to?: number;
  readonly userId?: number;
  readonly tokenId?: number;
  readonly channelId?: number;
  readonly modelName?: string;
  readonly group?: string;
}

export const hour = 3600;
const day = 24 * hour;

interface Dimension {
  readonly sql: string;
  readonly field: string;
}

const dimensions: Readonly<Record<UsageDimension, Dimension>> = {
  DAY: { sql: `hour - hour % ${day}`, field: 'time' },
  HOUR: { sql: 'hour', field: 'time' },
  USER: { sql: 'user_id', field: 'userId' },
  TOKEN: { sql: 'token_id', field: 'tokenId' },
  MODEL: { sql: 'model_name', field: 'modelName' },
  CHANNEL: { sql: 'channel_id', field: 'channelId' },
  GROUP: { sql: '"group"', field: 'group' },
};

/** What every group is summed up to; sums arrive as text. */
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

/** Element by element: many times cheaper than putting arrays together. */
const buckets = Array.from(
  { length: durationBounds.length + 1 },
  (_, n) => `coalesce(sum(duration_buckets[${n + 1}]), 0)`,
).join(', ');

const sumColumns = [
  ...Object.entries(sums).map(([name, sql]) => `coalesce(${sql}, 0)::text AS "${name}"`),
  `ARRAY[${buckets}]::text[] AS buckets`,
].join(', ');

export interface Statement {
  readonly sql: string;
  readonly values: unknown[];
}

/** One page of groups, each with `groups`, the number of all of them. @throws InvalidInputError */
export function groupedStatement(
  groupBy: readonly UsageDimension[],
  filter: UsageFilter,
  { sort, page, pageSize }: PageQuery,
): Statement {
  if (new Set(groupBy).size !== groupBy.length || groupBy.length === 0) {
    throw new InvalidInputError('Group by one or more dimensions, each once', 'groupBy');
  }
  if (groupBy.includes('DAY') && groupBy.includes('HOUR')) {
    throw new InvalidInputError('Group by day or by hour, not both', 'groupBy');
  }
  const chosen = groupBy.map((name) => dimensions[name]);
  const { where, values } = conditions(filter);
  const keys = chosen.map(({ sql }) => sql).join(', ');
  const tail = [...values, pageSize, page * pageSize];
  const sql = `SELECT ${chosen.map(({ sql: column, field }) => `${column} AS "${field}"`).join(', ')}, ${sumColumns},
      count(*) OVER ()::text AS groups
    FROM usage_hourly WHERE ${where} GROUP BY ${keys} ORDER BY ${order(chosen, sort)}
    LIMIT $${tail.length - 1} OFFSET $${tail.length}`;
  return { sql, values: tail };
}

export function totalStatement(filter: UsageFilter): Statement {
  const { where, values } = conditions(filter);
  return { sql: `SELECT ${sumColumns} FROM usage_hourly WHERE ${where}`, values };
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

function conditions(filter: UsageFilter): { where: string; values: unknown[] } {
  const values: unknown[] = [];
  const clauses: string[] = [];
  const and = (sql: string, value: unknown): void => {
    if (value === undefined) return;
    values.push(value);
    clauses.push(`${sql} $${values.length}`);
  };
  and('hour >=', filter.from === undefined ? undefined : Math.floor(filter.from / hour) * hour);
  and('hour <=', filter.to);
  and('user_id =', filter.userId);
  and('token_id =', filter.tokenId);
  and('channel_id =', filter.channelId);
  and('model_name =', filter.modelName?.replaceAll('\0', ''));
  and('"group" =', filter.group?.replaceAll('\0', ''));
  return { where: clauses.length === 0 ? 'TRUE' : clauses.join(' AND '), values };
}
