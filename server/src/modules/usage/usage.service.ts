import { requireActor, requireRole, type MaybeActor } from '../../shared/actor.js';
import { seconds, type Clock } from '../../shared/clock.js';
import { ForbiddenError, InvalidInputError } from '../../shared/errors.js';
import type { Page, PageQuery } from '../../shared/page.js';
import type { OptionValues } from '../options/option.service.js';
import { toCsvLine, usageCsvHeader } from './usage-csv.js';
import { hour, readSnapshot, type Queries, type Snapshots } from '../sums/sums.service.js';
import {
  hourlyModelStatement,
  readDetails,
  readGroups,
  readKeysBehind,
  totalStatement,
  type UsageDimension,
  type Statement,
  type UsageFilter,
  type WholeUsageFilter,
} from './usage-query.js';
import {
  toTotals,
  toUsageRow,
  type GroupKey,
  type GroupRow,
  type Names,
  type SumRow,
  type UsageRow,
  type UsageTotals,
} from './usage-row.js';

export { usageDimensions } from './usage-query.js';
export type { UsageDimension, UsageFilter, UsageRow, UsageTotals };

/** A period beside the one of the same length before it. */
export interface UsageSummary {
  /** Unix seconds. */
  readonly from: number;
  readonly to: number;
  readonly current: UsageTotals;
  readonly previous: UsageTotals;
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

export interface UsageDetail {
  /** False: `p95Milliseconds` is null, and the answer costs a fraction. */
  readonly percentiles: boolean;
}

export interface UsageParts {
  readonly database: Snapshots;
  readonly options: {
    readonly values: Pick<OptionValues, 'QuotaPerUnit' | 'DataExportEnabled'>;
  };
  readonly clock: Clock;
}

const month = 30 * 24 * hour;
/** No user has this id, and no usage. */
const nobody = -1;
const mostRows = 100_000;
/** Groups are found so many at once, and added up in pieces. */
const keysPerRead = 20_000;
const rowsPerPiece = 250;
const full: UsageDetail = { percentiles: true };

/** What was used: the sums of the hours that are folded, and what settlements keep of the others. Always exact. */
export class UsageService {
  constructor(private readonly parts: UsageParts) {}

  /** Groups of everybody's usage; the last 30 days unless the filter says when. @throws AppError below admin */
  async list(
    actor: MaybeActor,
    groupBy: readonly UsageDimension[],
    filter: UsageFilter,
    page: PageQuery,
    detail: UsageDetail = full,
  ): Promise<Page<UsageRow>> {
    requireRole(actor, 'admin');
    return this.readPage(groupBy, await this.resolveUser(filter), page, detail);
  }

  /** Groups of the caller's own usage. Channels are none of his business. */
  async listOwn(
    actor: MaybeActor,
    groupBy: readonly UsageDimension[],
    filter: UsageFilter,
    page: PageQuery,
    detail: UsageDetail = full,
  ): Promise<Page<UsageRow>> {
    const { id } = requireActor(actor);
    if (groupBy.includes('CHANNEL')) throw new ForbiddenError();
    return this.readPage(groupBy, ownFilter(id, filter), page, detail);
  }

  /** Groups as CSV, in pieces. @throws AppError below admin, before the first piece */
  exportAll(actor: MaybeActor, groupBy: readonly UsageDimension[], filter: UsageFilter): AsyncIterable<string> {
    requireRole(actor, 'admin');
    return this.pieces(groupBy, filter);
  }

  /** Own groups as CSV. */
  exportOwn(actor: MaybeActor, groupBy: readonly UsageDimension[], filter: UsageFilter): AsyncIterable<string> {
    const { id } = requireActor(actor);
    if (groupBy.includes('CHANNEL')) throw new ForbiddenError();
    return this.pieces(groupBy, ownFilter(id, filter));
  }

  async summary(actor: MaybeActor, filter: UsageFilter, detail: UsageDetail = full): Promise<UsageSummary> {
    requireRole(actor, 'admin');
    return this.compare(await this.resolveUser(filter), detail);
  }

  async summaryOwn(actor: MaybeActor, filter: UsageFilter, detail: UsageDetail = full): Promise<UsageSummary> {
    return this.compare(ownFilter(requireActor(actor).id, filter), detail);
  }

  /**
   * The data of the old dashboards: calls that have a log row. Empty while the site does not export data.
   * @param username only his @throws AppError INSUFFICIENT_PRIVILEGES below admin
   */
  async hourlyModels(
    actor: MaybeActor,
    range: Pick<UsageFilter, 'from' | 'to'>,
    username?: string,
  ): Promise<{ userId: number; rows: HourlyModelUsage[] }> {
    requireRole(actor, 'admin');
    if (username === undefined) return { userId: 0, rows: await this.readModels(range) };
    const userId = await this.findUserId(username);
    if (userId === undefined) return { userId: 0, rows: [] };
    return { userId, rows: await this.readModels({ ...range, userId }) };
  }

  /** @throws AppError INVALID_INPUT for more than a month */
  async hourlyModelsOwn(actor: MaybeActor, range: Pick<UsageFilter, 'from' | 'to'>): Promise<HourlyModelUsage[]> {
    const { id } = requireActor(actor);
    const to = range.to ?? seconds(this.parts.clock);
    const from = range.from ?? to - month;
    if (to - from > month) throw new InvalidInputError('Time span must not exceed 1 month', 'end_timestamp');
    return this.readModels({ from, to, userId: id });
  }

  private async *pieces(groupBy: readonly UsageDimension[], filter: UsageFilter): AsyncGenerator<string> {
    let header = usageCsvHeader;
    for await (const rows of this.groups(groupBy, filter)) {
      yield header + (await this.toItems(rows)).map(toCsvLine).join('');
      header = '';
    }
    if (header !== '') yield header;
  }

  /** All groups, each once. No snapshot is held while nobody reads on. */
  private async *groups(groupBy: readonly UsageDimension[], filter: UsageFilter): AsyncGenerator<GroupRow[]> {
    // One range for all pieces.
    const question = { groupBy, filter: this.inRange(await this.resolveUser(filter)), percentiles: true };
    let keys: GroupKey[];
    let last: GroupKey | undefined;
    do {
      keys = await readSnapshot(this.parts.database, (transaction, state) =>
        readKeysBehind(transaction, question, last, keysPerRead, state),
      );
      last = keys.at(-1);
      for (let begin = 0; begin < keys.length; begin += rowsPerPiece) {
        const some = keys.slice(begin, begin + rowsPerPiece);
        yield await readSnapshot(this.parts.database, (transaction, state) =>
          readDetails(transaction, question, some, state),
        );
      }
    } while (keys.length === keysPerRead);
  }

  /** A name that nobody has matches nothing. */
  private async resolveUser({ username, ...filter }: UsageFilter): Promise<UsageFilter> {
    if (username === undefined) return filter;
    const userId = await this.findUserId(username);
    return { ...filter, userId: userId === undefined || (filter.userId ?? userId) !== userId ? nobody : userId };
  }

  private async findUserId(username: string): Promise<number | undefined> {
    const [user] = await this.parts.database.query<Array<{ id: number }>>('SELECT id FROM users WHERE username = $1', [
      username.replaceAll('\0', ''),
    ]);
    return user?.id;
  }

  private async readPage(
    groupBy: readonly UsageDimension[],
    filter: UsageFilter,
    page: PageQuery,
    { percentiles }: UsageDetail,
  ): Promise<Page<UsageRow>> {
    const question = { groupBy, filter: this.inRange(filter), page, percentiles };
    const rows = await readSnapshot(this.parts.database, (transaction, state) =>
      readGroups(transaction, question, state),
    );
    return { items: await this.toItems(rows), totalCount: Number(rows[0]?.groups ?? 0) };
  }

  private async toItems(rows: readonly GroupRow[]): Promise<UsageRow[]> {
    const names = await this.readNames(rows);
    return rows.map((row) => toUsageRow(row, names, this.quotaPerUnit));
  }

  private async compare(filter: UsageFilter, { percentiles }: UsageDetail): Promise<UsageSummary> {
    const current = this.inRange(filter);
    const { from, to } = current;
    if (to < from) throw new InvalidInputError('The end lies before the start', 'to');
    // Whole hours, so that no hour counts in both.
    const firstHour = Math.floor(from / hour) * hour;
    const lastHour = Math.floor(to / hour) * hour;
    const before = { ...current, from: firstHour - (lastHour - firstHour + hour), to: firstHour - 1 };
    return readSnapshot(this.parts.database, async (transaction, state) => {
      const read = (period: WholeUsageFilter): Promise<UsageTotals> =>
        this.readTotals(transaction, totalStatement(period, percentiles, state));
      return { from, to, current: await read(current), previous: await read(before) };
    });
  }

  private async readTotals(transaction: Queries, { sql, values }: Statement): Promise<UsageTotals> {
    const [row] = await transaction.query<SumRow[]>(sql, values);
    if (!row) throw new Error('an aggregate answered nothing');
    return toTotals(row, this.quotaPerUnit);
  }

  private async readModels(filter: UsageFilter): Promise<HourlyModelUsage[]> {
    if (!this.parts.options.values.DataExportEnabled) return [];
    const whole = { ...filter, from: filter.from ?? 0, to: filter.to ?? seconds(this.parts.clock) };
    const [answer] = await readSnapshot(this.parts.database, (transaction, state) => {
      const { sql, values } = hourlyModelStatement(whole, mostRows, state);
      return transaction.query<Array<{ rows: string }>>(sql, values);
    });
    const rows = JSON.parse(answer?.rows ?? '[]') as Array<[number, string, number, number, number]>;
    // Here and not in the database: rows that are nearly in order cost next to nothing.
    rows.sort(([hourA, modelA], [hourB, modelB]) => hourA - hourB || (modelA < modelB ? -1 : modelA > modelB ? 1 : 0));
    return rows.map(([start, modelName, calls, tokens, quota]) => ({ hour: start, modelName, calls, tokens, quota }));
  }

  private inRange(filter: UsageFilter): WholeUsageFilter {
    const to = filter.to ?? seconds(this.parts.clock);
    return { ...filter, to, from: filter.from ?? to - month };
  }

  /** One query for each kind of name, however many rows there are. */
  private async readNames(rows: readonly GroupRow[]): Promise<Names> {
    const read = async (
      table: string,
      column: string,
      ids: Array<number | undefined>,
    ): Promise<Map<number, string>> => {
      const wanted = [...new Set(ids.filter((id): id is number => id !== undefined && id !== 0))];
      if (wanted.length === 0) return new Map();
      const found = await this.parts.database.query<Array<{ id: number; name: string }>>(
        `SELECT id, ${column} AS name FROM ${table} WHERE id = ANY ($1)`,
        [wanted],
      );
      return new Map(found.map(({ id, name }) => [id, name]));
    };
    const [users, tokens, channels] = await Promise.all([
      read(
        'users',
        'username',
        rows.map((row) => row.userId),
      ),
      read(
        'tokens',
        'name',
        rows.map((row) => row.tokenId),
      ),
      read(
        'channels',
        'name',
        rows.map((row) => row.channelId),
      ),
    ]);
    return { users, tokens, channels };
  }

  private get quotaPerUnit(): number {
    return this.parts.options.values.QuotaPerUnit;
  }
}

const ownFilter = (userId: number, { from, to, tokenId, modelName, group }: UsageFilter): UsageFilter => ({
  ...{ from, to, tokenId, modelName, group },
  userId,
});
