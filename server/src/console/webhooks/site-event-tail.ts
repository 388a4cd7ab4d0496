import type { DataSource } from 'typeorm';
import { Mailbox, maxDelivered, type Delivery } from '../../platform/live/mailbox.js';
import { requirePermission, type MaybeActor } from '../../shared/actor.js';
import type { SiteEventKind } from '../../shared/site-events.js';
import type { SiteEvent } from './webhook.entity.js';

const everyMilliseconds = 1000;
/** Events that are younger are compared with those already seen: a transaction commits some time after it wrote one. */
const windowSeconds = 60;
const maxRead = 1000;

interface Watcher {
  readonly put: (events: readonly SiteEvent[]) => void;
  readonly close: () => void;
}

export interface SiteEventTailDeps {
  readonly database: Pick<DataSource, 'query'>;
  readonly report: (error: unknown) => void;
}

/** Delivers new events of the site to subscriptions. The table is read once a second while this node has subscribers. */
export class SiteEventTail {
  private readonly watchers = new Set<Watcher>();
  private seen = new Set<number>();
  private timer: NodeJS.Timeout | null = null;
  private beginning: Promise<void> | null = null;

  constructor(private readonly deps: SiteEventTailDeps) {}

  /** @throws AppError INSUFFICIENT_PRIVILEGES */
  async all(
    actor: MaybeActor,
    kinds: readonly SiteEventKind[] | null,
  ): Promise<AsyncIterableIterator<Delivery<SiteEvent>>> {
    requirePermission(actor, 'webhooks');
    if (this.watchers.size === 0) this.beginning ??= this.begin().finally(() => (this.beginning = null));
    await this.beginning;
    const mailbox = new Mailbox<SiteEvent>(
      maxDelivered,
      ({ id }) => id,
      () => this.watchers.delete(watcher),
    );
    const wanted = (kind: string): boolean => kinds === null || kinds.some((one) => one === kind);
    const watcher: Watcher = {
      put: (events) => mailbox.put(events.filter(({ kind }) => wanted(kind))),
      close: () => void mailbox.return(),
    };
    this.watchers.add(watcher);
    this.timer ??= setTimeout(() => void this.look(), everyMilliseconds);
    return mailbox;
  }

  stop(): void {
    if (this.timer) clearTimeout(this.timer);
    for (const { close } of this.watchers) close();
  }

  /** Marks the existing events as seen. */
  private async begin(): Promise<void> {
    this.seen = new Set((await this.read()).map(({ id }) => id));
  }

  private async look(): Promise<void> {
    this.timer = null;
    if (this.watchers.size === 0) return;
    try {
      const events = await this.read();
      const fresh = events.filter(({ id }) => !this.seen.has(id));
      this.seen = new Set(events.map(({ id }) => id));
      for (const { put } of this.watchers) put(fresh);
    } catch (error) {
      this.deps.report(error);
    }
    this.timer ??= setTimeout(() => void this.look(), everyMilliseconds);
  }

  /** Events of the window, oldest first. */
  private read(): Promise<SiteEvent[]> {
    return this.deps.database.query<SiteEvent[]>(
      `SELECT * FROM (
         SELECT id::float8 AS id, name, kind, data, created_at AS "createdAt" FROM site_events
          WHERE created_at > now() - interval '${windowSeconds} seconds' ORDER BY id DESC LIMIT ${maxRead}) newest ORDER BY id`,
    );
  }
}
