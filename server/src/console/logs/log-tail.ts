import type { DataSource } from 'typeorm';
import { Mailbox, maxDelivered, type Delivery } from '../../platform/live/mailbox.js';
import type { Signals } from '../../platform/live/signals.js';
import { requirePermission, type MaybeActor } from '../../shared/actor.js';
import type { Secrets } from '../../shared/secrets.js';
import type { LogFilter } from './log-conditions.js';
import { matchesLog } from './log-match.js';
import { namesOfChannels, ownFilter, resolveUser } from './log.service.js';
import { toOwnView, viewColumns, viewFor, type LogView, type OwnLogView, type ViewRow } from './log-view.js';
import { secondsIn } from '../../shared/clock.js';

/** Rows younger than this are compared with those already seen. A settlement commits far sooner after its row's time. */
const windowSeconds = 10;
/**
 * Milliseconds between two reads, so that a busy site costs a node with subscribers at most four small statements per
 * second.
 */
const pauseMilliseconds = 250;
/**
 * Milliseconds between reads without a signal. They find rows that no settlement wrote, and rows of nodes whose signals
 * do not arrive.
 */
const everyMilliseconds = 2000;
const maxKeys = 5000;

/** One subscription. */
interface Watcher {
  readonly filter: LogFilter;
  readonly forAdmin: boolean;
  readonly put: (rows: readonly ViewRow[], channelNames: ReadonlyMap<number, string>, missed: number) => void;
  readonly close: () => void;
}

type Key = Pick<ViewRow, 'id' | 'createdAt'>;

export interface LogTailDeps {
  readonly database: DataSource;
  readonly signals: Signals;
  readonly secrets: Pick<Secrets, 'hash'>;
  readonly report: (error: unknown) => void;
}

/**
 * Delivers new log rows to subscriptions. The rows are read from the table, whichever node wrote them, once for all
 * subscribers of this node. Settlements only signal that there are new rows, and only while there are subscribers.
 */
export class LogTail {
  private readonly watchers = new Set<Watcher>();
  /** Delivered rows of the window, with the time by id. */
  private seen = new Map<string, number>();
  /** Time of the last read, on the clock of this process. Milliseconds. */
  private readAt = 0;
  private beginning: Promise<void> | null = null;
  private timer: NodeJS.Timeout | null = null;
  private looking = false;
  private again = false;

  constructor(private readonly deps: LogTailDeps) {
    deps.signals.on('log', () => this.wake());
  }

  /**
   * Delivers new rows of all users. The times of the filter are ignored.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin
   */
  async all(actor: MaybeActor, filter: LogFilter): Promise<AsyncIterableIterator<Delivery<LogView>>> {
    requirePermission(actor, 'logs.read');
    return this.open(await resolveUser(this.deps.database, filter), true, viewFor(actor));
  }

  /** Delivers the caller's own new rows, without channels and admin details. */
  async own(actor: MaybeActor, filter: LogFilter): Promise<AsyncIterableIterator<Delivery<OwnLogView>>> {
    return this.open(await ownFilter(this.deps.database, actor, filter), false, (row) =>
      toOwnView(row, this.deps.secrets),
    );
  }

  stop(): void {
    if (this.timer) clearTimeout(this.timer);
    for (const { close } of this.watchers) close();
  }

  private async open<View extends { readonly id: unknown }>(
    filter: LogFilter,
    forAdmin: boolean,
    view: (row: ViewRow, channelNames: ReadonlyMap<number, string>) => View,
  ): Promise<AsyncIterableIterator<Delivery<View>>> {
    const endWatch = await this.deps.signals.watch();
    const mailbox = new Mailbox<View>(
      maxDelivered,
      ({ id }) => id,
      () => {
        this.watchers.delete(watcher);
        endWatch();
      },
    );
    const watcher: Watcher = {
      filter,
      forAdmin,
      put: (rows, names, missed) =>
        mailbox.put(
          rows.map((row) => view(row, names)),
          missed,
        ),
      close: () => void mailbox.return(),
    };
    try {
      // Rows written after the stream is open must not be missed.
      if (this.watchers.size === 0) this.beginning ??= this.begin().finally(() => (this.beginning = null));
      await this.beginning;
    } catch (error) {
      endWatch();
      throw error;
    }
    this.watchers.add(watcher);
    this.timer ??= setTimeout(() => void this.look(), everyMilliseconds);
    return mailbox;
  }

  /** Marks the existing rows as seen. */
  private async begin(): Promise<void> {
    const now = performance.now();
    const keys = await this.readKeys(windowSeconds);
    this.readAt = now;
    this.seen = new Map(keys.map(({ id, createdAt }) => [id, Number(createdAt)]));
  }

  private wake(): void {
    if (this.watchers.size === 0) return;
    if (this.looking) this.again = true;
    else this.lookIn(pauseMilliseconds);
  }

  private lookIn(milliseconds: number): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.look(), milliseconds);
  }

  private async look(): Promise<void> {
    this.timer = null;
    if (this.watchers.size === 0) return;
    this.looking = true;
    try {
      await this.deliverNew();
    } catch (error) {
      this.deps.report(error);
    } finally {
      this.looking = false;
      if (this.watchers.size > 0) this.lookIn(this.again ? pauseMilliseconds : everyMilliseconds);
      this.again = false;
    }
  }

  private async deliverNew(): Promise<void> {
    const now = performance.now();
    // Rows that were written while reads failed may be as old as the last read.
    const late = Math.max(0, Math.floor(secondsIn(now - this.readAt - everyMilliseconds)));
    const keys = await this.readKeys(windowSeconds + late);
    const fresh = keys.filter(({ id }) => !this.seen.has(id));
    const watchers = [...this.watchers];
    const rows = fresh.length === 0 ? [] : await this.readRows(fresh, watchers);
    const names =
      fresh.length > 0 && watchers.some(({ forAdmin }) => forAdmin)
        ? await namesOfChannels(this.deps.database, rows)
        : new Map<number, string>();
    // The time is set after the read: rows that could not be read are new again at the next read.
    this.readAt = now;
    const oldest = Number(keys.at(-1)?.createdAt ?? 0);
    for (const [id, createdAt] of this.seen) if (createdAt < oldest) this.seen.delete(id);
    for (const { id, createdAt } of fresh) this.seen.set(id, Number(createdAt));
    if (fresh.length === 0) return;
    const newest = new Set(fresh.slice(0, maxDelivered).map(({ id }) => id));
    for (const { filter, put } of watchers) {
      const ofUsers = filter.userIds !== undefined;
      const matching = rows.filter((row) => (ofUsers || newest.has(row.id)) && matchesLog(row, filter));
      put(matching, names, ofUsers ? 0 : fresh.length - newest.size);
    }
  }

  /** Reads the keys of rows, newest first. */
  private readKeys(seconds: number): Promise<Key[]> {
    return this.deps.database.query(
      `SELECT id, created_at AS "createdAt" FROM logs
        WHERE created_at >= extract(epoch FROM now())::bigint - $1
        ORDER BY created_at DESC, id DESC LIMIT $2`,
      [seconds, maxKeys],
    );
  }

  /**
   * Reads the newest rows if a subscriber does not restrict the users, and all rows of watched users. The result is
   * oldest first.
   */
  private readRows(keys: readonly Key[], watchers: readonly Watcher[]): Promise<ViewRow[]> {
    const userIds = watchers.flatMap(({ filter }) => filter.userIds ?? []);
    const ofAll = watchers.some(({ filter }) => filter.userIds === undefined) ? maxDelivered : 0;
    return this.deps.database.query<ViewRow[]>(
      `SELECT ${viewColumns} FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY keys (created_at, id, place)
         JOIN logs l ON l.created_at = keys.created_at AND l.id = keys.id
        WHERE keys.place <= $3 OR l.user_id = ANY ($4) ORDER BY l.created_at, l.id`,
      [keys.map(({ createdAt }) => createdAt), keys.map(({ id }) => id), ofAll, userIds],
    );
  }
}
