import { InvalidInputError } from '../../shared/errors.js';
import { type Queries, type Range, type RollupState } from '../../billing/rollups/index.js';
import { fromCursor, isByPlace, orderOf, toCursor } from './usage-cursor.js';
import { flatten, readChosen, readGroups } from './usage-query.js';
import { counterNames, type ChosenGroups, type GroupRow } from './usage-statements.js';
import type { UsageDimension, UsageOrder, UsageQuery, UsageQuestion, WantedUsage } from './usage-question.js';
import { UsageMetrics, type CounterRow, type UsageKey, type UsageRow } from './usage-row.js';
import { zero } from './usage-statements.js';
import { usageBucketEnd, type OpenPeriod } from './usage-time.js';
import { noProvider } from './usage-dimensions.js';

export interface UsagePage {
  readonly items: readonly UsageRow[];
  /** Number of rows of all pages; null when it is not requested. */
  readonly totalCount: number | null;
  /** Null when this order does not support cursors, or there is no row. */
  readonly endCursor: string | null;
  readonly hasNextPage: boolean;
  /** The aggregated range, after rounding. Unix seconds, half-open. */
  readonly range: Range;
  readonly comparedRange: Range | null;
  readonly timeZone: string;
  /** Whether days of the zone were moved to whole UTC hours. */
  readonly isApproximate: boolean;
  /** Time of the snapshot, Unix seconds. */
  readonly asOf: number;
  readonly total: UsageMetrics | null;
  readonly comparedTotal: UsageMetrics | null;
  /**
   * The totals of all groups outside `top`, over the whole range. Null without `top`, and when they are not requested.
   */
  readonly others: UsageMetrics | null;
  /** The end of the calendar period of the range, and the share of it that has passed. Null when it is over. */
  readonly open: OpenPeriod | null;
}

type PageRows = Pick<UsagePage, 'items' | 'totalCount' | 'endCursor' | 'hasNextPage' | 'others'>;

/** One query, and the snapshot that it reads. */
export interface UsageReading {
  readonly question: UsageQuestion;
  readonly query: UsageQuery;
  readonly wanted: WantedUsage;
  readonly transaction: Queries;
  readonly state: RollupState;
}

/** Maximum rows of all buckets of one query with `top` or `fill`. */
const maxFilledRows = 20_000;

/**
 * Reads one page of groups.
 * @throws AppError INVALID_INPUT
 */
export function readRows(reading: UsageReading): Promise<PageRows> {
  return reading.question.top === null ? readPlain(reading) : readTop(reading);
}

async function readPlain({ question, query, wanted, transaction, state }: UsageReading): Promise<PageRows> {
  const { page, pageSize, after, fill } = question;
  const order = orderOf(question);
  const byPlace = isByPlace(order, query);
  if (after !== null && !byPlace) {
    throw new InvalidInputError('A cursor requires the order by TIME and KEY', 'after');
  }
  if (fill) {
    const { rows } = await readGroups(transaction, query, { order, limit: maxFilledRows, offset: 0 }, state);
    return slice(filled(rows, [[]], false, query), question, query);
  }
  const { rows, count } = await readGroups(
    transaction,
    query,
    {
      order,
      // The limit is one more than the page, to detect further rows.
      limit: pageSize + 1,
      offset: after === null ? page * pageSize : 0,
      after: after === null ? undefined : fromCursor(after, query),
      counted: wanted.count,
    },
    state,
  );
  const shown = rows.slice(0, pageSize);
  const last = shown.at(-1);
  return {
    items: shown.map((row) => toRow(row, query)),
    totalCount: wanted.count ? count : null,
    endCursor: byPlace && last ? toCursor(last, query) : null,
    hasNextPage: rows.length > pageSize,
    others: null,
  };
}

/** Reads the first groups over the whole range, then their buckets. */
async function readTop({ question, query, wanted, transaction, state }: UsageReading): Promise<PageRows> {
  const order = orderOf(question).filter(({ metric }) => metric !== 'TIME');
  const byQuota: UsageOrder[] = [{ metric: 'QUOTA', of: 'CURRENT', direction: 'DESC' }];
  const orderBy = order.length === 0 ? byQuota : order;
  const options = { order: orderBy, limit: question.top ?? 0, offset: 0, keysOnly: true };
  const by = question.topBy.length === 0 ? query.dimensions : question.topBy;
  const first = await readGroups(transaction, { ...flatten(query), dimensions: by }, options, state);
  const keys = first.rows.map((row) => row.keys);
  const chosen: ChosenGroups = { keys, by, withOthers: question.others || wanted.others };
  const found = keys.length === 0 ? [] : await readChosen(transaction, query, chosen, state);
  const left = found.filter(({ isOthers }) => isOthers);
  const shown = question.others ? found : found.filter(({ isOthers }) => !isOthers);
  const direction = directionOfTime(question);
  const all = question.fill ? filled(shown, keys, question.others && left.length > 0, query) : shown;
  // Filled rows are in order already.
  const rows = question.fill && direction === 1 ? all : ranked(all, chosen, direction, query);
  const others = wanted.others ? await readOthers({ query, transaction, state }, left, chosen) : null;
  return { ...slice(rows, question, query), others: others && new UsageMetrics(others, query.quotaPerUnit) };
}

/** Returns the totals of all groups that were not chosen. Users of several buckets are counted once. */
async function readOthers(
  { query, transaction, state }: Pick<UsageReading, 'query' | 'transaction' | 'state'>,
  left: readonly GroupRow[],
  chosen: ChosenGroups,
): Promise<CounterRow> {
  if (!query.counters.activeUsers || query.current.starts === null) return addUp(left.map(({ current }) => current));
  const whole = await readChosen(transaction, flatten(query), chosen, state);
  return whole.find(({ isOthers }) => isOthers)?.current ?? zero;
}

const directionOfTime = (question: UsageQuestion): 1 | -1 =>
  orderOf(question).some(({ metric, direction }) => metric === 'TIME' && direction === 'DESC') ? -1 : 1;

/**
 * Sorts rows by time, then in the order of the chosen keys, with the others last. Rows of one chosen key have the
 * highest quota first.
 * @param direction of time: 1 with the oldest first, -1 with the newest first
 */
function ranked(
  rows: readonly GroupRow[],
  { keys, by }: ChosenGroups,
  direction: 1 | -1,
  { dimensions }: UsageQuery,
): GroupRow[] {
  const rank = new Map(keys.map((key, index) => [groupName({ keys: key, isOthers: false }), index]));
  const places = (by ?? dimensions).map((name) => dimensions.indexOf(name));
  const rankOf = ({ keys: all, isOthers }: GroupRow): number =>
    rank.get(groupName({ keys: places.map((place) => all[place] ?? 0), isOthers })) ?? keys.length;
  return rows
    .map((row) => ({ row, rank: rankOf(row), quota: Number(row.current.quota), name: groupName(row) }))
    .sort(
      (one, two) =>
        direction * ((one.row.bucket ?? 0) - (two.row.bucket ?? 0)) ||
        one.rank - two.rank ||
        two.quota - one.quota ||
        (one.name < two.name ? -1 : 1),
    )
    .map(({ row }) => row);
}

const groupName = ({ keys, isOthers }: Pick<GroupRow, 'keys' | 'isOthers'>): string =>
  isOthers ? '' : JSON.stringify(keys);

/**
 * Returns every bucket of every group in their order. Buckets without usage are zeros.
 * @throws AppError INVALID_INPUT for too many
 */
function filled(
  rows: GroupRow[],
  keys: ReadonlyArray<GroupRow['keys']>,
  withOthers: boolean,
  query: UsageQuery,
): GroupRow[] {
  const buckets = query.current.starts ?? [];
  const groups = [
    ...keys.map((key) => ({ keys: key, isOthers: false })),
    ...(withOthers ? [{ keys: [], isOthers: true }] : []),
  ];
  if (buckets.length * groups.length > maxFilledRows) {
    throw new InvalidInputError(`More than ${maxFilledRows} rows: use a longer bucket, or a smaller top`, 'bucket');
  }
  const byName = new Map(
    groups.map((group) => [groupName(group), { group, rows: new Map<number | null, GroupRow>() }]),
  );
  for (const row of rows) byName.get(groupName(row))?.rows.set(row.bucket, row);
  const found = [...byName.values()];
  const compared = query.compared ? zero : null;
  return buckets.flatMap((_, bucket) =>
    found.map(({ group: { keys: key, isOthers }, rows: ofGroup }) => {
      return ofGroup.get(bucket) ?? { keys: key, isOthers, bucket, current: zero, compared };
    }),
  );
}

function slice(rows: readonly GroupRow[], { page, pageSize }: UsageQuestion, query: UsageQuery): PageRows {
  const first = page * pageSize;
  return {
    items: rows.slice(first, first + pageSize).map((row) => toRow(row, query)),
    totalCount: rows.length,
    endCursor: null,
    hasNextPage: rows.length > first + pageSize,
    others: null,
  };
}

export function toRow(row: GroupRow, { dimensions, current, bucket, timeZone, quotaPerUnit }: UsageQuery): UsageRow {
  const time = row.bucket === null ? null : (current.starts?.[row.bucket] ?? null);
  return {
    time,
    until: time === null || bucket === null ? null : usageBucketEnd(time, bucket, timeZone),
    key: keyOf(row, dimensions),
    metrics: new UsageMetrics(row.current, quotaPerUnit),
    compared: row.compared && new UsageMetrics(row.compared, quotaPerUnit),
  };
}

function keyOf({ keys, isOthers }: GroupRow, dimensions: readonly UsageDimension[]): UsageKey {
  if (isOthers) return { isOthers };
  const key: Record<string, unknown> = { isOthers };
  for (const [n, dimension] of dimensions.entries()) key[fields[dimension]] = shown(dimension, keys[n] ?? 0);
  return key as unknown as UsageKey;
}

const fields: Readonly<Record<UsageDimension, Exclude<keyof UsageKey, 'isOthers'>>> = {
  USER: 'userId',
  TOKEN: 'tokenId',
  MODEL: 'modelName',
  CHANNEL: 'channelId',
  GROUP: 'group',
  PROVIDER: 'providerId',
  CHANNEL_TAG: 'channelTag',
  ENDPOINT: 'endpoint',
  ERROR: 'errorCode',
  UPSTREAM_KEY: 'upstreamKeyName',
  USER_COHORT_WEEK: 'cohortWeek',
  MEMBER: 'memberId',
  PROJECT: 'projectId',
} as const;

/** Converts the database's placeholders for "none" to null. */
function shown(dimension: UsageDimension, value: number | string): number | string | null {
  if (dimension === 'PROVIDER') return value === noProvider ? null : value;
  if (dimension === 'CHANNEL_TAG' || dimension === 'ERROR' || dimension === 'UPSTREAM_KEY')
    return value === '' ? null : value;
  if (dimension === 'USER_COHORT_WEEK') return value === 0 ? null : value;
  return value;
}

function addUp(rows: readonly CounterRow[]): CounterRow {
  const add = (column: string): unknown => {
    const values = rows.map((row) => (row as unknown as Record<string, unknown>)[column]);
    if (!column.endsWith('_buckets')) {
      return String(values.reduce((sum: bigint, value) => sum + BigInt(value as string), 0n));
    }
    const lists = values as string[][];
    const length = Math.max(0, ...lists.map((list) => list.length));
    return Array.from({ length }, (_, n) => String(lists.reduce((sum, list) => sum + Number(list[n] ?? 0), 0)));
  };
  return Object.fromEntries(counterNames.map((column) => [column, add(column)])) as unknown as CounterRow;
}
