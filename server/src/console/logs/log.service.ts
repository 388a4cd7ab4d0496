import type { DataSource } from 'typeorm';
import { earlierTime } from '../../platform/db/earlier-time.js';
import { mayFor, requireAccount, requirePermission, type MaybeActor } from '../../shared/actor.js';
import type { AuditLog, AuditRow, UsageLog } from '../../shared/audit.js';
import { dateOf, seconds, type Clock } from '../../shared/clock.js';
import { InvalidInputError } from '../../shared/errors.js';
import type { ListQuery, Slice, Total } from '../../shared/page.js';
import type { Secrets } from '../../shared/secrets.js';
import { cutToBytes, maxIndexedBytes } from '../../shared/indexed-text.js';
import { searchable, storableJson } from '../../shared/json.js';
import {
  maxLogSeconds,
  type Queries,
  readSnapshot,
  type RollupState,
  type Snapshots,
} from '../../billing/rollups/index.js';
import {
  andLogFields,
  assertScannable,
  isByDetails,
  type LogFilter,
  searchLogs,
  searchSize,
  Where,
} from './log-conditions.js';
import { LogType } from '../../shared/log-type.js';
import { ownTokenIds } from '../../billing/organisations/index.js';
import { plainCursor, sealedCursor, type CursorCodec } from './log-cursor.js';
import { readLogsOfUsers } from './log-of-users.js';
import { countLogs, readByValue, readLogPage } from './log-page.js';
import { assertFewScanned } from './log-scan.js';
import { readRate, readSums, type LogRate, type LogSums } from './log-stat.js';
import { trimLogs } from './log-trim.js';
import {
  toOwnView,
  viewColumns,
  viewFor,
  withoutAddress,
  type LogView,
  type OwnLogView,
  type ViewRow,
} from './log-view.js';

/** Maximum number up to which rows are counted, and read by offset. Later rows need a cursor or a time range. */
export const maxCountedLogs = 100_000;
/** The text in place of the API key's name. */
const testTokenName = 'model test';

export type LogSortKey = 'createdAt' | 'quota' | 'duration';

/** How a list of the log is read. */
export interface LogListQuery extends ListQuery<LogSortKey> {
  /** Whether to read the total in the same snapshot as the rows. Otherwise `total()` reads it when called. */
  readonly counted?: boolean;
  /** Rows per page; 0 reads no rows. */
  readonly pageSize: number;
}

/** A channel test, which is charged to no user. */
export interface UnchargedRow extends Omit<AuditRow, 'type'> {
  readonly channelId: number;
  readonly modelName: string;
  readonly group: string;
  readonly quota: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Whole seconds. */
  readonly useTime: number;
}

interface Transaction {
  query(sql: string, parameters?: unknown[]): Promise<unknown>;
}

/** Reads the log according to the caller's rights, and writes every row that is not written by a settlement. */
export class LogService implements UsageLog {
  constructor(
    private readonly database: DataSource,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
    /** The connections on which lists and totals are read. They may lag. */
    private readonly reads: Snapshots = database,
    private readonly auditLog?: AuditLog,
  ) {}

  /** Writes a row without a call. It has the time of this server's clock. */
  async record(transaction: Transaction, row: AuditRow): Promise<void> {
    await insertRow(transaction, seconds(this.clock), { ...uncounted, ...row, quota: row.quota ?? 0 });
  }

  /** Writes a row that moves no balance and is part of no total. */
  async recordTest(transaction: Transaction, call: UnchargedRow): Promise<void> {
    await insertRow(transaction, seconds(this.clock), { ...call, type: LogType.test, tokenName: testTokenName });
  }

  /**
   * Lists rows, newest first.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin
   */
  async list(actor: MaybeActor, filter: LogFilter, query: LogListQuery): Promise<Slice<LogView>> {
    requirePermission(actor, 'logs.read');
    const view = viewFor(actor);
    const page = await this.readPage(await resolveUser(this.reads, filter), query, plainCursor);
    const names = await namesOfChannels(this.reads, page.items);
    return { ...page, items: page.items.map((row) => view(row, names)) };
  }

  /**
   * Lists the rows of each of these users, in one statement. Rows are counted up to 10,000 per user.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin; INVALID_INPUT for an invalid cursor
   */
  async listOf(
    actor: MaybeActor,
    userIds: readonly number[],
    filter: LogFilter,
    query: ListQuery<LogSortKey>,
  ): Promise<Map<number, Slice<LogView>>> {
    requirePermission(actor, 'logs.read');
    assertScannable(filter, seconds(this.clock));
    if (valueOf(query)) throw new InvalidInputError('The log of a user is sorted by time only', 'sort');
    const view = viewFor(actor);
    if (isByDetails(filter)) {
      await readSnapshot(this.reads, (transaction, state) =>
        assertFewScanned(transaction, { ...filter, userIds }, state),
      );
    }
    const pages = await readLogsOfUsers(this.reads, userIds, filter, query);
    const names = await namesOfChannels(
      this.reads,
      [...pages.values()].flatMap(({ items }) => items),
    );
    return new Map([...pages].map(([id, page]) => [id, { ...page, items: page.items.map((row) => view(row, names)) }]));
  }

  /** Lists the caller's own rows, without channels and admin details. */
  async listOwn(actor: MaybeActor, filter: LogFilter, query: LogListQuery): Promise<Slice<OwnLogView>> {
    return this.readOwn(await ownFilter(this.database, actor, filter), query);
  }

  /** @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin */
  async sums(actor: MaybeActor, filter: LogFilter): Promise<LogSums> {
    requirePermission(actor, 'logs.read');
    return this.readSums(await resolveUser(this.reads, filter));
  }

  async sumsOwn(actor: MaybeActor, filter: LogFilter): Promise<LogSums> {
    return this.readSums(await ownFilter(this.database, actor, filter));
  }

  /**
   * Returns the rate of the last minute.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin
   */
  async rate(actor: MaybeActor, filter: LogFilter): Promise<LogRate> {
    requirePermission(actor, 'logs.read');
    return readRate(this.reads, await resolveUser(this.reads, filter), seconds(this.clock));
  }

  async rateOwn(actor: MaybeActor, filter: LogFilter): Promise<LogRate> {
    return readRate(this.reads, await ownFilter(this.database, actor, filter), seconds(this.clock));
  }

  /**
   * Finds the newest 100 rows whose type is the keyword or whose content starts with it. Content of calls is only
   * searched in the newest rows, because it is mostly the same; so are other rows when thousands share their text.
   */
  async search(actor: MaybeActor, keyword: string): Promise<LogView[]> {
    requirePermission(actor, 'logs.read');
    const rows = await searchLogs(this.reads, keyword, toType(keyword));
    const names = await namesOfChannels(this.reads, rows);
    const view = viewFor(actor);
    return rows.map((row) => view(row, names));
  }

  /** Finds the newest 100 of the caller's rows whose type is the keyword. */
  async searchOwn(actor: MaybeActor, keyword: string): Promise<OwnLogView[]> {
    const type = toType(keyword);
    const own = await ownFilter(this.database, actor, {});
    if (type === null) return [];
    const where = andLogFields(new Where(), { ...own, types: [type] });
    const rows = await this.readNewest(where, where.toString(), searchSize);
    return rows.map((row) => toOwnView(row, this.secrets));
  }

  /**
   * Lists the rows of one of the caller's API keys, given with or without `sk-`, newest first; none for an unknown key
   * or a key of another user.
   */
  async listOfKey(actor: MaybeActor, key: string, query: LogListQuery): Promise<Slice<OwnLogView>> {
    const owner = requireAccount(actor, 'keys.own');
    const [token] = await this.database.query<Array<{ id: number }>>(
      'SELECT id FROM tokens WHERE key_hash = $1 AND user_id = $2 AND deleted_at IS NULL',
      [this.secrets.hash(key.trim().replace(/^sk-/, '')), owner.id],
    );
    return this.listOwn(actor, { tokenIds: token ? [token.id] : [] }, query);
  }

  /**
   * Lists the rows of a key that the caller has presented (`KeyHolderService`), in the form for its owner. They are
   * without addresses, because several people may have the key.
   */
  async listOfHeldKey(
    { id, userId }: { readonly id: number; readonly userId: number },
    query: LogListQuery,
  ): Promise<Slice<OwnLogView>> {
    const page = await this.readOwn({ userIds: [userId], tokenIds: [id] }, query);
    return { ...page, items: page.items.map(withoutAddress) };
  }

  /**
   * Deletes rows of all types older than `before` (Unix seconds; a future time counts as now) and writes a manage row. The
   * audit entry comes first: a later deletion takes the manage row, too.
   * @returns the number of deleted rows
   * @throws AppError INSUFFICIENT_PRIVILEGES, INVALID_INPUT
   */
  async deleteBefore(actor: MaybeActor, before: number): Promise<number> {
    const admin = requirePermission(actor, 'logs.delete');
    if (!Number.isSafeInteger(before) || before <= 0) {
      throw new InvalidInputError('The target timestamp is required', 'target_timestamp');
    }
    const until = Math.min(before, (await earlierTime(this.database, seconds(this.clock))) + 1);
    const olderThan = dateOf(until).toISOString();
    const change = { action: 'delete', subject: 'log', id: '', before: null, after: { olderThan } } as const;
    await this.auditLog?.write(this.database, admin, change);
    const deleted = await trimLogs(this.database, until);
    await this.record(this.database, {
      type: LogType.manage,
      userId: admin.id,
      username: admin.username,
      content: `Deleted ${deleted} log rows older than ${olderThan}`,
      other: { deleted, before: until },
    });
    return deleted;
  }

  private async readOwn(
    filter: LogFilter & { readonly userIds: readonly number[] },
    query: LogListQuery,
  ): Promise<Slice<OwnLogView>> {
    const page = await this.readPage(filter, query, sealedCursor(this.secrets));
    return { ...page, items: page.items.map((row) => toOwnView(row, this.secrets)) };
  }

  /** The types of the filter are ignored, because totals include charged calls only. */
  private async readSums(filter: LogFilter): Promise<LogSums> {
    assertScannable(filter, seconds(this.clock));
    const charged = { ...filter, types: [LogType.consume] };
    return this.readChecked(charged, (transaction, state) => readSums(transaction, charged, state));
  }

  private async readPage(filter: LogFilter, query: LogListQuery, cursors: CursorCodec): Promise<Slice<ViewRow>> {
    assertScannable(filter, seconds(this.clock));
    const value = valueOf(query);
    if (value) return this.readByValue(filter, value, query);
    const direction = query.sort[0]?.direction ?? 'DESC';
    const offset = query.after === null ? query.page * query.pageSize : 0;
    const after = query.after === null ? null : cursors.decode(query.after, direction);
    // Rows beyond this number need a cursor or a time range instead of an offset.
    const shown = after ? query.pageSize : Math.min(query.pageSize, maxCountedLogs - offset);
    const { counted = false } = query;
    const wanted = { direction, offset, after, counted, limit: query.pageSize + 1, most: maxCountedLogs };
    const { rows, total } =
      shown <= 0 && !counted
        ? { rows: [], total: null }
        : await this.readChecked(filter, (transaction, state) => readLogPage(transaction, filter, state, wanted));
    const items = rows.slice(0, Math.max(0, shown));
    const last = items.at(-1);
    return {
      items,
      endCursor: last ? cursors.encode({ createdAt: Number(last.createdAt), id: Number(last.id) }, direction) : null,
      hasNextPage: rows.length > items.length,
      total: async () => toTotal(total ?? (await this.count(filter))),
    };
  }

  /**
   * Reads rows by quota or duration. All matching rows of the range may be sorted, so the range is limited, and for durations,
   * which no index has, so are its rows.
   */
  private async readByValue(
    filter: LogFilter,
    value: 'quota' | 'duration',
    query: LogListQuery,
  ): Promise<Slice<ViewRow>> {
    const { from, until = seconds(this.clock) } = filter;
    if (query.after !== null) throw new InvalidInputError('A list by cost or duration is read by page', 'after');
    if (from === undefined || until - from > maxLogSeconds) {
      throw new InvalidInputError('Sorting by cost or duration needs a time range of at most 31 days', 'sort');
    }
    const offset = query.page * query.pageSize;
    const shown = Math.max(0, Math.min(query.pageSize, maxCountedLogs - offset));
    const page = { direction: query.sort[0]?.direction ?? 'DESC', offset, limit: query.pageSize + 1 };
    const isScan = value === 'duration' || isByDetails(filter);
    const rows =
      shown === 0
        ? []
        : await this.readChecked(filter, (transaction) => readByValue(transaction, filter, value, page), isScan);
    return {
      items: rows.slice(0, shown),
      endCursor: null,
      hasNextPage: rows.length > shown,
      total: async () => toTotal(await this.count(filter)),
    };
  }

  private count(filter: LogFilter): Promise<number> {
    return this.readChecked(filter, (transaction, state) => countLogs(transaction, filter, state, maxCountedLogs));
  }

  /**
   * Reads in one snapshot.
   * @param isScan whether details of rows are read
   * @throws AppError INVALID_INPUT for details of too many rows
   */
  private readChecked<T>(
    filter: LogFilter,
    read: (transaction: Queries, state: RollupState) => Promise<T>,
    isScan = isByDetails(filter),
  ): Promise<T> {
    return readSnapshot(this.reads, async (transaction, state) => {
      if (isScan) await assertFewScanned(transaction, filter, state);
      return read(transaction, state);
    });
  }

  private readNewest(where: Where, condition: string, limit: number): Promise<ViewRow[]> {
    return this.reads.query<ViewRow[]>(
      `SELECT ${viewColumns} FROM logs l WHERE ${condition} ORDER BY l.created_at DESC, l.id DESC
       LIMIT ${where.value(limit)}`,
      where.values,
    );
  }
}

/**
 * Replaces a name by the id of the user who has it now, which also finds rows under an older name. A name without a
 * user is compared with the rows.
 */
export async function resolveUser(database: Queries, filter: LogFilter): Promise<LogFilter> {
  const { username, userIds, ...rest } = filter;
  if (username === undefined) return filter;
  const [user] = await database.query<Array<{ id: number }>>('SELECT id FROM users WHERE username = $1', [
    searchable(username),
  ]);
  if (!user) return filter;
  return { ...rest, userIds: userIds && !userIds.includes(user.id) ? [] : [user.id] };
}

/** Reads the names of all channels of the rows in one statement. */
export async function namesOfChannels(database: Queries, rows: readonly ViewRow[]): Promise<Map<number, string>> {
  const ids = [...new Set(rows.map((row) => row.channelId).filter((id) => id !== 0))];
  if (ids.length === 0) return new Map();
  const channels = await database.query<Array<{ id: number; name: string }>>(
    'SELECT id, name FROM channels WHERE id = ANY ($1)',
    [ids],
  );
  return new Map(channels.map(({ id, name }) => [id, name]));
}

type InsertedRow = UnchargedRow & Pick<AuditRow, 'type'> & { readonly tokenName: string };

async function insertRow(transaction: Transaction, createdAt: number, row: InsertedRow): Promise<void> {
  await transaction.query(
    `INSERT INTO logs (created_at, type, user_id, username, content, other, token_name, channel_id, model_name, "group",
                       quota, prompt_tokens, completion_tokens, use_time)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      ...[
        createdAt,
        row.type,
        row.userId,
        row.username,
        cutToBytes(row.content, maxIndexedBytes),
        row.other ? storableJson(row.other) : '',
      ],
      ...[row.tokenName, row.channelId, row.modelName, row.group],
      ...[row.quota, row.promptTokens, row.completionTokens, row.useTime],
    ],
  );
}

const uncounted = {
  tokenName: '',
  channelId: 0,
  modelName: '',
  group: '',
  quota: 0,
  promptTokens: 0,
  completionTokens: 0,
  useTime: 0,
};

/**
 * Restricts to the rows that the caller may read as those of the account, and removes the filters that only admins have.
 * A member of an organisation who may not read the calls of others reads those of the own keys.
 * @throws AppError NOT_SIGNED_IN
 */
export async function ownFilter(
  database: Queries,
  actor: MaybeActor,
  { username: _username, channelIds: _channelIds, tokenIds: asked, ...filter }: LogFilter,
): Promise<LogFilter & { readonly userIds: readonly number[] }> {
  const caller = requireAccount(actor, 'keys.own');
  const tokenIds = await ownTokenIds(database, caller, asked, mayFor(caller, 'calls.all'));
  return { ...filter, userIds: [caller.id], ...(tokenIds ? { tokenIds } : {}) };
}

/** Returns the value that a list is sorted by; null for the time. */
const valueOf = ({ sort }: ListQuery<LogSortKey>): 'quota' | 'duration' | null =>
  sort[0] && sort[0].field !== 'createdAt' ? sort[0].field : null;

function toType(keyword: string): number | null {
  return /^\d{1,4}$/.test(keyword) ? Number(keyword) : null;
}

const toTotal = (count: number): Total => ({
  count: Math.min(count, maxCountedLogs),
  capped: count > maxCountedLogs,
});
