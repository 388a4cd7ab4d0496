import type { OptionValues } from '../../options/option.service.js';
import type { ObjectApi } from '../../dialects/contract.js';
import { RelayError } from '../../dialects/errors/relay-error.js';
import type { NamedText } from '../../dialects/languages/provider-ids.js';
import { readerOf, type Caller } from '../../gateway/admit/authentication.js';
import { findRoute } from '../../gateway/route/call-route.js';
import { notFound } from '../../gateway/route/affinity/call-origin.js';
import type { IdOwners } from '../../gateway/route/affinity/id-owners.js';
import { accountsOf } from '../../gateway/route/affinity/named-origin.js';
import type { Health } from '../../gateway/route/health/health.js';
import { keyMarksOf } from '../../gateway/route/key-mark.js';
import type { RoutedChannel } from '../../gateway/route/routed-channel.js';
import type { RoutingDirectory } from '../../gateway/route/routing-directory.js';
import type { KeptObjects } from './kept-objects.js';

/** One channel with one of its keys: an account of a maker. */
export interface ObjectAccount {
  readonly channel: RoutedChannel;
  readonly key: string;
  readonly keyMark: string;
  /** The model that the client named, and without its routing prefix; empty if it named none. */
  readonly model: string;
  readonly bareModel: string;
}

interface ObjectAccountsDeps {
  readonly channels: RoutingDirectory;
  readonly idOwners: Pick<IdOwners, 'find'>;
  readonly objects: KeptObjects;
  readonly health: Pick<Health, 'standing'>;
  readonly options: { readonly values: OptionValues };
}

/** An account as it is stored with an object. */
interface StoredAccount {
  readonly channelId: number;
  readonly keyMark: string;
}

type NamedObject = NamedText & { readonly isConversation: boolean };

/** Finds the account that keeps an object, and selects one for a new object. */
export class ObjectAccounts {
  constructor(private readonly deps: ObjectAccountsDeps) {}

  /**
   * Returns the account that keeps all of these objects of the caller.
   * @param named at least one
   * @throws RelayError unknown_id
   */
  async ofObjects(caller: Caller, api: ObjectApi, named: readonly NamedObject[]): Promise<ObjectAccount> {
    const found = await accountsOf(named, caller, this.deps.idOwners);
    if ('unknown' in found) throw notFound(found.unknown, 'is not known');
    for (const account of found.accounts) {
      const usable = this.usable(account, api, caller.user.id);
      if (usable) return usable;
    }
    throw notFound(named[0] ?? { field: '', id: '' }, 'belongs to an account that cannot serve this call');
  }

  /**
   * Selects the account of a new object: that of the model the client names, else that of the user's newest object, so
   * that one call can name several, else the first channel of the key's groups.
   * @param model the model of the calls that will name the object; empty if it is not known
   * @throws AppError NO_CHANNEL, MODEL_NOT_ALLOWED; RelayError no_object_channel
   */
  async ofNewObject(caller: Caller, groups: readonly string[], api: ObjectApi, model: string): Promise<ObjectAccount> {
    const { channels, objects, options } = this.deps;
    const named = model === '' ? null : findRoute(caller, model, channels.table, options);
    const offered = named ? named.candidates.tiers.flatMap((tier) => tier.channels) : this.channelsOf(caller, groups);
    const able = offered.filter(({ enabled, provider }) => enabled && provider.adapter.keptObjects?.api === api);
    const newest = await objects.newestAccount(readerOf(caller), api);
    const models = { model, bareModel: named?.bareModel ?? model };
    const before =
      newest && able.some(({ id }) => id === newest.channelId) ? this.usable(newest, api, caller.user.id) : null;
    if (before) return { ...before, ...models };
    const [channel] = able;
    if (!channel) throw noObjectChannel(api, model);
    const index = this.keyOf(channel, caller.user.id);
    return { channel, key: channel.keys[index] ?? '', keyMark: keyMarksOf(channel)[index] ?? '', ...models };
  }

  /**
   * Returns the account if its channel still has the key.
   * @param userId null if the site itself asks, also at a disabled channel
   */
  usable({ channelId, keyMark }: StoredAccount, api: ObjectApi, userId: number | null): ObjectAccount | null {
    const channel = this.deps.channels.table.channel(channelId);
    const key = channel?.keys[keyMarksOf(channel).indexOf(keyMark)];
    if (!channel || key === undefined || channel.provider.adapter.keptObjects?.api !== api) return null;
    const isOpen = channel.enabled && (channel.ownerId === null || channel.ownerId === userId);
    return userId === null || isOpen ? { channel, key, keyMark, model: '', bareModel: '' } : null;
  }

  /** Returns the channels of the key's groups: those of the first group first, then by priority. */
  private channelsOf({ user, pin }: Caller, groups: readonly string[]): readonly RoutedChannel[] {
    const { table } = this.deps.channels;
    const all = table.ids.flatMap((id) => table.channel(id) ?? []);
    if (pin !== null) return all.filter(({ id }) => String(id) === pin);
    const own = all
      .filter(({ ownerId }) => ownerId === null || ownerId === user.id)
      .sort((a, b) => b.priority - a.priority || a.id - b.id);
    return groups.flatMap((group) => own.filter((channel) => channel.groups.includes(group)));
  }

  /** Spreads the users of a channel over its keys. A key that its provider refuses is skipped. */
  private keyOf(channel: RoutedChannel, userId: number): number {
    const count = channel.keys.length;
    for (let step = 0; step < count; step++) {
      const index = (userId + step) % count;
      if (this.deps.health.standing(channel, index, '') === 'open') return index;
    }
    return userId % count;
  }
}

const makers: Readonly<Record<ObjectApi, string>> = { openai: 'OpenAI', anthropic: 'Anthropic', gemini: 'Gemini' };

const noObjectChannel = (api: ObjectApi, model: string): RelayError =>
  new RelayError(
    'NO_CHANNEL',
    `No channel of ${makers[api]} that keeps files is available${model === '' ? ' to this key' : ` for model ${model}`}`,
    'no_object_channel',
  );
