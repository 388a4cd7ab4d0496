import { InvalidInputError } from '../../shared/errors.js';
import { searchable } from '../../shared/json.js';
import { loggedDurationMs, loggedText } from '../../shared/logged-details.js';
import { escapeLike } from '../../shared/page.js';
import { logFrom, maxLogSeconds, type Queries, type Range, type RollupState } from '../../billing/rollups/index.js';
import { callTypes, creditTypes, LogType } from '../../shared/log-type.js';
import { viewColumns, type ViewRow } from './log-view.js';
import { secondsIn } from '../../shared/clock.js';

/**
 * Which log rows to read. Absent fields do not restrict; an empty list matches nothing. Times are Unix seconds: `from`
 * is included, `until` is not.
 */
export interface LogFilter {
  readonly types?: readonly number[];
  readonly userIds?: readonly number[];
  readonly username?: string;
  readonly tokenIds?: readonly number[];
  readonly tokenName?: string;
  /** Full names; `*` matches any text. */
  readonly models?: readonly string[];
  readonly groups?: readonly string[];
  readonly channelIds?: readonly number[];
  readonly from?: number;
  readonly until?: number;
  readonly requestId?: string;
  /**
   * Minimum quota, included. Like `quotaBelow`, it leaves out rows of credits and deductions unless `types` are given.
   */
  readonly quotaAtLeast?: number;
  /** Exclusive upper limit of the quota. */
  readonly quotaBelow?: number;
  /** Codes of failed calls. No index has them, so the range is limited (`assertScannable`, `assertFewScanned`). */
  readonly errorCodes?: readonly string[];
  /** Milliseconds, included. Like `durationBelow`, it is of calls, and the range is limited. */
  readonly durationAtLeast?: number;
  readonly durationBelow?: number;
}

/** The conditions of one statement, and the values of their placeholders. */
export class Where {
  private readonly clauses: string[] = [];

  /** @param values the values of the statement so far */
  constructor(readonly values: unknown[] = []) {}

  /** @param sql contains `?` in place of the value */
  and(sql: string, value: unknown): this {
    this.clauses.push(sql.replace('?', this.value(value)));
    return this;
  }

  /**
   * Adds a condition that the column has one of these values. One value is compared with `=`, which keeps the order of
   * its index.
   */
  among(column: string, values: readonly (string | number)[] | undefined): this {
    if (values === undefined) return this;
    const [first, ...others] = values;
    return first !== undefined && others.length === 0
      ? this.and(`${column} = ?`, first)
      : this.and(`${column} = ANY (?)`, values);
  }

  /** @returns the placeholder of a value that is used outside a condition */
  value(value: unknown): string {
    this.values.push(Array.isArray(value) ? value.map(searchable) : searchable(value));
    return `$${this.values.length}`;
  }

  toString(): string {
    return this.clauses.length === 0 ? 'TRUE' : this.clauses.join(' AND ');
  }
}

/** Adds every condition except the time range. */
export function andLogFields(where: Where, filter: LogFilter): Where {
  where
    .among('type', filter.types)
    .among('user_id', filter.userIds)
    .among('token_id', filter.tokenIds)
    .among('channel_id', filter.channelIds)
    .among('"group"', filter.groups);
  if (filter.models !== undefined) andModels(where, filter.models);
  if (filter.username !== undefined) where.and('username = ?', filter.username);
  if (filter.tokenName !== undefined) where.and('token_name = ?', filter.tokenName);
  if (filter.requestId !== undefined) where.and('request_id = ?', filter.requestId);
  if (filter.quotaAtLeast !== undefined) where.and('quota >= ?', filter.quotaAtLeast);
  if (filter.quotaBelow !== undefined) where.and('quota < ?', filter.quotaBelow);
  if (filter.errorCodes !== undefined) {
    // The placeholder comes first: the details are found by patterns with question marks.
    where.and('type = ?', LogType.error).and(`?::text[] @> ARRAY[${loggedText('error_code')}]`, filter.errorCodes);
  }
  if (filter.durationAtLeast !== undefined || filter.durationBelow !== undefined)
    where.and('type = ANY (?)', callTypes);
  if (filter.durationAtLeast !== undefined) {
    // The column has whole seconds. The query compares it first, because it takes less time than the details.
    where.and('use_time >= ?', Math.floor(secondsIn(filter.durationAtLeast)));
    where.and(`?::bigint <= ${loggedDurationMs}`, filter.durationAtLeast);
  }
  if (filter.durationBelow !== undefined) where.and(`?::bigint > ${loggedDurationMs}`, filter.durationBelow);
  if (leavesOutCredits(filter)) where.and('type <> ALL (?)', creditTypes);
  return where;
}

/**
 * Whether rows of credits are left out. A quota means the cost of a call, unless the filter has types, which may
 * include credits.
 */
export const leavesOutCredits = ({ types, quotaAtLeast, quotaBelow }: LogFilter): boolean =>
  types === undefined && (quotaAtLeast !== undefined || quotaBelow !== undefined);

/** Whether a filter is by details of calls, which neither an index nor a rollup has. */
export const isByDetails = (filter: LogFilter): boolean => columnsOf(filter).includes('other');

/**
 * @param now Unix seconds
 * @throws AppError INVALID_INPUT for a filter by details of a long range
 */
export function assertScannable(filter: LogFilter, now: number): void {
  if (!isByDetails(filter) || (filter.from !== undefined && (filter.until ?? now) - filter.from <= maxLogSeconds))
    return;
  throw new InvalidInputError(
    'A filter by duration or code of error needs a time range of at most 31 days',
    'filter.at',
  );
}

function andRange(where: Where, filter: LogFilter): Where {
  if (filter.from !== undefined) where.and('created_at >= ?', filter.from);
  if (filter.until !== undefined) where.and('created_at < ?', filter.until);
  return where;
}

/** Returns the complete filter, including the time range, for lists. */
export function logConditions(filter: LogFilter): Where {
  return andRange(andLogFields(new Where(), filter), filter);
}

/** The text after FROM, and the values of its placeholders. */
export interface Source {
  readonly from: string;
  readonly values: unknown[];
}

/** Returns rollups of the rows that match a filter (`logFrom`); null when only the rows have the columns. */
export function logSource(
  filter: LogFilter,
  state: RollupState,
  { longest, only }: { longest?: 'HOUR' | 'DAY'; only?: 'rollups' | 'rows' } = {},
): Source | null {
  const where = andLogFields(new Where(), filter);
  const condition = where.toString();
  const from = logFrom({ range: rangeOf(filter), columns: columnsOf(filter), condition, longest, only }, state);
  return from === null ? null : { from, values: where.values };
}

export const rangeOf = ({ from, until }: LogFilter): Range => ({
  from: from ?? 0,
  end: until ?? Number.MAX_SAFE_INTEGER,
});

/** Returns the columns of the log that a filter restricts, except the time. */
export const columnsOf = (filter: LogFilter): string[] =>
  Object.entries(logColumns).flatMap(([field, column]) =>
    filter[field as keyof typeof logColumns] === undefined ? [] : [column],
  );

const logColumns = {
  types: 'type',
  userIds: 'user_id',
  username: 'username',
  tokenIds: 'token_id',
  tokenName: 'token_name',
  models: 'model_name',
  groups: 'group',
  channelIds: 'channel_id',
  requestId: 'request_id',
  quotaAtLeast: 'quota',
  quotaBelow: 'quota',
  errorCodes: 'other',
  durationAtLeast: 'other',
  durationBelow: 'other',
} as const satisfies Record<keyof Omit<LogFilter, 'from' | 'until'>, string>;

export const isPattern = (model: string): boolean => model.includes('*');

/** True for at most one column with one value, whose index already has the order of the page. */
export function isIndexed(filter: LogFilter): boolean {
  const lists = [filter.types, filter.userIds, filter.tokenIds, filter.models, filter.groups, filter.channelIds];
  return (
    columnsOf(filter).length <= 1 &&
    lists.every((list) => list === undefined || list.length === 1) &&
    !(filter.models ?? []).some(isPattern)
  );
}

/** Whether a filter has a field of which few rows are, as an index finds them: of users, channels, models, groups or keys. */
export const isNarrowed = ({
  userIds,
  username,
  channelIds,
  models,
  groups,
  tokenIds,
  tokenName,
}: LogFilter): boolean =>
  [userIds, username, channelIds, groups, tokenIds, tokenName].some((given) => given !== undefined) ||
  models?.some(isPattern) === false;

function andModels(where: Where, models: readonly string[]): void {
  if (!models.some(isPattern)) where.among('model_name', models);
  else
    where.and(
      'model_name LIKE ANY (?)',
      models.map((model) => model.split('*').map(escapeLike).join('%')),
    );
}

export const searchSize = 100;
const searchedCalls = 10_000;
/**
 * Maximum number of rows that are found by content. If there are more, only the newest rows of each type are searched.
 */
const maxAlike = 2000;
const otherTypes = Object.values(LogType).filter((type) => type !== LogType.consume);
const newestFirst = 'ORDER BY created_at DESC, id DESC';

/** Finds the newest rows of a type, or whose content starts with a text. */
export async function searchLogs(database: Queries, keyword: string, type: number | null): Promise<ViewRow[]> {
  const where = new Where();
  const start = where.value(`${escapeLike(keyword)}%`);
  // The rows are in the order of the index on content, so that the planner uses it.
  const alike = `SELECT created_at, id FROM logs WHERE type <> ${LogType.consume} AND content LIKE ${start}
    ORDER BY content USING ~<~ LIMIT ${maxAlike}`;
  const [found] = await database.query<Array<{ rows: number }>>(
    `SELECT count(*)::integer AS rows FROM (${alike}) alike`,
    where.values,
  );
  const among = (rows: string, condition: string): string =>
    `(SELECT created_at, id FROM (SELECT created_at, id, type, content FROM logs ${rows}) newest
       WHERE ${condition} ${newestFirst} LIMIT ${searchSize})`;
  const newest = (of: string, count: number): string => `${of} ${newestFirst} LIMIT ${count}`;
  const parts = [
    among(newest('', searchedCalls), `type = ${LogType.consume} AND content LIKE ${start}`),
    ...((found?.rows ?? 0) < maxAlike
      ? [`(${alike})`]
      : otherTypes.map((other) => among(newest(`WHERE type = ${other}`, maxAlike), `content LIKE ${start}`))),
    ...(type === null ? [] : [among(newest(`WHERE type = ${where.value(type)}`, searchSize), 'TRUE')]),
  ];
  return database.query<ViewRow[]>(
    `SELECT ${viewColumns} FROM
       (SELECT DISTINCT created_at, id FROM (${parts.join(' UNION ALL ')}) every ${newestFirst} LIMIT ${searchSize}) keys
       JOIN logs l ON l.created_at = keys.created_at AND l.id = keys.id ORDER BY l.created_at DESC, l.id DESC`,
    where.values,
  );
}
