import type { Repository } from 'typeorm';
import type { Changes } from '../../platform/cache/changes.js';
import type { GuardedFetch } from '../../platform/outbound/guarded-fetch.js';
import { requirePermission, type MaybeActor } from '../../shared/actor.js';
import { wholeSecond, type Clock } from '../../shared/clock.js';
import { splitKeys } from '../../dialects/providers/channel-keys.js';
import { providerOf } from '../../dialects/makers/providers.js';
import { AppError, ConflictError, NotFoundError } from '../../shared/errors.js';
import type { Secrets } from '../../shared/secrets.js';
import type { Channel } from './channel.entity.js';
import { openChannelKey } from './open-channel-key.js';

export interface ChannelBalanceDeps {
  readonly channels: Repository<Channel>;
  readonly secrets: Secrets;
  readonly http: Pick<GuardedFetch, 'fetch'>;
  readonly changes: Changes;
  readonly clock: Clock;
}

type AccountRow = Pick<Channel, 'id' | 'type' | 'baseUrl' | 'setting' | 'keySealed'>;

/** The keys and the address of a channel without any balance. */
interface ExhaustedChannel {
  readonly keys: readonly string[];
  /** Trimmed. */
  readonly baseUrl: string;
}

/** Reads the balance of a channel's account from its provider. For admins. */
export class ChannelBalanceService {
  constructor(private readonly deps: ChannelBalanceDeps) {}

  /**
   * Reads the balance with the first key and stores it.
   * @returns USD, or the provider's own unit
   * @throws AppError NOT_FOUND, NOT_IMPLEMENTED for types without a balance API, UPSTREAM_*; CONFLICT when the account was
   *   replaced meanwhile
   */
  async update(actor: MaybeActor, id: number): Promise<number> {
    requirePermission(actor, 'channels.write');
    const { channels, clock, changes } = this.deps;
    const channel = await this.find(id);
    const balance = await this.read(channel, this.keysOf(channel)[0] ?? '');
    // The balance of a former account must not be stored for the channel.
    const { keySealed, baseUrl } = channel;
    const { affected } = await channels.update(
      { id, keySealed, baseUrl },
      { balance, balanceAt: wholeSecond(clock.now()) },
    );
    if (!affected) throw new ConflictError(`Channel ${id} was edited while its balance was read`);
    await changes.announce({ kind: 'channel', id });
    return balance;
  }

  /**
   * Reads the balance of every key of a channel.
   * @returns the keys and the address, if no key has a balance; null when one has
   * @throws AppError like `update`, also when the balance of one key cannot be read
   */
  async exhausted(actor: MaybeActor, id: number): Promise<ExhaustedChannel | null> {
    requirePermission(actor, 'channels.write');
    const channel = await this.find(id);
    const keys = this.keysOf(channel);
    for (const key of keys) if ((await this.read(channel, key)) > 0) return null;
    return { keys, baseUrl: channel.baseUrl.trim() };
  }

  private async find(id: number): Promise<AccountRow> {
    const channel = await this.deps.channels.findOne({
      select: { id: true, type: true, baseUrl: true, setting: true, keySealed: true },
      where: { id },
    });
    if (!channel) throw new NotFoundError('Channel', id);
    return channel;
  }

  private keysOf({ type, keySealed }: AccountRow): string[] {
    return splitKeys(openChannelKey(this.deps.secrets, keySealed), providerOf(type).keyForm);
  }

  private async read(channel: AccountRow, key: string): Promise<number> {
    const provider = providerOf(channel.type);
    if (!provider.balance) throw new AppError('NOT_IMPLEMENTED', 'Not implemented');
    const balance = await provider.balance({
      base: (channel.baseUrl.trim() || provider.defaultBaseUrl).replace(/\/+$/, ''),
      key,
      now: this.deps.clock.now(),
      get: (url, headers) => this.get(url, headers, channel.setting.proxy),
    });
    if (!Number.isFinite(balance)) throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The response contains no balance');
    return balance;
  }

  private async get(url: string, headers: Readonly<Record<string, string>> = {}, proxy?: string) {
    const response = await this.deps.http.fetch({ url, headers, policy: 'admin', ...(proxy ? { proxy } : {}) });
    if (response.status !== 200) throw new AppError('UPSTREAM_ERROR', `status code: ${response.status}`);
    try {
      return JSON.parse(response.body.toString('utf8')) as unknown;
    } catch {
      throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The response is not JSON');
    }
  }
}
