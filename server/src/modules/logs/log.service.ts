import type { DataSource } from 'typeorm';
import { requireActor, requireRole, type Actor, type MaybeActor } from '../../shared/actor.js';
import type { UsageLog, AuditRow } from '../../shared/audit.js';
import { seconds, type Clock } from '../../shared/clock.js';
import { InvalidInputError } from '../../shared/errors.js';
import type { Page, PageQuery } from '../../shared/page.js';
import type { Secrets } from '../../shared/secrets.js';
import { storableJson } from '../../shared/storable.js';
import { readSnapshot, type Queries, type RollupState } from '../rollups/rollups.service.js';
import { Where, type LogFilter } from './log-conditions.js';
import { LogType } from './log.entity.js';
import { readLogPage } from './log-page.js';
import { searchLogs, searchSize } from './log-search.js';
import { readStat, type LogStat } from './log-stat.js';
import { trimLogs } from './log-trim.js';
import { toOwnView, toView, viewColumns, type LogView, type ViewRow } from './log-view.js';

export type { LogFilter, LogStat, LogView };

/** Rows are counted, and paged through, up to here; a time range reaches what lies behind. */
export const maxCountedLogs = 100_000;
/** Stands where other rows name the API key. */
const testTokenName = 'model test';

export interface LogPage extends Page<LogView> {
  /** There are more rows than `totalCount` says. */
  readonly totalCapped: boolean;
}

/** A consume row that nobody pays: a channel test. */
export interface UnchargedCall extends Omit<AuditRow, 'type'> {
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

/** The log: who may read what of it, and every row that is not written by a settlement. */
export class LogService implements UsageLog {
  constructor(
    private readonly database: DataSource,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  async record(transaction: Transaction, row: AuditRow): Promise<void> {
    await insertRow(transaction, seconds(this.clock), { ...uncounted, ...row, quota: row.quota ?? 0 });
  }

  /** A consume row that moves no balance. */
  async recordTest(transaction: Transaction, call: UnchargedCall): Promise<void> {
    await insertRow(transaction, seconds(this.clock), { ...call, type: LogType.consume, tokenName: testTokenName });
  }

  /** Newest first. @throws AppError INSUFFICIENT_PRIVILEGES below admin */
  async list(actor: MaybeActor, filter: LogFilter, query: PageQuery): Promise<LogPage> {
    requireRole(actor, 'admin');
    const page = await this.readPage(await resolveUser(this.database, filter), query);
    const names = await namesOfChannels(this.database, page.rows);
    return { ...page.count, items: page.rows.map((row) => toView(row, names)) };
  }

  /** The caller's own rows, without what is none of his business. */
  async listOwn(actor: MaybeActor, filter: LogFilter, query: PageQuery): Promise<LogPage> {
    const { rows, count } = await this.readPage(ownFilter(requireActor(actor), filter), query);
    const first = query.page * query.pageSize;
    const ascending = query.sort?.direction === 'ASC';
    return {
      ...count,
      items: rows.map((row, index) => toOwnView(row, ascending ? first + index + 1 : count.totalCount - first - index)),
    };
  }

  async stat(actor: MaybeActor, filter: LogFilter): Promise<LogStat> {
    requireRole(actor, 'admin');
    return this.readStat(await resolveUser(this.database, filter));
  }

  async statOwn(actor: MaybeActor, filter: LogFilter): Promise<LogStat> {
    return this.readStat(ownFilter(requireActor(actor), filter));
  }

  /**
   * The newest 100 rows whose type is the keyword or whose content starts with it. Calls all say the same few things:
   * they are looked through among the newest rows only, and so is everything else where thousands of rows say the same.
   */
  async search(actor: MaybeActor, keyword: string): Promise<LogView[]> {
    requireRole(actor, 'admin');
    const rows = await searchLogs(this.database, keyword, toType(keyword));
    const names = await namesOfChannels(this.database, rows);
    return rows.map((row) => toView(row, names));
  }

  /** The newest 100 own rows whose type is the keyword. */
  async searchOwn(actor: MaybeActor, keyword: string): Promise<LogView[]> {
    const type = toType(keyword);
    const owner = requireActor(actor);
    if (type === null) return [];
    const where = new Where().and('user_id = ?', owner.id).and('type = ?', type);
    return numbered(await this.readNewest(where, where.toString(), searchSize));
  }

  /** Rows of one own API key, with or without `sk-`; none when it is unknown or somebody else's. Newest first. */
  async listOfKey(actor: MaybeActor, key: string, query: PageQuery): Promise<LogView[]> {
    const owner = requireActor(actor);
    const [token] = await this.database.query<Array<{ id: number }>>(
      'SELECT id FROM tokens WHERE key_hash = $1 AND user_id = $2 AND deleted_at IS NULL',
      [this.secrets.hash(key.trim().replace(/^sk-/, '')), owner.id],
    );
    if (!token) return [];
    return (await this.listOwn(actor, { tokenId: token.id }, query)).items;
  }

  /**
   * Deletes rows of all types older than `before` (Unix seconds; the future counts as now) and writes a manage row.
   * @returns how many are gone
   */
  async deleteBefore(actor: MaybeActor, before: number): Promise<number> {
    const admin = requireRole(actor, 'admin');
    if (!Number.isSafeInteger(before) || before <= 0) {
      throw new InvalidInputError('The target timestamp is required', 'target_timestamp');
    }
    const until = Math.min(before, seconds(this.clock) + 1);
    const deleted = await trimLogs(this.database, until);
    await this.record(this.database, {
      type: LogType.manage,
      userId: admin.id,
      username: admin.username,
      content: `Deleted ${deleted} log rows older than ${new Date(until * 1000).toISOString()}`,
      other: { deleted, before: until },
    });
    return deleted;
  }

  private readStat(filter: LogFilter): Promise<LogStat> {
    return readSnapshot(this.database, (transaction, state) =>
      readStat(transaction, filter, state, seconds(this.clock)),
    );
  }

  /** Total and rows are of one moment. */
  private readPage(filter: LogFilter, query: PageQuery): Promise<{ rows: ViewRow[]; count: Omit<LogPage, 'items'> }> {
    const direction = sortDirection(query);
    const offset = query.page * query.pageSize;
    const find = async (transaction: Queries, state: RollupState) => {
      const wanted = { direction, offset, limit: query.pageSize, most: maxCountedLogs };
      const { rows, total } = await readLogPage(transaction, filter, state, wanted);
      return { rows, count: { totalCount: Math.min(total, maxCountedLogs), totalCapped: total > maxCountedLogs } };
    };
    return readSnapshot(this.database, find);
  }

  private readNewest(where: Where, condition: string, limit: number): Promise<ViewRow[]> {
    return this.database.query<ViewRow[]>(
      `SELECT ${viewColumns} FROM logs l WHERE ${condition} ORDER BY l.created_at DESC, l.id DESC
       LIMIT ${where.value(limit)}`,
      where.values,
    );
  }
}

/** A name stands for the user who has it now, whatever his rows were called then; a name nobody has is looked for in the rows. */
export async function resolveUser(database: DataSource, filter: LogFilter): Promise<LogFilter> {
  const { username, ...rest } = filter;
  if (username === undefined) return filter;
  const [user] = await database.query<Array<{ id: number }>>('SELECT id FROM users WHERE username = $1', [username]);
  return user ? { ...rest, userId: user.id } : filter;
}

/** One query for a page, however many channels it names. */
export async function namesOfChannels(database: DataSource, rows: readonly ViewRow[]): Promise<Map<number, string>> {
  const ids = [...new Set(rows.map((row) => row.channelId).filter((id) => id !== 0))];
  if (ids.length === 0) return new Map();
  const channels = await database.query<Array<{ id: number; name: string }>>(
    'SELECT id, name FROM channels WHERE id = ANY ($1)',
    [ids],
  );
  return new Map(channels.map(({ id, name }) => [id, name]));
}

type InsertedRow = UnchargedCall & Pick<AuditRow, 'type'> & { readonly tokenName: string };

async function insertRow(transaction: Transaction, createdAt: number, row: InsertedRow): Promise<void> {
  await transaction.query(
    `INSERT INTO logs (created_at, type, user_id, username, content, other, token_name, channel_id, model_name, "group",
                       quota, prompt_tokens, completion_tokens, use_time)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      ...[createdAt, row.type, row.userId, row.username, row.content, row.other ? storableJson(row.other) : ''],
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

/** Whatever else is asked for, the rows are the caller's; channels are none of his business. */
export const ownFilter = (
  { id }: Actor,
  { type, tokenId, tokenName, modelName, group, from, to, requestId }: LogFilter,
) => ({
  ...{ type, tokenId, tokenName, modelName, group, from, to, requestId },
  userId: id,
});

const numbered = (rows: ViewRow[]): LogView[] => rows.map((row, index) => toOwnView(row, rows.length - index));

function toType(keyword: string): number | null {
  return /^\d{1,4}$/.test(keyword) ? Number(keyword) : null;
}

function sortDirection({ sort }: PageQuery): 'ASC' | 'DESC' {
  if (sort && sort.field !== 'createdAt') throw new InvalidInputError('Logs can be sorted by createdAt only', 'sort');
  return sort?.direction ?? 'DESC';
}
