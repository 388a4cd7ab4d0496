import type { Repository } from 'typeorm';
import type { Changes } from '../../cache/changes.js';
import type { GuardedFetch } from '../../outbound/guarded-fetch.js';
import { requireRole, type MaybeActor } from '../../shared/actor.js';
import { seconds, type Clock } from '../../shared/clock.js';
import { AppError, NotFoundError } from '../../shared/errors.js';
import type { Secrets } from '../../shared/secrets.js';
import { balances } from './channel-balance.js';
import { defaultBaseUrl } from './channel-catalogue.service.js';
import type { Channel } from './channel.entity.js';
import { splitKeys } from './channel-lists.service.js';
import { proxyOf } from './channel-setting.js';

export interface ChannelBalanceParts {
  readonly channels: Repository<Channel>;
  readonly secrets: Secrets;
  readonly http: Pick<GuardedFetch, 'fetch'>;
  readonly changes: Changes;
  readonly clock: Clock;
}

/** Asks providers what is left on a channel's account. For admins. */
export class ChannelBalanceService {
  constructor(private readonly parts: ChannelBalanceParts) {}

  /**
   * With the first key, and keeps the answer.
   * @returns USD, or what the provider counts in
   * @throws AppError NOT_FOUND, NOT_IMPLEMENTED for types without one, UPSTREAM_*
   */
  async update(actor: MaybeActor, id: number): Promise<number> {
    requireRole(actor, 'admin');
    const { channels, clock, secrets, changes } = this.parts;
    const channel = await channels.findOne({
      select: { id: true, type: true, baseUrl: true, setting: true, keySealed: true },
      where: { id },
    });
    if (!channel) throw new NotFoundError('Channel', id);
    const ask = balances.get(channel.type);
    if (!ask) throw new AppError('NOT_IMPLEMENTED', 'Not implemented');
    const balance = await ask({
      base: (channel.baseUrl.trim() || defaultBaseUrl(channel.type)).replace(/\/+$/, ''),
      key: splitKeys(channel.type, secrets.open(channel.keySealed))[0] ?? '',
      now: clock.now(),
      get: (url, headers) => this.get(url, headers, proxyOf(channel.setting)),
    });
    if (!Number.isFinite(balance)) throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The answer tells no balance');
    await channels.update({ id }, { balance, balanceUpdatedTime: seconds(clock) });
    await changes.announce({ kind: 'channel', id });
    return balance;
  }

  private async get(url: string, headers: Readonly<Record<string, string>> = {}, proxy: { proxy?: string }) {
    const response = await this.parts.http.fetch({ url, headers, policy: 'admin', ...proxy });
    if (response.status !== 200) throw new AppError('UPSTREAM_ERROR', `status code: ${response.status}`);
    try {
      return JSON.parse(response.body.toString('utf8')) as unknown;
    } catch {
      throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The answer is not JSON');
    }
  }
}
