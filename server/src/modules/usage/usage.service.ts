import { requireActor, requireRole, Role, type MaybeActor } from '../../shared/actor.js';
import { seconds, type Clock } from '../../shared/clock.js';
import { ForbiddenError, InvalidInputError } from '../../shared/errors.js';
import type { OptionValues } from '../options/option.service.js';
import {
  hour,
  readSnapshot,
  recentSeconds,
  usageCounters,
  type Range,
  type Snapshots,
} from '../rollups/rollups.service.js';
import { toCsvLine, usageCsvHeader, type CsvRow } from './usage-csv.js';
import {
  hourlyModelStatement,
  readChosen,
  readGroups,
  readTotal,
  type GroupRow,
  type Place,
  type UsageDimension,
  type UsageFilter,
  type UsageOrder,
  type UsageQuery,
  type WantedCounters,
} from './usage-query.js';
import { UsageMetrics, type CounterRow, type UsageKey, type UsageRow } from './usage-row.js';
import {
  bucketEnd,
  resolveComparison,
  resolveSpan,
  type TimeBucket,
  type WantedComparison,
  type WantedRange,
} from './usage-time.js';

export { changeOf, UsageMetrics, type UsageKey, type UsageRow } from './usage-row.js';
export * from './usage-query.js';
export * from './usage-time.js';

/** A query to the usage engine. Absent fields have the defaults documented in the schema. */
export interface UsageQuestion {
  readonly range: WantedRange;
  /** IANA name. */
  readonly timeZone: string;
  readonly filter: UsageFilter;
  readonly groupBy: readonly UsageDimension[];
  readonly bucket: TimeBucket | null;
  /**
   * Adds rows for buckets without usage, so that charts show gaps. Requires `bucket`, and `top` if there are groups.
   */
  readonly fill: boolean;
  readonly compareTo: WantedComparison | null;
  /** Empty: by time and key with a bucket, otherwise by quota. */
  readonly orderBy: readonly UsageOrder[];
  /** Only the first groups by `orderBy` over the whole range, with all their buckets. */
  readonly top: number | null;
  /** Adds a row per bucket for everything that `top` left out. */
  readonly others: boolean;
  readonly page: number;
  readonly pageSize: number;
  /** Continues after this position; only in the order of time and key. */
  readonly after: string | null;
}

/** Expensive parts of the result that are requested. */
export interface WantedUsage extends WantedCounters {
  readonly total: boolean;
  readonly compared: boolean;
}

export interface UsagePage {
  readonly items: readonly UsageRow[];
  /** Rows of all pages. */
  readonly totalCount: number;
  /** Null when this order does not support cursors, or there is no row. */
  readonly endCursor: string | null;
  readonly hasNextPage: boolean;
  /** The aggregated range, after rounding. Unix seconds, half-open. */
  readonly range: Range;
  readonly comparedRange: Range | null;
  readonly timeZone: string;
  /** Time of the snapshot, Unix seconds. */
  readonly asOf: number;
  readonly total: UsageMetrics | null;
  readonly comparedTotal: UsageMetrics | null;
  /** Everything that `top` left out, over the whole range. Null without `top`. */
  readonly others: UsageMetrics | null;
}

/** An hour of one model (docs/reference/rest/entities.md#other-entities). */
export interface HourlyModelUsage {
  /** Start of the hour, Unix seconds. */
  readonly hour: number;
  readonly modelName: string;
  readonly calls: number;
  readonly tokens: number;
  readonly quota: number;
}

export interface UsageDeps {
  readonly database: Snapshots;
  readonly options: {
    readonly values: Pick<OptionValues, 'QuotaPerUnit' | 'DataExportEnabled'>;
  };
  readonly clock: Clock;
}

export const maxUsageRows = 2000;
export const maxTop = 100;
/** Maximum number of rows over all buckets of a query with `top`. */
const maxTopRows = 20_000;
const month = 30 * 24 * hour;
const maxHourlyModels = 100_000;
/** Rows per statement of an export, and rows per piece of text. */
const [rowsPerRead, rowsPerPiece] = [5000, 250];

const wholeSite: readonly UsageDimension[] = ['CHANNEL', 'PROVIDER', 'CHANNEL_TAG', 'USER_COHORT_WEEK'];

/**
 * The usage engine: reads usage from the rollups and, where they are not up to date, from the tables that settlements
 * write. Exact, and consistent within one snapshot.
 */
export class UsageService {
  constructor(private readonly deps: UsageDeps) {}

  /**
   * Usage of the whole site.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin; INVALID_INPUT
   */
  async list(actor: MaybeActor, question: UsageQuestion, wanted: WantedUsage): Promise<UsagePage> {
    requireRole(actor, 'admin');
    return this.read(question, wanted);
  }

  /**
   * The caller's own usage.
   * @throws AppError INSUFFICIENT_PRIVILEGES for dimensions, filters and costs of the site; INVALID_INPUT
   */
  async listOwn(actor: MaybeActor, question: UsageQuestion, wanted: WantedUsage): Promise<UsagePage> {
    const { id, role } = requireActor(actor);
    assertOwn(question, { cost: wanted.cost && role < Role.admin });
    return this.read({ ...question, filter: ownFilter(id, question.filter) }, wanted);
  }

  /**
   * Totals over a range for several users, tokens or channels, in one statement; for relations.
   * @returns by id; ids without usage are absent
   */
  async sumsOf(
    actor: MaybeActor,
    dimension: 'USER' | 'TOKEN' | 'CHANNEL',
    ids: readonly number[],
    question: Pick<UsageQuestion, 'range' | 'timeZone'>,
    counters: WantedCounters,
  ): Promise<Map<number, UsageMetrics>> {
    const caller = requireActor(actor);
    const list = dimension === 'USER' ? 'userIds' : dimension === 'TOKEN' ? 'tokenIds' : 'channelIds';
    const isAdmin = caller.role >= Role.admin;
    if (dimension === 'CHANNEL' || counters.cost) requireRole(actor, 'admin');
    const filter: UsageFilter = { [list]: ids };
    const query = this.queryOf(
      { ...emptyQuestion, ...question, groupBy: [dimension], filter: isAdmin ? filter : ownFilter(caller.id, filter) },
      counters,
    );
    const { rows } = await readSnapshot(this.deps.database, (transaction, state) =>
      readGroups(transaction, query, { order: [], limit: ids.length, offset: 0 }, state),
    );
    return new Map(rows.map((row) => [Number(row.keys[0]), this.metricsOf(row.current)]));
  }

  /** Unix seconds. */
  get now(): number {
    return seconds(this.deps.clock);
  }

  /** Metrics of zero usage. */
  get nothing(): UsageMetrics {
    return this.metricsOf(zero);
  }

  /**
   * Groups as CSV, in pieces.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin, before the first piece
   */
  exportAll(actor: MaybeActor, question: UsageQuestion): AsyncIterable<string> {
    requireRole(actor, 'admin');
    return this.pieces(question);
  }

  /** Own groups as CSV. */
  exportOwn(actor: MaybeActor, question: UsageQuestion): AsyncIterable<string> {
    const { id } = requireActor(actor);
    assertOwn(question, { cost: false });
    return this.pieces({ ...question, filter: ownFilter(id, question.filter) });
  }

  /**
   * The data of `/api/data`: logged calls. Empty while the option DataExportEnabled is off.
   * @param username only this user
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin
   */
  async hourlyModels(
    actor: MaybeActor,
    range: { readonly from?: number; readonly to?: number },
    username?: string,
  ): Promise<{ userId: number; rows: HourlyModelUsage[] }> {
    requireRole(actor, 'admin');
    if (username === undefined) return { userId: 0, rows: await this.readModels(range, null) };
    const [user] = await this.deps.database.query<Array<{ id: number }>>('SELECT id FROM users WHERE username = $1', [
      username.replaceAll('\0', ''),
    ]);
    return user ? { userId: user.id, rows: await this.readModels(range, user.id) } : { userId: 0, rows: [] };
  }

  /** @throws AppError INVALID_INPUT for more than a month */
  async hourlyModelsOwn(
    actor: MaybeActor,
    range: { readonly from?: number; readonly to?: number },
  ): Promise<HourlyModelUsage[]> {
    const { id } = requireActor(actor);
    const to = range.to ?? seconds(this.deps.clock);
    const from = range.from ?? to - month;
    if (to - from > month) throw new InvalidInputError('Time span must not exceed 1 month', 'end_timestamp');
    return this.readModels({ from, to }, id);
  }

  private async readModels(
    range: { readonly from?: number; readonly to?: number },
    userId: number | null,
  ): Promise<HourlyModelUsage[]> {
    if (!this.deps.options.values.DataExportEnabled) return [];
    const whole = wholeHours(range.from ?? 0, range.to ?? seconds(this.deps.clock));
    const [answer] = await readSnapshot(this.deps.database, (transaction, state) => {
      const { sql, values } = hourlyModelStatement(whole, userId, maxHourlyModels, state);
      return transaction.query<Array<{ rows: string }>>(sql, values);
    });
    const rows = JSON.parse(answer?.rows ?? '[]') as Array<[number, string, number, number, number]>;
    // Sorted here, because sorting nearly sorted rows is cheap.
    rows.sort(([hourA, modelA], [hourB, modelB]) => hourA - hourB || (modelA < modelB ? -1 : modelA > modelB ? 1 : 0));
    return rows.map(([start, modelName, calls, tokens, quota]) => ({ hour: start, modelName, calls, tokens, quota }));
  }

  private async read(question: UsageQuestion, wanted: WantedUsage): Promise<UsagePage> {
    const now = seconds(this.deps.clock);
    const query = this.queryOf(question, wanted);
    return readSnapshot(this.deps.database, async (transaction, state) => {
      const page =
        question.top === null
          ? await this.readPlain(question, query, (options) => readGroups(transaction, query, options, state))
          : await this.readTop(question, query, {
              keys: async (options) => {
                const flat = {
                  ...query,
                  current: flatten(query.current),
                  compared: query.compared && flatten(query.compared),
                };
                return (await readGroups(transaction, flat, options, state)).rows.map(({ keys }) => keys);
              },
              rows: (keys, withOthers) => readChosen(transaction, query, keys, withOthers, state),
            });
      const total = wanted.total || wanted.compared ? await readTotal(transaction, query, state) : null;
      return {
        ...page,
        range: query.current.range,
        comparedRange: query.compared?.range ?? null,
        timeZone: question.timeZone,
        asOf: now,
        total: total && this.metricsOf(total.current),
        comparedTotal: total?.compared ? this.metricsOf(total.compared) : null,
      };
    });
  }

  /** @throws AppError INVALID_INPUT */
  private queryOf(question: UsageQuestion, counters: WantedCounters): UsageQuery {
    const { groupBy, bucket, timeZone, filter, compareTo } = question;
    assertQuestion(question);
    const now = seconds(this.deps.clock);
    const timed = { range: question.range, timeZone, bucket, now };
    const current = resolveSpan(timed);
    const compared = compareTo && resolveComparison(current, compareTo, timed);
    const oldest = Math.min(current.range.from, compared?.range.from ?? Infinity);
    if (bucket === 'MINUTE_5' && oldest < now - recentSeconds - 300) {
      throw new InvalidInputError(
        `MINUTE_5 reaches back 48 hours, to ${new Date((now - recentSeconds) * 1000).toISOString()}`,
        'range',
      );
    }
    return {
      ...{ dimensions: groupBy, current, compared, bucket, timeZone, filter, counters },
      quotaPerUnit: this.deps.options.values.QuotaPerUnit,
    };
  }

  private async readPlain(
    question: UsageQuestion,
    query: UsageQuery,
    read: (options: Parameters<typeof readGroups>[2]) => ReturnType<typeof readGroups>,
  ): Promise<PageRows> {
    const { page, pageSize, after, fill } = question;
    const order = orderOf(question);
    const byPlace = isByPlace(order, query);
    if (after !== null && !byPlace) {
      throw new InvalidInputError('A cursor requires the order by TIME and KEY', 'after');
    }
    if (fill) {
      const { rows } = await read({ order, limit: maxTopRows, offset: 0 });
      return this.slice(this.filled(rows, [[]], false, query), question, query);
    }
    const offset = after === null ? page * pageSize : 0;
    // One more than the page, to detect further rows.
    const options = {
      order,
      limit: pageSize + 1,
      offset,
      ...(after === null ? {} : { after: fromCursor(after, query) }),
    };
    const { rows, count } = await read(options);
    const shown = rows.slice(0, pageSize);
    const last = shown.at(-1);
    return {
      items: shown.map((row) => this.toRow(row, query)),
      totalCount: count,
      endCursor: byPlace && last ? toCursor(last, query) : null,
      hasNextPage: rows.length > pageSize,
      others: null,
    };
  }

  /** The first groups over the whole range, then their buckets. */
  private async readTop(
    question: UsageQuestion,
    query: UsageQuery,
    read: {
      keys: (options: Parameters<typeof readGroups>[2]) => Promise<Array<GroupRow['keys']>>;
      rows: (keys: Array<GroupRow['keys']>, withOthers: boolean) => Promise<GroupRow[]>;
    },
  ): Promise<PageRows> {
    const order = orderOf(question).filter(({ metric }) => metric !== 'TIME');
    const byQuota: UsageOrder[] = [{ metric: 'QUOTA', of: 'CURRENT', direction: 'DESC' }];
    const ranked = question.orderBy.length === 0 ? byQuota : order;
    const keys = await read.keys({ order: ranked, limit: question.top ?? 0, offset: 0 });
    const found = await read.rows(keys, true);
    const left = found.filter(({ isOthers }) => isOthers);
    const shown = question.others ? found : found.filter(({ isOthers }) => !isOthers);
    const rank = new Map(keys.map((key, index) => [JSON.stringify(key), index]));
    const rankOf = (row: GroupRow): number =>
      row.isOthers ? keys.length : (rank.get(JSON.stringify(row.keys)) ?? keys.length);
    const hasOthers = question.others && left.length > 0;
    const rows = question.fill ? this.filled(shown, keys, hasOthers, query) : shown;
    rows.sort((one, two) => (one.bucket ?? 0) - (two.bucket ?? 0) || rankOf(one) - rankOf(two));
    return { ...this.slice(rows, question, query), others: this.metricsOf(addUp(left.map(({ current }) => current))) };
  }

  /**
   * Every bucket of every group, with zeros where there is no usage.
   * @throws AppError INVALID_INPUT for too many rows
   */
  private filled(
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
    if (buckets.length * groups.length > maxTopRows) {
      throw new InvalidInputError(`More than ${maxTopRows} rows: use a longer bucket, or a smaller top`, 'bucket');
    }
    const placeOf = (row: Pick<GroupRow, 'bucket' | 'isOthers' | 'keys'>): string =>
      JSON.stringify([row.bucket, row.isOthers, row.isOthers ? [] : row.keys]);
    const known = new Map(rows.map((row) => [placeOf(row), row]));
    return buckets.flatMap((_, bucket) =>
      groups.map((group) => {
        const empty = { ...group, bucket, current: zero, compared: query.compared ? zero : null };
        return known.get(placeOf(empty)) ?? empty;
      }),
    );
  }

  private slice(rows: readonly GroupRow[], { page, pageSize }: UsageQuestion, query: UsageQuery): PageRows {
    const first = page * pageSize;
    return {
      items: rows.slice(first, first + pageSize).map((row) => this.toRow(row, query)),
      totalCount: rows.length,
      endCursor: null,
      hasNextPage: rows.length > first + pageSize,
      others: null,
    };
  }

  private toRow(row: GroupRow, { dimensions, current, bucket, timeZone }: UsageQuery): UsageRow {
    const time = row.bucket === null ? null : (current.starts?.[row.bucket] ?? null);
    return {
      time,
      until: time === null || bucket === null ? null : bucketEnd(time, bucket, timeZone),
      key: keyOf(row, dimensions),
      metrics: this.metricsOf(row.current),
      compared: row.compared && this.metricsOf(row.compared),
    };
  }

  private metricsOf(row: CounterRow): UsageMetrics {
    return new UsageMetrics(row, this.deps.options.values.QuotaPerUnit);
  }

  /** All groups in the order of time and key, each once: concurrent settlements do not change this order. */
  private async *pieces(question: UsageQuestion): AsyncGenerator<string> {
    const fixed = { ...question, range: { until: seconds(this.deps.clock) + 1, ...question.range } };
    if ((fixed.range.from ?? 0) >= fixed.range.until) {
      yield usageCsvHeader;
      return;
    }
    const counters = { latency: true, firstToken: false, cost: false };
    const query = this.queryOf(fixed, counters);
    let header = usageCsvHeader;
    let after: Place | undefined;
    let rows: GroupRow[];
    do {
      // No snapshot stays open while the client reads.
      const found = await readSnapshot(this.deps.database, (transaction, state) =>
        readGroups(transaction, query, { order: placeOrder(query), limit: rowsPerRead, offset: 0, after }, state),
      );
      ({ rows } = found);
      after = rows.at(-1);
      for (let begin = 0; begin < rows.length; begin += rowsPerPiece) {
        const piece = rows.slice(begin, begin + rowsPerPiece).map((row) => this.toRow(row, query));
        yield header + (await this.named(piece)).map(toCsvLine).join('');
        header = '';
      }
    } while (rows.length === rowsPerRead);
    if (header !== '') yield header;
  }

  /**
   * Current names of users, tokens or channels, including deleted ones; for rows of usage.
   * @throws AppError INSUFFICIENT_PRIVILEGES for names of others, for callers below admin
   */
  async namesOf(
    actor: MaybeActor,
    table: 'users' | 'tokens' | 'channels',
    ids: readonly number[],
  ): Promise<Map<number, string>> {
    const { id, role } = requireActor(actor);
    if (table === 'channels') requireRole(actor, 'admin');
    const owner = table === 'users' ? 'id' : 'user_id';
    return this.readNames(table, ids, role >= Role.admin ? '' : `AND ${owner} = ${id}`);
  }

  private async readNames(table: string, ids: readonly number[], condition = ''): Promise<Map<number, string>> {
    const wanted = [...new Set(ids)].filter((id) => id !== 0);
    if (wanted.length === 0) return new Map();
    const column = table === 'users' ? 'username' : 'name';
    const found = await this.deps.database.query<Array<{ id: number; name: string }>>(
      `SELECT id, ${column} AS name FROM ${table} WHERE id = ANY ($1) ${condition}`,
      [wanted],
    );
    return new Map(found.map(({ id, name }) => [id, name]));
  }

  /** Rows with the names of their ids, one statement per kind of name. */
  private async named(rows: readonly UsageRow[]): Promise<CsvRow[]> {
    const ids = (field: 'userId' | 'tokenId' | 'channelId') => rows.flatMap(({ key }) => key[field] ?? []);
    const users = await this.readNames('users', ids('userId'));
    const tokens = await this.readNames('tokens', ids('tokenId'));
    const channels = await this.readNames('channels', ids('channelId'));
    return rows.map((row) => ({
      ...row,
      username: users.get(row.key.userId ?? 0) ?? null,
      tokenName: tokens.get(row.key.tokenId ?? 0) ?? null,
      channelName: channels.get(row.key.channelId ?? 0) ?? null,
    }));
  }
}

type PageRows = Pick<UsagePage, 'items' | 'totalCount' | 'endCursor' | 'hasNextPage' | 'others'>;

export const emptyQuestion: UsageQuestion = {
  ...{ range: {}, timeZone: 'UTC', filter: {}, groupBy: [], bucket: null, fill: false, compareTo: null, orderBy: [] },
  ...{ top: null, others: false, page: 0, pageSize: 100, after: null },
};

/** The legacy time range of full hours, both ends included. Unix seconds. */
export const wholeHours = (from: number, to: number): Range => ({
  from: Math.floor(from / hour) * hour,
  end: (Math.floor(to / hour) + 1) * hour,
});

function assertQuestion({ groupBy, bucket, fill, top, others, pageSize, page, after, orderBy }: UsageQuestion): void {
  if (new Set(groupBy).size !== groupBy.length)
    throw new InvalidInputError('Group by each dimension only once', 'groupBy');
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > maxUsageRows) {
    throw new InvalidInputError(`pageSize is 1 to ${maxUsageRows}`, 'pageSize');
  }
  if (!Number.isInteger(page) || page < 0 || page > 1_000_000) throw new InvalidInputError('page starts at 0', 'page');
  if (after !== null && (page !== 0 || top !== null || fill)) {
    throw new InvalidInputError('after cannot be combined with page, top or fill', 'after');
  }
  if (top !== null && (!Number.isInteger(top) || top < 1 || top > maxTop)) {
    throw new InvalidInputError(`top is 1 to ${maxTop}`, 'top');
  }
  if (top !== null && groupBy.length === 0) throw new InvalidInputError('top requires groupBy', 'top');
  if (others && top === null) throw new InvalidInputError('others requires top', 'others');
  if (fill && bucket === null) throw new InvalidInputError('fill requires bucket', 'fill');
  if (fill && top === null && groupBy.length > 0) throw new InvalidInputError('fill with groupBy requires top', 'fill');
  if (fill && top === null && orderBy.length > 0)
    throw new InvalidInputError('fill requires the order by time', 'orderBy');
}

/** @throws AppError INSUFFICIENT_PRIVILEGES for fields that only admins may query */
function assertOwn({ groupBy, filter }: UsageQuestion, { cost }: Pick<WantedCounters, 'cost'>): void {
  const { channelIds, channelTags, userIds, usernames } = filter;
  const isForeign = [channelIds, channelTags, userIds, usernames].some((list) => list !== undefined);
  if (cost || isForeign || groupBy.some((dimension) => wholeSite.includes(dimension))) throw new ForbiddenError();
}

const ownFilter = (userId: number, { tokenIds, models, groups }: UsageFilter): UsageFilter => ({
  userIds: [userId],
  ...(tokenIds ? { tokenIds } : {}),
  ...(models ? { models } : {}),
  ...(groups ? { groups } : {}),
});

const flatten = (span: UsageQuery['current']): UsageQuery['current'] => ({ ...span, starts: null });

function orderOf({ orderBy, bucket }: UsageQuestion): readonly UsageOrder[] {
  if (orderBy.length > 0) return orderBy;
  const first = { metric: bucket === null ? ('QUOTA' as const) : ('TIME' as const), of: 'CURRENT' as const };
  return [{ ...first, direction: bucket === null ? 'DESC' : 'ASC' }];
}

/** Whether rows are in the order of time and key, which new calls do not change. */
const isByPlace = (order: readonly UsageOrder[], { current, dimensions }: UsageQuery): boolean => {
  const wanted = placeOrder({ current, dimensions }).map(({ metric }) => metric);
  const given = order.map(({ metric }) => metric);
  return (
    order.every(({ direction }) => direction === 'ASC') &&
    // The keys need not be listed.
    given.every((metric, index) => metric === wanted[index]) &&
    (given.length === wanted.length || (given.length === 1 && given[0] === 'TIME') || wanted.length === 0)
  );
};

const placeOrder = ({ current, dimensions }: Pick<UsageQuery, 'current' | 'dimensions'>): UsageOrder[] =>
  [...(current.starts ? (['TIME'] as const) : []), ...(dimensions.length > 0 ? (['KEY'] as const) : [])].map(
    (metric) => ({
      ...{ metric, of: 'CURRENT', direction: 'ASC' },
    }),
  );

/** A cursor is the start of the last row's bucket and its key. */
const toCursor = (row: GroupRow, { current }: UsageQuery): string =>
  Buffer.from(
    JSON.stringify([row.bucket === null ? null : (current.starts?.[row.bucket] ?? null), ...row.keys]),
  ).toString('base64url');

/** @throws AppError INVALID_INPUT for a cursor of a different query */
function fromCursor(cursor: string, { current, dimensions }: UsageQuery): Place {
  const refused = new InvalidInputError('The cursor belongs to a different query', 'after');
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    throw refused;
  }
  if (!Array.isArray(parsed) || parsed.length !== dimensions.length + 1) throw refused;
  const [start, ...keys] = parsed as [number | null, ...Array<number | string>];
  const texts: readonly UsageDimension[] = ['MODEL', 'GROUP', 'CHANNEL_TAG'];
  const fits = keys.every((key, n) =>
    texts.includes(dimensions[n] ?? 'USER') ? typeof key === 'string' : Number.isSafeInteger(key),
  );
  const bucket = current.starts ? current.starts.indexOf(start ?? NaN) : null;
  if (!fits || bucket === -1 || (bucket === null && start !== null)) throw refused;
  return { bucket, keys };
}

function keyOf({ keys, isOthers }: GroupRow, dimensions: readonly UsageDimension[]): UsageKey {
  if (isOthers) return { isOthers };
  const key: Record<string, unknown> = { isOthers };
  for (const [n, dimension] of dimensions.entries()) key[fields[dimension]] = shown(dimension, keys[n] ?? 0);
  return key as unknown as UsageKey;
}

const fields: Readonly<Record<UsageDimension, Exclude<keyof UsageKey, 'isOthers'>>> = {
  ...{ USER: 'userId', TOKEN: 'tokenId', MODEL: 'modelName', CHANNEL: 'channelId', GROUP: 'group' },
  ...{ PROVIDER: 'providerId', CHANNEL_TAG: 'channelTag', USER_COHORT_WEEK: 'cohortWeek' },
} as const;

/** Converts the database's placeholders for "none" to null. */
function shown(dimension: UsageDimension, value: number | string): number | string | null {
  if (dimension === 'PROVIDER') return value === -1 ? null : value;
  if (dimension === 'CHANNEL_TAG') return value === '' ? null : value;
  if (dimension === 'USER_COHORT_WEEK') return value === 0 ? null : value;
  return value;
}

const zero = Object.fromEntries(
  usageCounters.map((column) => [column, column.endsWith('_buckets') ? [] : '0']),
) as unknown as CounterRow;

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
  return Object.fromEntries(usageCounters.map((column) => [column, add(column)])) as unknown as CounterRow;
}
