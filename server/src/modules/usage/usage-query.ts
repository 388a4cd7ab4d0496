import { InvalidInputError } from '../../shared/errors.js';
import { durationBounds } from '../../shared/latency.js';
import type { PageQuery } from '../../shared/page.js';
import {
  bucketSums,
  hour,
  isUniqueBy,
  usageCounters,
  usageFrom,
  type FoldState,
  type Queries,
} from '../sums/sums.service.js';
import type { CountedGroups, GroupKey, GroupRow } from './usage-row.js';

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
  readonly field: 'time' | 'userId' | 'tokenId' | 'modelName' | 'channelId' | 'group';
  readonly type: 'bigint' | 'integer' | 'text';
}

const dimensions: Readonly<Record<UsageDimension, Dimension>> = {
  DAY: { sql: `hour - hour % ${day}`, field: 'time', type: 'bigint' },
  HOUR: { sql: 'hour', field: 'time', type: 'bigint' },
  USER: { sql: 'user_id', column: 'user_id', field: 'userId', type: 'integer' },
  TOKEN: { sql: 'token_id', column: 'token_id', field: 'tokenId', type: 'integer' },
  MODEL: { sql: 'model_name', column: 'model_name', field: 'modelName', type: 'text' },
  CHANNEL: { sql: 'channel_id', column: 'channel_id', field: 'channelId', type: 'integer' },
  GROUP: { sql: '"group"', column: 'group', field: 'group', type: 'text' },
};

const counts: Readonly<Record<string, string>> = {
  calls: 'sum(calls)',
  streamCalls: 'sum(stream_calls)',
  failedCalls: 'sum(failed_calls)',
  promptTokens: 'sum(prompt_tokens)',
  completionTokens: 'sum(completion_tokens)',
  cachedTokens: 'sum(cached_tokens)',
  quota: 'sum(quota)',
};

/** What every group is summed up to; the driver hands such numbers on as text, and only those of the page. */
const sums: Readonly<Record<string, string>> = { ...counts, durationMs: 'sum(duration_ms)' };

/** As `percentile` finds it, save that it is not rounded. */
const p95 = `(SELECT low + (high - low) * (0.95 * total - until + count) / count
   FROM (SELECT *, sum(count) OVER (ORDER BY low) AS until, sum(count) OVER () AS total
           FROM unnest(ARRAY[0, ${durationBounds.join(', ')}], ARRAY[${durationBounds.join(', ')}, ${2 * (durationBounds.at(-1) ?? 0)}],
                       ARRAY[${bucketSums}]) AS bucket (low, high, count)) buckets
  WHERE count > 0 AND until >= 0.95 * total ORDER BY low LIMIT 1)`;

/** Fields a list can be ordered by, besides its dimensions. */
const orders: Readonly<Record<string, string>> = {
  ...counts,
  usd: 'sum(quota)',
  totalTokens: 'sum(prompt_tokens + completion_tokens)',
  averageMilliseconds: 'sum(duration_ms) / nullif(sum(calls), 0)',
  p95Milliseconds: p95,
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

interface GroupQuestion {
  readonly groupBy: readonly UsageDimension[];
  readonly filter: WholeUsageFilter;
  readonly page: PageQuery;
  readonly percentiles: boolean;
}

/**
 * One page of groups, each with `groups`, the number of all of them. Where there may be thousands, only what they are ordered
 * by is added up of all, and the rest of those on the page.
 * @throws InvalidInputError
 */
export async function readGroups(
  database: Queries,
  question: GroupQuestion,
  state: FoldState,
): Promise<ReadonlyArray<GroupRow & CountedGroups>> {
  if (hasCheapDetails(question)) {
    return readDetails(database, question, await readKeys(database, question, state), state);
  }
  const detail = sumColumns(question.percentiles);
  const { sql, values } = pageStatement(dimensionsOf(question.groupBy), question, detail, state);
  return database.query<Array<GroupRow & CountedGroups>>(sql, values);
}

/** Reading twice costs less than adding up everything of everybody: the tables by user and by key find some of them. */
const hasCheapDetails = ({ groupBy, filter, percentiles }: GroupQuestion): boolean =>
  (groupBy.includes('USER') || groupBy.includes('TOKEN')) &&
  groupBy.every((name) => ['DAY', 'HOUR', 'USER', 'TOKEN'].includes(name)) &&
  (groupBy.includes('DAY') || groupBy.includes('HOUR') || percentiles) &&
  equalOf(filter).equal.length === 0;

/** The groups of a page, and how many there are; not what they add up to. @throws InvalidInputError */
function readKeys(
  database: Queries,
  question: GroupQuestion,
  state: FoldState,
): Promise<Array<GroupKey & CountedGroups>> {
  const { sql, values } = pageStatement(dimensionsOf(question.groupBy), question, '', state);
  return database.query<Array<GroupKey & CountedGroups>>(sql, values);
}

/**
 * The next groups behind one of them, by time and then by what is asked for. Calls do not change this order, as they do every
 * order by sums, so whoever reads on behind the last group meets each of them once.
 * @throws InvalidInputError
 */
export function readKeysBehind(
  database: Queries,
  { groupBy, filter }: Omit<GroupQuestion, 'page'>,
  last: GroupKey | undefined,
  most: number,
  state: FoldState,
): Promise<GroupKey[]> {
  const asked = dimensionsOf(groupBy);
  const chosen = [...asked.filter(isTime), ...asked.filter((dimension) => !isTime(dimension))];
  const whole = rangeOf(filter);
  // What lies before the last group's time is behind us, and not read again.
  const range = { ...whole, from: Math.max(whole.from, Number(last?.time ?? 0)) };
  const question = { filter, range, columns: columnsOf(chosen), longest: longestOf(chosen) };
  const { from, values } = usageOf(question, '', state);
  const places = chosen.map(({ type }, index) => `$${values.length + index + 1}::${type}`).join(', ');
  const sql = `SELECT ${fieldsOf(chosen)} FROM ${from} ${last ? `WHERE (${orderOf(chosen)}) > (${places})` : ''}
    GROUP BY ${keysOf(chosen)} ORDER BY ${orderOf(chosen)} LIMIT ${most}`;
  return database.query<GroupKey[]>(sql, [...values, ...(last ? chosen.map(({ field }) => last[field]) : [])]);
}

/** What some groups add up to, in their order. */
export async function readDetails<Key extends GroupKey>(
  database: Queries,
  { groupBy, filter, percentiles }: Omit<GroupQuestion, 'page'>,
  keys: readonly Key[],
  state: FoldState,
): Promise<Array<GroupRow & Key>> {
  if (keys.length === 0) return [];
  const chosen = dimensionsOf(groupBy);
  const { sql, values } = detailStatement(chosen, filter, keys, sumColumns(percentiles), state);
  const found = await database.query<GroupRow[]>(sql, values);
  const textOf = (key: GroupKey): string => JSON.stringify(chosen.map(({ field }) => key[field]));
  const sumsOf = new Map(found.map((row) => [textOf(row), row]));
  return keys.flatMap((key) => {
    const row = sumsOf.get(textOf(key));
    return row ? [{ ...row, ...key }] : [];
  });
}

function dimensionsOf(groupBy: readonly UsageDimension[]): Dimension[] {
  if (new Set(groupBy).size !== groupBy.length || groupBy.length === 0) {
    throw new InvalidInputError('Group by one or more dimensions, each once', 'groupBy');
  }
  if (groupBy.includes('DAY') && groupBy.includes('HOUR')) {
    throw new InvalidInputError('Group by day or by hour, not both', 'groupBy');
  }
  return groupBy.map((name) => dimensions[name]);
}

const fieldsOf = (chosen: readonly Dimension[]): string =>
  chosen.map(({ sql, field }) => `${sql} AS "${field}"`).join(', ');
const keysOf = (chosen: readonly Dimension[]): string => chosen.map(({ sql }) => sql).join(', ');
/** Text by code points, whatever the order of the database is. */
const sortKey = ({ sql, type }: Dimension): string => (type === 'text' ? `${sql} COLLATE "C"` : sql);
const orderOf = (chosen: readonly Dimension[]): string => chosen.map(sortKey).join(', ');
const isTime = ({ field }: Dimension): boolean => field === 'time';
const columnsOf = (chosen: readonly Dimension[]): string[] => chosen.flatMap(({ column }) => column ?? []);

/** Hours that may be one row. */
const longestOf = (chosen: readonly Dimension[]): number =>
  chosen.includes(dimensions.HOUR) ? 1 : chosen.includes(dimensions.DAY) ? 24 : Infinity;

/** The groups of a page in their order. @param detail what is told of them beside their number */
function pageStatement(
  chosen: readonly Dimension[],
  { filter, page: { sort, page, pageSize } }: GroupQuestion,
  detail: string,
  state: FoldState,
): Statement {
  const ordered = order(chosen, sort);
  const { from, values } = usageOf(
    { filter, range: rangeOf(filter), columns: columnsOf(chosen), longest: longestOf(chosen) },
    `${detail} ${ordered}`,
    state,
  );
  const tail = [...values, pageSize, page * pageSize];
  const sql = `SELECT ${fieldsOf(chosen)}, ${detail === '' ? '' : `${detail}, `}count(*) OVER () AS groups
    FROM ${from} GROUP BY ${keysOf(chosen)} ORDER BY ${ordered}
    LIMIT $${tail.length - 1} OFFSET $${tail.length}`;
  return { sql, values: tail };
}

/** Sums of some groups in no order, read by their ids and times, as far as these tell them apart. */
function detailStatement(
  chosen: readonly Dimension[],
  filter: WholeUsageFilter,
  keys: readonly GroupKey[],
  detail: string,
  state: FoldState,
): Statement {
  const lists = chosen.map(({ field }) => keys.map((key) => key[field]));
  const times = keys.flatMap(({ time }) => (time === undefined ? [] : [Number(time)]));
  const whole = rangeOf(filter);
  const length = chosen.includes(dimensions.HOUR) ? hour : day;
  const range =
    times.length === 0
      ? whole
      : { from: Math.max(whole.from, Math.min(...times)), end: Math.min(whole.end, Math.max(...times) + length) };
  const ids = chosen.flatMap(({ column, type }, index) =>
    column !== undefined && type === 'integer' ? [{ column, list: [...new Set(lists[index])] }] : [],
  );
  const { from, values } = usageOf(
    { filter, range, columns: columnsOf(chosen), longest: longestOf(chosen), among: ids },
    detail,
    state,
  );
  const all = [...values, ...lists];
  const given = chosen.map(({ type }, index) => `$${values.length + index + 1}::${type}[]`).join(', ');
  const sql = `SELECT ${fieldsOf(chosen)}, ${detail} FROM ${from}
    WHERE (${keysOf(chosen)}) IN (SELECT * FROM unnest(${given})) GROUP BY ${keysOf(chosen)}`;
  return { sql, values: all };
}

export function totalStatement(filter: WholeUsageFilter, percentiles: boolean, state: FoldState): Statement {
  const detail = sumColumns(percentiles);
  const { from, values } = usageOf({ filter, range: rangeOf(filter), columns: [], longest: Infinity }, detail, state);
  return { sql: `SELECT ${detail} FROM ${from}`, values };
}

/**
 * Calls that have a log row, by hour and model, in the order of hours: `rows` is a JSON list of `[hour, model, calls, tokens,
 * quota]`, because a month of hours is many thousands of them, and the driver takes longer to read rows than the database to
 * find them. Of an hour with which the list ends for being too long, any models may be missing.
 */
export function hourlyModelStatement(filter: WholeUsageFilter, most: number, state: FoldState): Statement {
  const question = { filter, range: rangeOf(filter), columns: ['model_name'], longest: 1 };
  const counters = ['logged_calls', 'prompt_tokens', 'completion_tokens', 'logged_quota'];
  // Of everybody the sums have these rows as they are: nothing is left to be added up.
  const isUnique = isUniqueBy({ columns: question.columns, equal: equalOf(filter).equal });
  const { from, values } = usageOf({ ...question, isUnique }, counters.join(' '), state);
  const models = isUnique
    ? `SELECT hour, model_name, logged_calls AS calls, prompt_tokens + completion_tokens AS tokens, logged_quota AS quota
         FROM ${from} WHERE logged_calls > 0`
    : `SELECT hour, model_name, sum(logged_calls) AS calls, sum(prompt_tokens + completion_tokens) AS tokens,
              sum(logged_quota) AS quota
         FROM ${from} WHERE logged_calls > 0 GROUP BY hour, model_name`;
  const sql = `SELECT '[' || coalesce(string_agg(
      concat('[', hour, ',', to_json(model_name), ',', calls, ',', tokens, ',', quota, ']'), ','), '') || ']' AS rows
    FROM (${models} ORDER BY hour LIMIT ${most}) models`;
  return { sql, values };
}

/** Time first when it is asked for, the dearest first otherwise; the dimensions make every order complete. */
function order(chosen: readonly Dimension[], sort: PageQuery['sort']): string {
  const keys = orderOf(chosen);
  if (!sort) {
    const time = chosen.find(isTime);
    return time ? `${time.sql} ASC, sum(quota) DESC, ${keys}` : `sum(quota) DESC, ${keys}`;
  }
  const own = chosen.find(({ field }) => field === sort.field);
  const sql = own ? sortKey(own) : Object.hasOwn(orders, sort.field) ? orders[sort.field] : undefined;
  if (!sql) {
    const known = [...chosen.map(({ field }) => field), ...Object.keys(orders)].join(', ');
    throw new InvalidInputError(`Usage grouped like this can be ordered by ${known}`, 'orderBy');
  }
  return `${sql} ${sort.direction} NULLS LAST, ${keys}`;
}

interface RowQuestion {
  readonly filter: WholeUsageFilter;
  readonly range: { readonly from: number; readonly end: number };
  readonly columns: readonly string[];
  /** Hours that may be one row. */
  readonly longest: number;
  /** Columns of which only these values count. */
  readonly among?: ReadonlyArray<{ readonly column: string; readonly list: readonly unknown[] }>;
  readonly isUnique?: boolean;
}

/** Whole hours. */
const rangeOf = ({ from, to }: WholeUsageFilter): RowQuestion['range'] => ({
  from: Math.floor(from / hour) * hour,
  end: (Math.floor(to / hour) + 1) * hour,
});

/** Usage added up as far as the question lets it be. @param named SQL that names every counter that is needed */
function usageOf(
  { filter, among = [], ...question }: RowQuestion,
  named: string,
  state: FoldState,
): { from: string; values: unknown[] } {
  const { equal, values } = equalOf(filter);
  const listed = among.map(({ column }, index) => ({ column, placeholder: `$${values.length + index + 1}` }));
  const counters = usageCounters.filter((column) => new RegExp(`\\b${column}\\b`).test(named));
  const from = usageFrom({ ...question, equal, among: listed, counters }, state);
  return { from, values: [...values, ...among.map(({ list }) => list)] };
}

function equalOf(filter: UsageFilter): { equal: Array<{ column: string; placeholder: string }>; values: unknown[] } {
  const given = Object.entries({
    user_id: filter.userId,
    token_id: filter.tokenId,
    channel_id: filter.channelId,
    model_name: filter.modelName?.replaceAll('\0', ''),
    group: filter.group?.replaceAll('\0', ''),
  }).filter(([, value]) => value !== undefined);
  const equal = given.map(([column], index) => ({ column, placeholder: `$${index + 1}` }));
  return { equal, values: given.map(([, value]) => value) };
}
