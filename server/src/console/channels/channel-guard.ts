import type { Repository } from 'typeorm';
import type { Changes } from '../../platform/cache/changes.js';
import type { UsageLog } from '../../shared/audit.js';
import { wholeSecond, type Clock } from '../../shared/clock.js';
import type { Secrets } from '../../shared/secrets.js';
import { LogType } from '../logs/index.js';
import { Channel, statusNumber, type ChannelStatus } from './channel.entity.js';
import { readableKeys } from './open-channel-key.js';

/** A channel in the state in which its provider refused the call. */
export interface RefusedChannel {
  readonly keys: readonly string[];
  /** Trimmed. */
  readonly baseUrl: string;
}

export interface ChannelGuardDeps {
  readonly channels: Repository<Channel>;
  readonly secrets: Pick<Secrets, 'open'>;
  readonly changes: Changes;
  readonly usageLog: UsageLog;
  /** Notified when a channel is disabled or enabled. */
  readonly notices: { channelChanged(id: number, status: number, title: string, reason: string): void };
  readonly clock: Clock;
}

/**
 * Disables channels whose provider refuses their keys, and enables them again
 * (docs/reference/relay/routing.md#automatic-disabling). Each change has a log row and a notice.
 */
export class ChannelGuard {
  constructor(private readonly deps: ChannelGuardDeps) {}

  /**
   * Disables an enabled channel whose `autoDisable` allows it, because its provider refused its keys.
   * @param reason shown to admins: masked by the caller, never contains a key
   * @param refused the channel as it was called. A channel whose keys or address have changed since then stays enabled,
   * and every node reads it again
   * @returns false when nothing changed
   */
  disableAutomatically(id: number, reason: string, refused?: RefusedChannel): Promise<boolean> {
    return this.switchStatus(id, { status: 'enabled', autoDisable: true }, 'autoDisabled', reason, refused);
  }

  /**
   * Enables a channel that was disabled automatically.
   * @returns false when nothing changed
   */
  enableAutomatically(id: number, reason: string): Promise<boolean> {
    return this.switchStatus(id, { status: 'autoDisabled' }, 'enabled', reason);
  }

  private async switchStatus(
    id: number,
    from: Partial<Pick<Channel, 'status' | 'autoDisable'>>,
    status: ChannelStatus,
    reason: string,
    refused?: RefusedChannel,
  ): Promise<boolean> {
    const { channels, usageLog, changes, notices, clock } = this.deps;
    const content = `Channel ${id} was ${status === 'enabled' ? 'enabled' : 'disabled'} automatically`;
    const change = { status, statusReason: reason.slice(0, 1000), statusChangedAt: wholeSecond(clock.now()) };
    let replaced = false;
    const changed = await channels.manager.transaction(async (manager) => {
      if (refused) {
        const select = { id: true, type: true, baseUrl: true, keySealed: true };
        const channel = await manager.findOne(Channel, { where: { id }, select, lock: { mode: 'pessimistic_write' } });
        replaced = channel !== null && !this.isStill(channel, refused);
        if (replaced) return false;
      }
      const result = await manager.update(Channel, { id, ...from }, change);
      if (!result.affected) return false;
      const other = { channel: id, reason: change.statusReason };
      await usageLog.record(manager, { type: LogType.system, userId: 0, username: '', content, other });
      return true;
    });
    if (changed || replaced) await changes.announce({ kind: 'channel', id });
    if (!changed) return false;
    notices.channelChanged(id, statusNumber(status), content, change.statusReason);
    return true;
  }

  private isStill(channel: Channel, { keys, baseUrl }: RefusedChannel): boolean {
    return channel.baseUrl.trim() === baseUrl && readableKeys(this.deps.secrets, channel).join() === keys.join();
  }
}
