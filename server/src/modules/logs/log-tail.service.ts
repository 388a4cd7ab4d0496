import type { DataSource } from 'typeorm';
import { Mailbox, type Delivery } from '../../live/mailbox.js';
import type { Signals } from '../../live/signals.js';
import { requireActor, requireRole, type MaybeActor } from '../../shared/actor.js';
import type { LogFilter } from './log-conditions.js';
import { matchesLog } from './log-match.js';
import { namesOfChannels, ownFilter, resolveUser } from './log.service.js';
import { toOwnView, toView, viewColumns, type LogView, type ViewRow } from './log-view.js';

/** Rows count as new while they are younger: a settlement takes far less from its time to its commit. */
const windowSeconds = 10;
/** Between two looks, so that a busy site costs a watched node four small statements a second at most. */
const pauseMilliseconds = 250;
/** What is looked at without a signal: rows that no settlement writes, and nodes that no signal reaches. */
const everyMilliseconds = 2000;
const maxKeys = 5000;
const maxRows = 200;

interface Place {
  readonly filter: LogFilter;
  readonly forAdmin: boolean;
  readonly mailbox: Mailbox<LogView>;
  /** Own rows are numbered as they come: real ids would tell how much the whole site is used. */
  count: number;
}

type Key = Pick<ViewRow, 'id' | 'createdAt'>;

export interface LogTailDeps {
  readonly database: DataSource;
  readonly signals: Signals;
  readonly report: (error: unknown) => void;
}

/**
 * New log rows for whoever watches. The rows are read from the table, whoever wrote them on whatever node, once for all
 * watchers of this node; settlements only say that there are some, and say nothing while nobody watches.
 */
export class LogTail {
  private readonly places = new Set<Place>();
  /** Rows of the window that were seen, by id, with their time. */
  private seen = new Map<string, number>();
  private beginning: Promise<void> | null = null;
  private timer: NodeJS.Timeout | null = null;
  private looking = false;
  private again = false;

  constructor(private readonly deps: LogTailDeps) {
    deps.signals.on('log', () => this.wake());
  }

  /**
   * Everybody's rows from now on. The filter's times ask nothing.
   * @throws AppError INSUFFICIENT_PRIVILEGES below admin
   */
  async all(actor: MaybeActor, filter: LogFilter): Promise<AsyncIterableIterator<Delivery<LogView>>> {
    requireRole(actor, 'admin');
    return this.open(await resolveUser(this.deps.database, filter), true);
  }

  /** The caller's own rows from now on, numbered from 1, without what is none of his business. */
  async own(actor: MaybeActor, filter: LogFilter): Promise<AsyncIterableIterator<Delivery<LogView>>> {
    return this.open(ownFilter(requireActor(actor), filter), false);
  }

  stop(): void {
    if (this.timer) clearTimeout(this.timer);
    for (const { mailbox } of this.places) void mailbox.return();
  }

  private async open(filter: LogFilter, forAdmin: boolean): Promise<AsyncIterableIterator<Delivery<LogView>>> {
    const endWatch = await this.deps.signals.watch();
    const mailbox = new Mailbox<LogView>(
      maxRows,
      ({ id }) => id,
      () => {
        this.places.delete(place);
        endWatch();
      },
    );
    const place: Place = { filter, forAdmin, mailbox, count: 0 };
    try {
      // Whoever is told that his stream is open misses no row that is written from then on.
      if (this.places.size === 0) this.beginning ??= this.begin().finally(() => (this.beginning = null));
      await this.beginning;
    } catch (error) {
      endWatch();
      throw error;
    }
    this.places.add(place);
    this.timer ??= setTimeout(() => void this.look(), everyMilliseconds);
    return mailbox;
  }

  /** What is there already is not new. */
  private async begin(): Promise<void> {
    const keys = await this.readKeys();
    this.seen = new Map(keys.map(({ id, createdAt }) => [id, Number(createdAt)]));
  }

  private wake(): void {
    if (this.places.size === 0) return;
    if (this.looking) this.again = true;
    else this.lookIn(pauseMilliseconds);
  }

  private lookIn(milliseconds: number): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.look(), milliseconds);
  }

  private async look(): Promise<void> {
    this.timer = null;
    if (this.places.size === 0) return;
    this.looking = true;
    try {
      await this.deliverNew();
    } catch (error) {
      this.deps.report(error);
    } finally {
      this.looking = false;
      if (this.places.size > 0) this.lookIn(this.again ? pauseMilliseconds : everyMilliseconds);
      this.again = false;
    }
  }

  private async deliverNew(): Promise<void> {
    const keys = await this.readKeys();
    const fresh = keys.filter(({ id }) => !this.seen.has(id));
    const oldest = Number(keys.at(-1)?.createdAt ?? 0);
    for (const [id, createdAt] of this.seen) if (createdAt < oldest) this.seen.delete(id);
    for (const { id, createdAt } of fresh) this.seen.set(id, Number(createdAt));
    if (fresh.length === 0) return;
    const places = [...this.places];
    const rows = await this.readRows(fresh, places);
    const names = places.some(({ forAdmin }) => forAdmin)
      ? await namesOfChannels(this.deps.database, rows)
      : new Map<number, string>();
    const newest = new Set(fresh.slice(0, maxRows).map(({ id }) => id));
    for (const place of places) {
      const ofOneUser = place.filter.userId !== undefined;
      const matching = rows.filter((row) => (ofOneUser || newest.has(row.id)) && matchesLog(row, place.filter));
      const shown = matching.map((row) => (place.forAdmin ? toView(row, names) : toOwnView(row, ++place.count)));
      place.mailbox.put(shown, ofOneUser ? 0 : fresh.length - newest.size);
    }
  }

  /** The newest first. */
  private readKeys(): Promise<Key[]> {
    return this.deps.database.query(
      `SELECT id, created_at AS "createdAt" FROM logs
        WHERE created_at >= extract(epoch FROM now())::bigint - $1
        ORDER BY created_at DESC, id DESC LIMIT $2`,
      [windowSeconds, maxKeys],
    );
  }

  /** The newest of everybody's where somebody watches everybody, and all of those who are watched; the oldest first. */
  private readRows(keys: readonly Key[], places: readonly Place[]): Promise<ViewRow[]> {
    const userIds = places.flatMap(({ filter }) => filter.userId ?? []);
    const everybody = userIds.length < places.length ? maxRows : 0;
    return this.deps.database.query<ViewRow[]>(
      `SELECT ${viewColumns} FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY keys (created_at, id, place)
         JOIN logs l ON l.created_at = keys.created_at AND l.id = keys.id
        WHERE keys.place <= $3 OR l.user_id = ANY ($4) ORDER BY l.created_at, l.id`,
      [keys.map(({ createdAt }) => createdAt), keys.map(({ id }) => id), everybody, userIds],
    );
  }
}
