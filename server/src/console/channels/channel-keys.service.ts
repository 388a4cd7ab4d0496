import { In, type Repository } from 'typeorm';
import { keyEnding, splitKeys } from '../../dialects/providers/channel-keys.js';
import { providerOf } from '../../dialects/makers/providers.js';
import { requirePermission, type MaybeActor } from '../../shared/actor.js';
import { AppError, InvalidInputError, NotFoundError } from '../../shared/errors.js';
import type { Secrets } from '../../shared/secrets.js';
import type { Channel } from './channel.entity.js';
import type { ChannelInput } from './channel-input.js';

/**
 * Use of a key by this node's relay. `USED`: it is used in rotation with the others. `REFUSED`: its provider refused
 * it, so it is not used until the channel's keys change. `PAUSED`: its connections kept failing, so it is skipped for
 * some seconds.
 */
export const channelKeyStatuses = ['USED', 'REFUSED', 'PAUSED'] as const;
export type ChannelKeyStatus = (typeof channelKeyStatuses)[number];

/** One key of a channel, without the key. */
export interface ChannelKey {
  /** Position among the channel's keys, from 1. */
  readonly position: number;
  readonly status: ChannelKeyStatus;
  /** The last four characters; empty for short keys and documents. */
  readonly ending: string;
  readonly cooldowns: readonly ChannelKeyCooldown[];
}

/** Reasons of `gateway/route/health/cooldown.ts`. */
export const channelCooldownReasons = ['RATE_LIMITED', 'FAILING', 'QUOTA_EXHAUSTED', 'REFUSED'] as const;
export type ChannelCooldownReason = (typeof channelCooldownReasons)[number];

/** A period in which a key gets no calls (docs/reference/relay/health.md). */
export interface ChannelKeyCooldown {
  /** The model; null for all models. */
  readonly model: string | null;
  readonly reason: ChannelCooldownReason;
  readonly since: Date;
  /** The end of the cooldown. The next call after it tests the key. */
  readonly until: Date;
}

interface KnownCooldown {
  readonly model: string;
  readonly reason: ChannelCooldownReason;
  readonly since: number;
  readonly until: number;
}

/** Provides the state of keys; implemented by the relay. */
export interface KeyHealth {
  /** @returns one status per key */
  healthOf(channelId: number, keys: readonly string[]): readonly ChannelKeyStatus[];
  /** @returns the cooldowns of each key; times in Unix milliseconds */
  cooldownsOf(channelId: number, keys: readonly string[]): ReadonlyArray<readonly KnownCooldown[]>;
  /** @param index of one key; null for all keys */
  clear(channelId: number, keys: readonly string[], index: number | null): number;
}

/** Writes the keys of a channel; implemented by `ChannelService`. */
interface KeyWriter {
  update(actor: MaybeActor, id: number, given: ChannelInput, sealed: string): Promise<unknown>;
}

/** The keys of channels, without their texts. For admins. */
export class ChannelKeyService {
  constructor(
    private readonly channels: Repository<Channel>,
    private readonly secrets: Pick<Secrets, 'open'>,
    private readonly health: KeyHealth,
    private readonly writer: KeyWriter,
  ) {}

  /**
   * @returns keys by channel; none for a channel whose keys cannot be decrypted
   * @throws AppError INSUFFICIENT_PRIVILEGES
   */
  async of(actor: MaybeActor, channelIds: readonly number[]): Promise<Map<number, ChannelKey[]>> {
    requirePermission(actor, 'channels.read');
    const rows = await this.channels.find({
      select: { id: true, type: true, keySealed: true },
      where: { id: In([...channelIds]) },
    });
    return new Map(
      rows.map(({ id, type, keySealed }) => {
        const keys = this.split(type, keySealed);
        return [id, this.keysOf(id, keys)];
      }),
    );
  }

  /**
   * Ends the cooldowns of keys, at every node, so that they serve calls again.
   * @param position of one key, from 1; null for all keys
   * @throws AppError INSUFFICIENT_PRIVILEGES, NOT_FOUND
   */
  async clear(actor: MaybeActor, channelId: number, position: number | null): Promise<number> {
    const { keys } = await this.read(actor, channelId);
    if (position !== null && (position < 1 || position > keys.length)) throw new NotFoundError('Key', position);
    return this.health.clear(channelId, keys, position === null ? null : position - 1);
  }

  /**
   * Adds keys behind the others. Keys that the channel has are not added again.
   * @param text keys separated by commas or line breaks
   * @throws AppError INSUFFICIENT_PRIVILEGES, NOT_FOUND, CONFLICT; INVALID_INPUT without a new key
   */
  async add(actor: MaybeActor, channelId: number, text: string): Promise<void> {
    const { type, keys, sealed } = await this.read(actor, channelId);
    if (providerOf(type).keyForm === 'document') {
      throw new InvalidInputError('Channels of this type have one key', 'keys');
    }
    const fresh = splitKeys(text, providerOf(type).keyForm).filter((key) => !keys.includes(key));
    if (fresh.length === 0) throw new InvalidInputError('The channel has these keys already', 'keys');
    await this.writer.update(actor, channelId, { key: [...keys, ...fresh].join('\n') }, sealed);
  }

  /**
   * Removes a key.
   * @param position from 1
   * @param ending like that of `ChannelKey`, to verify that the caller means this key
   * @throws AppError INSUFFICIENT_PRIVILEGES, NOT_FOUND, CONFLICT; INVALID_INPUT for the last key
   */
  async remove(actor: MaybeActor, channelId: number, position: number, ending: string): Promise<void> {
    const { keys, sealed } = await this.read(actor, channelId);
    const key = keys[position - 1];
    if (key === undefined) throw new NotFoundError('Key', position);
    if (keyEnding(key) !== ending) throw keysChanged();
    if (keys.length === 1) throw new InvalidInputError('A channel needs a key', 'position');
    await this.writer.update(actor, channelId, { key: keys.filter((one) => one !== key).join('\n') }, sealed);
  }

  private async read(
    actor: MaybeActor,
    id: number,
  ): Promise<{ readonly type: number; readonly keys: string[]; readonly sealed: string }> {
    requirePermission(actor, 'channels.write');
    const row = await this.channels.findOne({ select: { id: true, type: true, keySealed: true }, where: { id } });
    if (!row) throw new NotFoundError('Channel', id);
    return { type: row.type, keys: this.split(row.type, row.keySealed), sealed: row.keySealed };
  }

  private keysOf(id: number, keys: readonly string[]): ChannelKey[] {
    const cooldowns = this.health.cooldownsOf(id, keys);
    return this.health.healthOf(id, keys).map((status, index) => ({
      position: index + 1,
      status,
      ending: keyEnding(keys[index] ?? ''),
      cooldowns: (cooldowns[index] ?? []).map(({ model, reason, since, until }) => ({
        model: model || null,
        reason,
        since: new Date(since),
        until: new Date(until),
      })),
    }));
  }

  private split(type: number, sealed: string): string[] {
    try {
      return splitKeys(this.secrets.open(sealed), providerOf(type).keyForm);
    } catch {
      // The keys were encrypted with another ENCRYPTION_KEY.
      return [];
    }
  }
}

/** The error when the keys have changed since the caller read them. */
export const keysChanged = (): AppError => new AppError('CONFLICT', 'The keys of the channel have changed. Reload it.');
