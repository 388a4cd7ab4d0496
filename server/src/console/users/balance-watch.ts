import { In, type Repository } from 'typeorm';
import type { Changes } from '../../platform/cache/changes.js';
import type { Delivery } from '../../platform/live/mailbox.js';
import { RowWatch } from '../../platform/live/row-watch.js';
import type { Signals } from '../../platform/live/signals.js';
import { requireAccount, type MaybeActor } from '../../shared/actor.js';
import type { User } from '../../billing/accounts/index.js';

export type Balance = Pick<User, 'id' | 'quota' | 'usedQuota' | 'requestCount'>;

/**
 * Milliseconds between polls for balance changes without a signal, such as a check-in, and for nodes that no signal
 * reaches.
 */
const everyMilliseconds = 10_000;

export interface BalanceWatchDeps {
  readonly users: Repository<User>;
  readonly changes: Changes;
  readonly signals: Signals;
  readonly report: (error: unknown) => void;
}

/** Delivers a user's balance to subscriptions. */
export class BalanceWatch {
  private readonly rows: RowWatch<Balance>;
  /** Number of subscribers by user id. */
  private readonly watched = new Map<number, number>();
  private readonly clock: NodeJS.Timeout;

  constructor({ users, changes, signals, report }: BalanceWatchDeps) {
    const select = { id: true, quota: true, usedQuota: true, requestCount: true };
    this.rows = new RowWatch<Balance>({
      signals,
      report,
      read: (ids) => users.find({ select, where: { id: In([...ids]) } }),
    });
    changes.on('user', ({ id }) => this.touch(typeof id === 'number' ? [id] : null));
    signals.on('balance', (ids) => this.touch(ids));
    this.clock = setInterval(() => this.touch(null), everyMilliseconds);
  }

  stop(): void {
    clearInterval(this.clock);
  }

  /** Delivers the caller's balance now, and again after every change. */
  async own(actor: MaybeActor): Promise<AsyncIterableIterator<Delivery<Balance>>> {
    const { id } = requireAccount(actor, 'wallet');
    let last = '';
    const changed = (row: Balance): boolean =>
      last !== (last = JSON.stringify([row.quota, row.usedQuota, row.requestCount]));
    const deliveries = await this.rows.watch<Balance>({
      sees: (row) => row.id === id && changed(row),
      show: (row) => row,
      reportDeleted: false,
      onClose: () => this.forget(id),
    });
    this.watched.set(id, (this.watched.get(id) ?? 0) + 1);
    this.touch([id]);
    return deliveries;
  }

  private touch(ids: readonly number[] | null): void {
    const known = ids === null ? [...this.watched.keys()] : ids.filter((id) => this.watched.has(id));
    if (known.length > 0) this.rows.touch(known);
  }

  private forget(id: number): void {
    const count = (this.watched.get(id) ?? 1) - 1;
    if (count > 0) this.watched.set(id, count);
    else this.watched.delete(id);
  }
}
