import { longZoneName } from '../../shared/calendar.js';
import { InvalidInputError } from '../../shared/errors.js';
import { searchable } from '../../shared/json.js';
import {
  callsFrom,
  day,
  detailColumns,
  histogramColumns,
  histogramSums,
  logRowsSql,
  planCalls,
  quoted,
  type Range,
  type RollupState,
  usageCounters,
  usageFrom,
} from '../../billing/rollups/index.js';
import { dimensions, joins, shortColumns } from './usage-dimensions.js';
import { fieldOfCalls, isFromLog, typesOf } from './usage-log.js';
import { type UsageDimension, type UsageFilter, type UsageQuery, type WantedCounters } from './usage-question.js';
import type { CounterRow } from './usage-row.js';
import type { Span, TimeBucket } from './usage-time.js';

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

/** Collects the values of a statement. */
export class Values {
  readonly list: unknown[] = [];

  /**
   * Adds a value. NUL is replaced, because neither database texts nor the protocol can contain it.
   * @returns its placeholder
   */
  add(value: unknown): string {
    this.list.push(Array.isArray(value) ? value.map(searchable) : searchable(value));
    return `$${this.list.length}`;
  }
}

/** Groups whose rows are read. */
export interface ChosenGroups {
  readonly keys: ReadonlyArray<GroupRow['keys']>;
  /** The dimensions that `keys` are of. Absent: all dimensions of the query. */
  readonly by?: readonly UsageDimension[] | undefined;
  /** Whether to add up all other groups in a row per bucket. */
  readonly withOthers: boolean;
}

/**
 * Returns SELECT of groups: `key_0` …, `bucket`, `is_others`, and each counter as `current_…` and `compared_…`.
 * @param counters columns to add up
 * @param chosen absent for all groups
 */
export function groupsSql(
  query: UsageQuery,
  counters: readonly string[],
  values: Values,
  state: RollupState,
  chosen?: ChosenGroups,
): string {
  const { dimensions: names, current, compared } = query;
  const zone = names.includes('USER_COHORT_WEEK') ? `${values.add(longZoneName(query.timeZone))}::text` : `'UTC'`;
  const keys = names.map((name, n) => `${dimensions[name].sql} AS key_${n}`);
  const joined = [...new Set(names.flatMap((name) => dimensions[name].join ?? []))].map((table) => joins[table](zone));
  const spans = [current, ...(compared ? [besides(compared, current)] : [])];
  const conditions = () => [...conditionsOf(query.filter, values), ...conditionsOfChosen(query, chosen, values)];
  const sides = spans.map((span, side) =>
    sideOf({ query, span, side, counters, conditions: conditions() }, values, state),
  );
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
  const by = chosen.by ?? names;
  const lists = by.map((name, n) => `${values.add(chosen.keys.map((key) => key[n]))}::${dimensions[name].type}[]`);
  const isChosen = `(${by.map((name) => `key_${names.indexOf(name)}`).join(', ')}) IN (SELECT * FROM unnest(${lists.join(', ')}))`;
  const masked = keyNames.map((name) => `CASE WHEN is_chosen THEN ${name} END AS ${name}`);
  return `SELECT ${['NOT is_chosen AS is_others', ...(current.starts ? [] : ['NULL AS bucket']), ...groupBy, ...sums].join(', ')}
    FROM (SELECT ${['side', 'bucket', 'is_chosen', ...masked, ...counters].join(', ')}
            FROM (SELECT *, ${isChosen} AS is_chosen FROM (${base}) based) marked ${chosen.withOthers ? '' : 'WHERE is_chosen'}) masked
   GROUP BY ${['is_chosen', ...groupBy].join(', ')}`;
}

/** Returns the compared range without buckets that have no counterpart in the current range. */
function besides(compared: Span, { starts }: Span): Span {
  const end = starts ? compared.starts?.[starts.length] : undefined;
  return end === undefined
    ? compared
    : { ...compared, range: { ...compared.range, end: Math.min(compared.range.end, end) } };
}

/**
 * Returns the usage of one of the two ranges, with the bucket number of each row. Its columns are only those that the
 * outer statement uses, in that order: otherwise Postgres copies every row once more to leave out or reorder columns.
 */
function sideOf(
  {
    query,
    span,
    side,
    counters,
    conditions,
  }: {
    readonly query: UsageQuery;
    readonly span: Span;
    readonly side: number;
    readonly counters: readonly string[];
    readonly conditions: readonly Condition[];
  },
  values: Values,
  state: RollupState,
): string {
  const { dimensions: names, bucket } = query;
  const own = names.filter((name) => !dimensions[name].join).map((name) => dimensions[name].column);
  const joined = names.filter((name) => dimensions[name].join).map((name) => dimensions[name].column);
  const columns = columnsOf(query, counters, conditions);
  const condition = allOf(sqlOf(conditions));
  const number = (time: string): string =>
    span.starts ? `width_bucket(${time}, ${values.add(span.starts)}::bigint[]) - 1` : '0';
  const fields = [...new Set([...own.map(quoted), ...counters, ...joined])];
  if (isFromLog(query)) {
    const from = callsFrom(
      {
        ...callsOf(query, span, columns),
        condition: allOf([typesOf(query), ...sqlOf(conditions.filter((one) => !isOfDetails(one)))]),
        ofDetails: allOf(sqlOf(conditions.filter(isOfDetails))),
        fields: [...(span.starts ? ['hour'] : []), ...fields].map((name) => fieldOfCalls(name, query.quotaPerUnit)),
      },
      state,
    );
    return `SELECT ${side} AS side, ${number('hour')} AS bucket, ${fields.join(', ')} FROM ${from}`;
  }
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
      fields: [
        ...(span.starts ? ['hour'] : []),
        ...fields.map((field) => (field === activeUsers ? `CASE WHEN calls > 0 THEN user_id END AS ${field}` : field)),
      ],
    },
    state,
  );
  return `SELECT ${side} AS side, ${number('hour')} AS bucket, ${fields.join(', ')} FROM ${from}`;
}

/** The question to `callsFrom` about one of the two ranges. */
const callsOf = ({ bucket }: UsageQuery, span: Span, columns: readonly string[]) =>
  bucket === 'MINUTE_5'
    ? { ranges: [span.range], columns, longest: null }
    : { ranges: rangesOf(span, bucket), columns, longest: longestOf(span, bucket) };

/** Returns SQL of the number of log rows that a query reads one by one; null for none. */
export function readLogRowsSql(query: UsageQuery, values: Values, state: RollupState): string | null {
  const columns = columnsOf(query, countersOf(query.counters), conditionsOf(query.filter, new Values()));
  const ranges = [query.current, query.compared].flatMap((span) =>
    span ? planCalls(callsOf(query, span, columns), state).source : [],
  );
  if (ranges.length === 0) return null;
  const { tokenIds: _withoutIndex, upstreamKeys: _inText, ...indexed } = query.filter;
  const errors = query.source === 'logOfFailures' ? [{ column: 'type', sql: typesOf(query) } as const] : [];
  const conditions = [...errors, ...conditionsOf(indexed, values)];
  return ranges.map((range) => logRowsSql(range, conditions, state)).join(' + ');
}

/** Returns the columns that a query groups by, counts or filters on. */
const columnsOf = (
  { dimensions: names }: UsageQuery,
  counters: readonly string[],
  conditions: readonly Condition[],
): string[] => [
  ...new Set([
    ...names.map((name) => dimensions[name].column),
    ...(counters.includes(activeUsers) ? ['user_id'] : []),
    ...conditions.map(({ column }) => column),
  ]),
];

/** Returns the longest granularity that may be used: no bucket of time may begin within a daily rollup. */
const longestOf = ({ starts }: Span, bucket: TimeBucket | null): 'HOUR' | 'DAY' =>
  (bucket === 'HOUR' || bucket === 'DAY') && starts?.some((start) => start % day !== 0) ? 'HOUR' : 'DAY';

/**
 * Returns the ranges to plan. Long buckets in zones other than UTC are planned separately, so that each reads days
 * inside and hours at its edges.
 */
function rangesOf({ range, starts }: Span, bucket: TimeBucket | null): Range[] {
  if (!starts || bucket === 'HOUR' || bucket === 'DAY' || starts.every((start) => start % day === 0)) return [range];
  return starts
    .map((start, n) => ({
      from: Math.max(start, range.from),
      end: Math.min(starts[n + 1] ?? range.end, range.end),
    }))
    .filter(({ from, end }) => from < end);
}

/** A condition on one column of the usage tables. */
interface Condition {
  readonly column: string;
  readonly sql: string;
}

const sqlOf = (conditions: readonly Condition[]): string[] => conditions.map(({ sql }) => sql);
const allOf = (sql: readonly string[]): string => sql.join(' AND ') || 'TRUE';
/** Whether the log has the column in the text of its rows only. */
const isOfDetails = ({ column }: Condition): boolean => detailColumns.some((detail) => detail === column);

/**
 * Returns conditions that exclude rows of other groups before they are added up. The chosen keys are compared exactly
 * later.
 */
function conditionsOfChosen(
  { dimensions: names }: UsageQuery,
  chosen: ChosenGroups | undefined,
  values: Values,
): Condition[] {
  if (!chosen || chosen.withOthers) return [];
  return (chosen.by ?? names).flatMap((name, n) => {
    const { column, type, join } = dimensions[name];
    if (join) return [];
    const list = [...new Set(chosen.keys.map((key) => key[n]))];
    return [{ column, sql: `${quoted(column)} = ANY (${values.add(list)}::${type}[])` }];
  });
}

function conditionsOf(filter: UsageFilter, values: Values): Condition[] {
  const among = (column: string, type: string, list: readonly unknown[] | undefined) =>
    list === undefined ? [] : [{ column, sql: `${quoted(column)} = ANY (${values.add(list)}::${type}[])` }];
  const keysWith = (column: string, ids: readonly number[] | undefined) =>
    ids === undefined
      ? []
      : [
          {
            column: 'token_id',
            sql: `token_id IN (SELECT id FROM tokens WHERE ${column} <> 0 AND ${column} = ANY (${values.add(ids)}::integer[]))`,
          },
        ];
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
    ...keysWith('member_id', filter.memberIds),
    ...keysWith('project_id', filter.projectIds),
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
    ...among('upstream_key', 'text', filter.upstreamKeys),
  ];
}

const plainCounters = [
  ...['calls', 'stream_calls', 'failed_calls', 'prompt_tokens', 'completion_tokens', 'cached_tokens', 'quota'],
  'duration_ms',
];
const costCounters = ['cost_calls', 'cost_quota', 'cost_plan_quota', 'cost_nano_usd'];
const cacheCounters = ['cache_write_tokens', 'cache_saved_nano_usd'];
/** The counter of users with answered calls. It counts their ids, and is no column of the usage tables. */
const activeUsers = 'active_users';
/** All columns of a `CounterRow`. */
export const counterNames: readonly string[] = [...usageCounters, ...cacheCounters, activeUsers];

/** Columns that the wanted counters are read from. */
export const countersOf = ({ latency, firstToken, cost, ...wanted }: WantedCounters): string[] =>
  counterNames.filter(
    (column) =>
      (wanted.plain ?? plainCounters).includes(column) ||
      (cost && costCounters.includes(column)) ||
      (wanted.cache && cacheCounters.includes(column)) ||
      (wanted.activeUsers && column === activeUsers) ||
      (latency && column === 'duration_buckets') ||
      (firstToken && column === 'first_token_buckets'),
  );

/** @param side aggregates only rows of this side; null when there is one side */
function sumOf(column: string, side: number | null): string {
  const only = side === null ? '' : ` FILTER (WHERE side = ${side})`;
  if (column === activeUsers) return `count(DISTINCT ${column})${only}`;
  if (histogramColumns.some((name) => name === column)) {
    return `ARRAY[${histogramSums(column, only)}]::bigint[]`;
  }
  return `coalesce(sum(${column})${only}, 0)`;
}

/** Counters without any usage. */
export const zero = Object.fromEntries(
  counterNames.map((column) => [column, histogramColumns.some((histogram) => histogram === column) ? [] : '0']),
) as unknown as CounterRow;

/** The counters of one side, with the columns of the statement that they are in. */
const countersOfSide = (side: 'current' | 'compared') =>
  counterNames.map((counter) => [counter as keyof CounterRow, `${side}_${counter}`] as const);
const sides = { current: countersOfSide('current'), compared: countersOfSide('compared') };

function countersIn(row: Record<string, unknown>, columns: (typeof sides)['current']): CounterRow {
  const found: Record<string, unknown> = {};
  for (const [counter, column] of columns) found[counter] = row[column] ?? zero[counter];
  return found as unknown as CounterRow;
}

/** One row of the statement. Postgres returns big integers as text. */
export function toGroup(row: Record<string, unknown>, { dimensions: names, compared }: UsageQuery): GroupRow {
  return {
    keys: names.map((name, n) => {
      const value = row[`key_${n}`] as number | string;
      return dimensions[name].type === 'text' ? value : Number(value);
    }),
    bucket: row['bucket'] === null ? null : Number(row['bucket']),
    isOthers: row['is_others'] === true,
    current: countersIn(row, sides.current),
    compared: compared ? countersIn(row, sides.compared) : null,
  };
}
