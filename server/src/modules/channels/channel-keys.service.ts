import { In, type Repository } from 'typeorm';
import { splitKeys } from '../../relay/providers/channel-keys.js';
import { providerOf } from '../../relay/providers/providers.js';
import { requireRole, type MaybeActor } from '../../shared/actor.js';
import type { Secrets } from '../../shared/secrets.js';
import type { Channel } from './channel.entity.js';

/**
 * Use of a key by this node's relay. `USED`: in turn with the others. `REFUSED`: its provider refused it, so it is not
 * used until the channel's keys change. `PAUSED`: its connections kept failing, so it is skipped for some seconds.
 */
export const channelKeyStatuses = ['USED', 'REFUSED', 'PAUSED'] as const;
export type ChannelKeyStatus = (typeof channelKeyStatuses)[number];

/** One key of a channel, without the key. */
export interface ChannelKey {
  /** Position among the channel's keys, from 1. */
  readonly position: number;
  readonly status: ChannelKeyStatus;
}

/** Provides the state of keys; implemented by the relay. */
export interface KeyHealth {
  /** @returns one status per key */
  healthOf(channelId: number, keys: readonly string[]): readonly ChannelKeyStatus[];
}

/** The keys of channels, without their texts. For admins. */
export class ChannelKeyService {
  constructor(
    private readonly channels: Repository<Channel>,
    private readonly secrets: Pick<Secrets, 'open'>,
    private readonly health: KeyHealth,
  ) {}

  /**
   * @returns keys by channel; none for a channel whose keys cannot be decrypted
   * @throws AppError INSUFFICIENT_PRIVILEGES
   */
  async of(actor: MaybeActor, channelIds: readonly number[]): Promise<Map<number, ChannelKey[]>> {
    requireRole(actor, 'admin');
    const rows = await this.channels.find({
      select: { id: true, type: true, keySealed: true },
      where: { id: In([...channelIds]) },
    });
    return new Map(
      rows.map(({ id, type, keySealed }) => {
        const keys = this.split(type, keySealed);
        return [id, this.health.healthOf(id, keys).map((status, index) => ({ position: index + 1, status }))];
      }),
    );
  }

  private split(type: number, sealed: string): string[] {
    try {
      return splitKeys(this.secrets.open(sealed), providerOf(type).keyForm);
    } catch {
      // Encrypted with another ENCRYPTION_KEY.
      return [];
    }
  }
}
