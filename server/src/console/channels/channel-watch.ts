import { In, type Repository } from 'typeorm';
import type { Changes } from '../../platform/cache/changes.js';
import type { Delivery } from '../../platform/live/mailbox.js';
import { RowWatch } from '../../platform/live/row-watch.js';
import type { Signals } from '../../platform/live/signals.js';
import { requirePermission, type MaybeActor } from '../../shared/actor.js';
import type { Channel } from './channel.entity.js';

export interface ChannelWatchDeps {
  readonly channels: Repository<Channel>;
  readonly changes: Changes;
  readonly signals: Signals;
  readonly report: (error: unknown) => void;
}

/**
 * Delivers channels as they change: status and its reason, response time, balance, and edits. Keys are never part of
 * it.
 */
export class ChannelWatch {
  private readonly rows: RowWatch<Channel>;

  constructor({ channels, changes, signals, report }: ChannelWatchDeps) {
    this.rows = new RowWatch({ signals, report, read: (ids) => channels.findBy({ id: In([...ids]) }) });
    changes.on('channel', ({ id }) => this.rows.touch(typeof id === 'number' ? [id] : null));
    signals.on('channel', (ids) => this.rows.touch(ids));
  }

  /**
   * Returns changes from now on.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin
   */
  async changed(actor: MaybeActor): Promise<AsyncIterableIterator<Delivery<Channel>>> {
    requirePermission(actor, 'channels.read');
    return this.rows.watch({ sees: () => true, show: (channel) => channel, reportDeleted: true });
  }
}
