import { escapeLike } from '../../shared/page.js';
import { logFrom, type Range, type RollupState } from '../rollups/rollups.service.js';

/** Which log rows are asked for; an absent field asks nothing. Times are Unix seconds, both ends included. */
export interface LogFilter {
  readonly type?: number;
  readonly userId?: number;
  readonly username?: string;
  readonly tokenId?: number;
  readonly tokenName?: string;
  /** Literal, save that `*` stands for any text. */
  readonly modelName?: string;
  readonly group?: string;
  readonly channelId?: number;
  readonly from?: number;
  readonly to?: number;
  readonly requestId?: string;
}

/** The conditions of one statement and the values they refer to. */
export class Where {
  private readonly clauses: string[] = [];
  readonly values: unknown[] = [];

  /** @param sql with `?` where the value goes */
  and(sql: string, value: unknown): this {
    this.clauses.push(sql.replace('?', this.value(value)));
    return this;
  }

  /** @returns the placeholder of a value that is no condition */
  value(value: unknown): string {
    // No text in the database holds a NUL, and the protocol knows none.
    this.values.push(typeof value === 'string' ? value.replaceAll('\0', '') : value);
    return `$${this.values.length}`;
  }

  toString(): string {
    return this.clauses.length === 0 ? 'TRUE' : this.clauses.join(' AND ');
  }
}

/** Every condition save the time range. */
export function andLogFields(where: Where, filter: LogFilter): Where {
  if (filter.type !== undefined) where.and('type = ?', filter.type);
  if (filter.userId !== undefined) where.and('user_id = ?', filter.userId);
  if (filter.tokenId !== undefined) where.and('token_id = ?', filter.tokenId);
  if (filter.channelId !== undefined) where.and('channel_id = ?', filter.channelId);
  if (filter.group !== undefined) where.and('"group" = ?', filter.group);
  if (filter.modelName !== undefined) andModel(where, filter.modelName);
  if (filter.username !== undefined) where.and('username = ?', filter.username);
  if (filter.tokenName !== undefined) where.and('token_name = ?', filter.tokenName);
  if (filter.requestId !== undefined) where.and('request_id = ?', filter.requestId);
  return where;
}

function andRange(where: Where, filter: LogFilter): Where {
  if (filter.from !== undefined) where.and('created_at >= ?', filter.from);
  if (filter.to !== undefined) where.and('created_at <= ?', filter.to);
  return where;
}

/** The whole filter, for lists. */
export function logConditions(filter: LogFilter): Where {
  return andRange(andLogFields(new Where(), filter), filter);
}

/** SQL for FROM, and its values. */
export interface Source {
  readonly from: string;
  readonly values: unknown[];
}

/** Rollups of the rows that match a filter (`logFrom`); null when only the rows themselves have the wanted columns. */
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

export const rangeOf = ({ from, to }: LogFilter): Range => ({ from: from ?? 0, end: (to ?? latest) + 1 });

const latest = Number.MAX_SAFE_INTEGER - 1;

/** Columns of the log that a filter asks about, times aside. */
export const columnsOf = (filter: LogFilter): string[] =>
  Object.entries(logColumns).flatMap(([field, column]) =>
    filter[field as keyof typeof logColumns] === undefined ? [] : [column],
  );

const logColumns = {
  type: 'type',
  userId: 'user_id',
  username: 'username',
  tokenId: 'token_id',
  tokenName: 'token_name',
  modelName: 'model_name',
  group: 'group',
  channelId: 'channel_id',
  requestId: 'request_id',
} as const satisfies Record<keyof Omit<LogFilter, 'from' | 'to'>, string>;

function andModel(where: Where, pattern: string): void {
  if (!pattern.includes('*')) where.and('model_name = ?', pattern);
  else where.and('model_name LIKE ?', pattern.split('*').map(escapeLike).join('%'));
}
