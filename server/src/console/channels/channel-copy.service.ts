import type { Repository } from 'typeorm';
import { requirePermission, type MaybeActor } from '../../shared/actor.js';
import { NotFoundError } from '../../shared/errors.js';
import type { Secrets } from '../../shared/secrets.js';
import type { Channel } from './channel.entity.js';
import { channelFieldNames } from './channel-input.js';
import type { ChannelService } from './channel.service.js';
import { settingFields } from './channel-setting.js';
import { openChannelKey } from './open-channel-key.js';

export interface ChannelCopyDeps {
  readonly channels: Repository<Channel>;
  readonly secrets: Pick<Secrets, 'open'>;
  readonly service: Pick<ChannelService, 'create'>;
}

/** Copies channels with their keys, which do not leave the server. */
export class ChannelCopyService {
  constructor(private readonly deps: ChannelCopyDeps) {}

  /**
   * Creates an enabled channel with the settings and keys of another.
   * @param name of the copy
   * @param idempotencyKey a retry with the same key returns the channel of the first call
   * @throws AppError NOT_FOUND, INVALID_INPUT, CONFLICT (same key, other input; the stored key cannot be read)
   */
  async copy(
    actor: MaybeActor,
    id: number,
    name: string,
    idempotencyKey: string | null = null,
  ): Promise<{ channel: Channel; replayed: boolean }> {
    requirePermission(actor, 'channels.write');
    const found = await this.deps.channels
      .createQueryBuilder('channel')
      .addSelect('channel.keySealed')
      .where('channel.id = :id', { id })
      .getOne();
    if (!found) throw new NotFoundError('Channel', id);
    const { status: _status, ...fields } = Object.fromEntries(channelFieldNames.map((field) => [field, found[field]]));
    const key = openChannelKey(this.deps.secrets, found.keySealed);
    // The request does not include the fields, because the copied channel may change before a retry.
    const request = { operation: 'copyChannel', key: idempotencyKey, input: { id, name } };
    return this.deps.service.create(actor, { ...fields, name, key, setting: settingFields(found.setting) }, request);
  }
}
