import { InvalidInputError } from '../../shared/errors.js';
import { durationBounds } from '../../shared/latency.js';
import {
  day,
  histogramColumns,
  histogramSums,
  quoted,
  usageCounters,
  usageFrom,
  type Queries,
  type Range,
  type Watermarks,
} from '../rollups/rollups.service.js';
import type { CounterRow } from './usage-row.js';
import type { Span, TimeBucket } from './usage-time.js';

export const usageDimensions = [
  ...(['USER', 'TOKEN', 'MODEL', 'CHANNEL', 'GROUP', 'PROVIDER', 'CHANNEL_TAG', 'USER_COHORT_WEEK'] as const),
] as const;
export type UsageDimension = (typeof usageDimensions)[number];

export const usageMetrics = [
  ...(['QUOTA', 'CALLS', 'FAILED_CALLS', 'ERROR_RATE', 'PROMPT_TOKENS', 'COMPLETION_TOKENS', 'CACHED_TOKENS'] as const),
  ...(['CACHED_SHARE', 'TOTAL_TOKENS', 'AVERAGE_MS', 'P95_MS', 'UPSTREAM_USD', 'MARGIN_USD', 'TIME', 'KEY'] as const),
] as const;
/** TIME and KEY sort by the bucket and by the dimensions, texts by code points. */
export type UsageMetric = (typeof usageMetrics)[number];

export const comparisonSides = ['CURRENT', 'PREVIOUS', 'DIFFERENCE', 'RATIO'] as const;
export type ComparisonSide = (typeof comparisonSides)[number];

export interface UsageOrder {
  readonly metric: UsageMetric;
  readonly of: ComparisonSide;
  readonly direction: 'ASC' | 'DESC';
}

/** Absent fields match everything; a list matches any of its values. */
export interface UsageFilter {
  readonly userIds?: readonly number[];
  readonly usernames?: readonly string[];
  readonly tokenIds?: readonly number[];
  readonly channelIds?: readonly number[];
  readonly channelTags?: readonly string[];
  readonly models?: readonly string[];
  readonly groups?: readonly string[];
}

/** Optional counters, which cost more to aggregate. */
export interface WantedCounters {
  readonly latency: boolean;
  readonly firstToken: boolean;
  readonly cost: boolean;
}

export interface UsageQuery {
  readonly dimensions: readonly UsageDimension[];
  readonly current: Span;
  readonly compared: Span | null;
  readonly bucket: TimeBucket | null;
  readonly timeZone: string;
  readonly filter: UsageFilter;
  readonly counters: WantedCounters;
  readonly quotaPerUnit: number;
}

/** One group as the database returns it. */
export interface GroupRow {
  /** Values of the dimensions, in their order. */
  readonly keys: ReadonlyArray<number | string>;
  /** Index in `Span.starts`; null without buckets. */
  readonly bucket: number | null;
  readonly isOthers: boolean;
  readonly current: CounterRow;
  readonly compared: CounterRow | null;
}

interface Dimension {
  /** The column of the usage tables it is read from. */
  readonly column: string;
  readonly type: 'bigint' | 'integer' | 'text';
  /** SQL over `used` and the joined tables; never null. */
  readonly sql: (timeZone: string) => string;
  readonly join?: 'channels' | 'users';
}

const own = (column: string, type: Dimension['type']): Dimension => ({
  column,
  type,
  sql: () => `used.${quoted(column)}`,
});

const dimensions: Readonly<Record<UsageDimension, Dimension>> = {
  USER: own('user_id', 'integer'),
  TOKEN: own('token_id', 'integer'),
  MODEL: own('model_name', 'text'),
  CHANNEL: own('channel_id', 'integer'),
  GROUP: own('group', 'text'),
  PROVIDER: { column: 'channel_id', type: 'integer', join: 'channels', sql: () => 'coalesce(channel.type, -1)' },
  CHANNEL_TAG: { column: 'channel_id', type: 'text', join: 'channels', sql: () => `coalesce(channel.tag, '')` },
  USER_COHORT_WEEK: {
    ...{ column: 'user_id', type: 'bigint', join: 'users' },
    sql: (zone) =>
      `coalesce(extract(epoch FROM date_trunc('week', owner.created_at AT TIME ZONE ${zone}) AT TIME ZONE ${zone})::bigint, 0)`,
  },
};

const joins = {
  channels: 'LEFT JOIN channels channel ON channel.id = used.channel_id',
  users: 'LEFT JOIN users owner ON owner.id = used.user_id',
};

/** Dimensions and filters for which five-minute usage is counted. */
const shortColumns: readonly string[] = ['channel_id', 'model_name'];

/** Collects the values of a statement. */
class Values {
  readonly list: unknown[] = [];

  /** @returns its placeholder. NUL is replaced, because neither database texts nor the protocol can contain it. */
  add(value: unknown): string {
    this.list.push(Array.isArray(value) ? value.map((one) => clean(one)) : clean(value));
    return `$${this.list.length}`;
  }
}

const clean = (value: unknown): unknown => (typeof value === 'string' ? value.replaceAll('\0', '') : value);

/**
 * Sorted groups, and their number.
 * @throws AppError INVALID_INPUT for an order that the query does not support
 */
export async function readGroups(
  database: Queries,
  query: UsageQuery,
  {
    order,
    limit,
    offset,
    after,
  }: {
    readonly order: readonly UsageOrder[];
    readonly limit: number;
    readonly offset: number;
    /** Only groups after this position in the order of time and key. */
    readonly after?: Place | undefined;
  },
  state: Watermarks,
): Promise<{ rows: GroupRow[]; count: number }> {
  const values = new Values();
  const wanted = withOrdered(query, order);
  const grouped = groupsOf(after ? behind(wanted, after) : wanted, values, state);
  const place = after ? `WHERE ${placeOf(query)} > (${placeValues(query, after, values)})` : '';
  const found = await database.query<Array<Record<string, unknown>>>(
    `SELECT *, count(*) OVER ()::text AS groups FROM (${grouped}) grouped ${place}
      ORDER BY ${orderOf(query, order)} LIMIT ${values.add(limit)} OFFSET ${values.add(offset)}`,
    values.list,
  );
  return { rows: found.map((row) => toGroup(row, query)), count: Number(found[0]?.['groups'] ?? 0) };
}

/** Rows of these keys and, if requested, of all other groups together: one per bucket, unsorted. */
export async function readChosen(
  database: Queries,
  query: UsageQuery,
  keys: ReadonlyArray<GroupRow['keys']>,
  withOthers: boolean,
  state: Watermarks,
): Promise<GroupRow[]> {
  const values = new Values();
  const found = await database.query<Array<Record<string, unknown>>>(
    groupsOf(query, values, state, { keys, withOthers }),
    values.list,
  );
  return found.map((row) => toGroup(row, query));
}

/** Totals over the whole range and filter. */
export async function readTotal(
  database: Queries,
  query: UsageQuery,
  state: Watermarks,
): Promise<Pick<GroupRow, 'current' | 'compared'>> {
  const values = new Values();
  const whole = {
    ...query,
    dimensions: [],
    current: wholeOf(query.current),
    compared: query.compared && wholeOf(query.compared),
  };
  const [row] = await database.query<Array<Record<string, unknown>>>(groupsOf(whole, values, state), values.list);
  if (!row) throw new Error('an aggregate returned no row');
  return toGroup(row, whole);
}

const wholeOf = (span: Span): Span => ({ ...span, starts: null });

/** A position in the order of time and key: the start of a bucket, and the values of the dimensions. */
export interface Place {
  readonly bucket: number | null;
  readonly keys: ReadonlyArray<number | string>;
}

/** Skips buckets before the position. Bucket numbers stay those of the whole range. */
function behind(query: UsageQuery, { bucket }: Place): UsageQuery {
  if (bucket === null) return query;
  const from = Math.max(query.current.range.from, query.current.starts?.[bucket] ?? 0);
  return { ...query, current: { ...query.current, range: { ...query.current.range, from } } };
}

const placeOf = ({ dimensions: names, current }: UsageQuery): string =>
  `(${[...(current.starts ? ['bucket'] : []), ...names.map((name, n) => sortKey(name, n))].join(', ')})`;

const placeValues = ({ dimensions: names, current }: UsageQuery, place: Place, values: Values): string =>
  [
    ...(current.starts ? [`${values.add(place.bucket ?? 0)}::integer`] : []),
    ...names.map((name, n) => `${values.add(place.keys[n])}::${dimensions[name].type}`),
  ].join(', ');

/** Sorts text by code points, independent of the database's collation. */
const sortKey = (name: UsageDimension, n: number): string =>
  dimensions[name].type === 'text' ? `key_${n} COLLATE "C"` : `key_${n}`;

/** SELECT of all groups: `key_0` …, `bucket`, `is_others`, and each counter as `current_…` and `compared_…`. */
function groupsOf(
  query: UsageQuery,
  values: Values,
  state: Watermarks,
  chosen?: { readonly keys: ReadonlyArray<GroupRow['keys']>; readonly withOthers: boolean },
): string {
  const { dimensions: names, current, compared } = query;
  const counters = countersOf(query.counters);
  const zone = names.includes('USER_COHORT_WEEK') ? `${values.add(query.timeZone)}::text` : `'UTC'`;
  const keys = names.map((name, n) => `${dimensions[name].sql(zone)} AS key_${n}`);
  const joined = [...new Set(names.flatMap((name) => dimensions[name].join ?? []))].map((table) => joins[table]);
  const spans = [current, ...(compared ? [besides(compared, current)] : [])];
  const sides = spans.map((span, side) => sideOf(query, span, side, values, state));
  const base = `SELECT side, bucket, ${[...keys, ...counters.map((column) => `used.${column}`)].join(', ')}
    FROM (${sides.join(' UNION ALL ')}) used ${joined.join(' ')}`;
  const keyNames = names.map((_, n) => `key_${n}`);
  const sums = ['current', ...(compared ? ['compared'] : [])].flatMap((name, side) =>
    counters.map((column) => `${sumOf(column, compared ? side : null)} AS ${name}_${column}`),
  );
  const groupBy = ['bucket', ...keyNames].filter((name) => name !== 'bucket' || current.starts !== null);
  if (!chosen) {
    return `SELECT ${['FALSE AS is_others', ...(current.starts ? [] : ['NULL AS bucket']), ...groupBy, ...sums].join(', ')}
      FROM (${base}) based ${groupBy.length === 0 ? '' : `GROUP BY ${groupBy.join(', ')}`}`;
  }
  const lists = names.map((name, n) => `${values.add(chosen.keys.map((key) => key[n]))}::${dimensions[name].type}[]`);
  const isChosen = `(${keyNames.join(', ')}) IN (SELECT * FROM unnest(${lists.join(', ')}))`;
  const masked = keyNames.map((name) => `CASE WHEN is_chosen THEN ${name} END AS ${name}`);
  return `SELECT ${['NOT is_chosen AS is_others', ...(current.starts ? [] : ['NULL AS bucket']), ...groupBy, ...sums].join(', ')}
    FROM (SELECT ${['side', 'bucket', 'is_chosen', ...masked, ...counters].join(', ')}
            FROM (SELECT *, ${isChosen} AS is_chosen FROM (${base}) based) marked ${chosen.withOthers ? '' : 'WHERE is_chosen'}) masked
   GROUP BY ${['is_chosen', ...groupBy].join(', ')}`;
}

/** The compared range without buckets that have no counterpart in the current range. */
function besides(compared: Span, { starts }: Span): Span {
  const end = starts ? compared.starts?.[starts.length] : undefined;
  return end === undefined ? compared : { ...compared, range: { ...compared.range, end } };
}

/** Usage of one of the two ranges, with the bucket number of each row. */
function sideOf(
  { dimensions: names, filter, counters, bucket }: UsageQuery,
  span: Span,
  side: number,
  values: Values,
  state: Watermarks,
): string {
  const conditions = conditionsOf(filter, values);
  const columns = [
    ...new Set([...names.map((name) => dimensions[name].column), ...conditions.map(({ column }) => column)]),
  ];
  const condition = conditions.map(({ sql }) => sql).join(' AND ') || 'TRUE';
  const number = (time: string): string =>
    span.starts ? `width_bucket(${time}, ${values.add(span.starts)}::bigint[]) - 1` : '0';
  const fields = [...columns.map(quoted), ...countersOf(counters)];
  if (bucket === 'MINUTE_5') {
    const unknown = columns.find((column) => !shortColumns.includes(column));
    if (unknown !== undefined) {
      throw new InvalidInputError('MINUTE_5 is counted by channel and model, for the whole site', 'bucket');
    }
    return `SELECT ${side} AS side, ${number('start')} AS bucket, ${fields.join(', ')} FROM usage_five_minutes
      WHERE start >= ${span.range.from} AND start < ${span.range.end} AND ${condition}`;
  }
  const from = usageFrom(
    {
      ranges: rangesOf(span, bucket),
      columns,
      condition,
      longest: longestOf(span, bucket),
      counters: countersOf(counters),
    },
    state,
  );
  return `SELECT ${side} AS side, ${number('hour')} AS bucket, ${fields.join(', ')} FROM ${from}`;
}

/** Rollups by day may be used if no bucket begins within a day. */
function longestOf(span: Span, bucket: TimeBucket | null): 'HOUR' | 'DAY' {
  if (bucket === 'HOUR') return 'HOUR';
  if (bucket === 'DAY') return span.starts?.every((start) => start % day === 0) ? 'DAY' : 'HOUR';
  return 'DAY';
}

/**
 * Long buckets in zones other than UTC are planned separately, so that each reads days inside and hours at its edges.
 */
function rangesOf({ range, starts }: Span, bucket: TimeBucket | null): Range[] {
  if (!starts || bucket === 'HOUR' || bucket === 'DAY' || starts.every((start) => start % day === 0)) return [range];
  return starts.map((start, n) => ({
    from: Math.max(start, range.from),
    end: Math.min(starts[n + 1] ?? range.end, range.end),
  }));
}

function conditionsOf(filter: UsageFilter, values: Values): Array<{ column: string; sql: string }> {
  const among = (column: string, type: string, list: readonly unknown[] | undefined) =>
    list === undefined ? [] : [{ column, sql: `${quoted(column)} = ANY (${values.add(list)}::${type}[])` }];
  return [
    ...among('user_id', 'integer', filter.userIds),
    ...(filter.usernames === undefined
      ? []
      : [
          {
            column: 'user_id',
            sql: `user_id IN (SELECT id FROM users WHERE username = ANY (${values.add(filter.usernames)}::text[]))`,
          },
        ]),
    ...among('token_id', 'integer', filter.tokenIds),
    ...among('channel_id', 'integer', filter.channelIds),
    ...(filter.channelTags === undefined
      ? []
      : [
          {
            column: 'channel_id',
            sql: `channel_id IN (SELECT id FROM channels WHERE tag = ANY (${values.add(filter.channelTags)}::text[]))`,
          },
        ]),
    ...among('model_name', 'text', filter.models),
    ...among('group', 'text', filter.groups),
  ];
}

const plainCounters = [
  ...['calls', 'stream_calls', 'failed_calls', 'prompt_tokens', 'completion_tokens', 'cached_tokens', 'quota'],
  'duration_ms',
];
const costCounters = ['cost_calls', 'cost_quota', 'cost_nano_usd'];

const countersOf = ({ latency, firstToken, cost }: WantedCounters): string[] =>
  usageCounters.filter(
    (column) =>
      plainCounters.includes(column) ||
      (cost && costCounters.includes(column)) ||
      (latency && column === 'duration_buckets') ||
      (firstToken && column === 'first_token_buckets'),
  );

/** @param side aggregates only rows of this side; null: there is one side */
function sumOf(column: string, side: number | null): string {
  const only = side === null ? '' : ` FILTER (WHERE side = ${side})`;
  if (histogramColumns.some((name) => name === column)) {
    return `ARRAY[${histogramSums(column, only)}]::bigint[]`;
  }
  return `coalesce(sum(${column})${only}, 0)`;
}

function toGroup(row: Record<string, unknown>, { dimensions: names, compared }: UsageQuery): GroupRow {
  const side = (name: string): CounterRow =>
    Object.fromEntries(
      usageCounters.map((column) => [
        column,
        row[`${name}_${column}`] ?? (histogramColumns.some((histogram) => histogram === column) ? [] : '0'),
      ]),
    ) as unknown as CounterRow;
  return {
    keys: names.map((name, n) => {
      const value = row[`key_${n}`] as number | string;
      return dimensions[name].type === 'text' ? value : Number(value);
    }),
    bucket: row['bucket'] === null ? null : Number(row['bucket']),
    isOthers: row['is_others'] === true,
    current: side('current'),
    compared: compared ? side('compared') : null,
  };
}

/** Metrics used for sorting are aggregated even if they are not selected. */
const withOrdered = (query: UsageQuery, order: readonly UsageOrder[]): UsageQuery => ({
  ...query,
  counters: {
    ...query.counters,
    latency: query.counters.latency || order.some(({ metric }) => metric === 'P95_MS'),
    cost: query.counters.cost || order.some(({ metric }) => metric === 'UPSTREAM_USD' || metric === 'MARGIN_USD'),
  },
});

function orderOf(query: UsageQuery, order: readonly UsageOrder[]): string {
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
  // A total order, so that pages are deterministic.
  const sorted = [...parts, ...time, ...keys];
  return sorted.length === 0 ? '1' : sorted.join(', ');
}

function sideSql(
  metric: Exclude<UsageMetric, 'TIME' | 'KEY'>,
  of: ComparisonSide,
  { compared, quotaPerUnit }: UsageQuery,
): string {
  if (of !== 'CURRENT' && !compared) {
    throw new InvalidInputError(`${of} needs compareTo`, 'orderBy');
  }
  const value = (side: 'current' | 'compared'): string => metricSql[metric](side, quotaPerUnit);
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

/** As `percentile` of `shared/latency.ts`, except that it is not rounded. */
const p95Sql = (column: string): string => `(SELECT low + (high - low) * (0.95 * total - until + count) / count
   FROM (SELECT *, sum(count) OVER (ORDER BY low) AS until, sum(count) OVER () AS total
           FROM unnest(ARRAY[0, ${durationBounds.join(', ')}], ARRAY[${durationBounds.join(', ')}, ${2 * (durationBounds.at(-1) ?? 0)}],
                       ${column}) AS bucket (low, high, count)) buckets
  WHERE count > 0 AND until >= 0.95 * total ORDER BY low LIMIT 1)`;

const metricSql: Readonly<
  Record<Exclude<UsageMetric, 'TIME' | 'KEY'>, (side: 'current' | 'compared', quotaPerUnit: number) => string>
> = {
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
  UPSTREAM_USD: (side) => `${side}_cost_nano_usd`,
  MARGIN_USD: (side, quotaPerUnit) => `(${side}_cost_quota / ${quotaPerUnit}::numeric - ${side}_cost_nano_usd / 1e9)`,
};

/**
 * Logged calls by hour and model, in the order of hours: `rows` is a JSON list of `[hour, model, calls, tokens,
 * quota]`. A month has thousands of such rows, and the driver takes longer to read rows than the database to find them.
 * When the limit cuts the list, some models of its last hour may be missing.
 */
export function hourlyModelStatement(
  range: Range,
  userId: number | null,
  limit: number,
  state: Watermarks,
): { sql: string; values: unknown[] } {
  const from = usageFrom(
    {
      ranges: [range],
      columns: ['model_name', ...(userId === null ? [] : ['user_id'])],
      condition: userId === null ? 'TRUE' : 'user_id = $1',
      longest: 'HOUR',
      counters: ['logged_calls', 'prompt_tokens', 'completion_tokens', 'logged_quota'],
    },
    state,
  );
  const sql = `SELECT '[' || coalesce(string_agg(
      concat('[', hour, ',', to_json(model_name), ',', calls, ',', tokens, ',', quota, ']'), ','), '') || ']' AS rows
    FROM (SELECT hour, model_name, sum(logged_calls) AS calls, sum(prompt_tokens + completion_tokens) AS tokens,
                 sum(logged_quota) AS quota
            FROM ${from} WHERE logged_calls > 0 GROUP BY hour, model_name ORDER BY hour LIMIT ${limit}) models`;
  return { sql, values: userId === null ? [] : [userId] };
}
