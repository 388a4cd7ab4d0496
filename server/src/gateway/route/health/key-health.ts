import { keyMarksOf } from '../key-mark.js';
import type { KeyRing } from '../key-ring.js';
import type { Health } from './health.js';
import type { Cooldown } from './cooldown.js';

/** The state of the keys of channels, for admins: by position, without their texts. */
export class KeyHealth {
  constructor(
    private readonly keyRing: KeyRing,
    private readonly health: Health,
  ) {
    // The node that saw the refusal also stores it in its ring.
    health.known.onEnd(({ channelId, keyMark }) => keyRing.revive(channelId, keyMark));
  }

  /**
   * @param keys of the channel as stored
   * @returns one status per key
   */
  healthOf(channelId: number, keys: readonly string[]): ReturnType<KeyRing['healthOf']> {
    const cooldowns = this.cooldownsOf(channelId, keys);
    const statuses = this.keyRing.healthOf(channelId, keys);
    return statuses.map((status, at) =>
      cooldowns[at]?.some(({ reason }) => reason === 'REFUSED') ? 'REFUSED' : status,
    );
  }

  /** Returns the cooldowns of each key. */
  cooldownsOf(channelId: number, keys: readonly string[]): readonly Cooldown[][] {
    const cooldowns = this.health.of(channelId);
    return keyMarksOf({ keys }).map((mark) => cooldowns.filter(({ keyMark }) => keyMark === mark));
  }

  /**
   * Lets keys serve calls again, at every node.
   * @param index of one key; null for all keys
   * @returns the number of cooldowns that ended
   */
  clear(channelId: number, keys: readonly string[], index: number | null): number {
    const marks = keyMarksOf({ keys });
    const keyMark = index === null ? undefined : (marks[index] ?? '');
    for (const mark of keyMark === undefined ? marks : [keyMark]) this.keyRing.revive(channelId, mark);
    return this.health.clear(channelId, keyMark === undefined ? {} : { keyMark }).length;
  }
}
