import { familyOf } from '../../dialects/makers/charging.js';
import { randomInt } from 'node:crypto';
import type { Standing } from './health/health.js';
import type { TierOrder } from './order/tier-order.js';
import type { RoutedChannel } from './routed-channel.js';

/** The channels of one priority. */
export interface Tier {
  readonly priority: number;
  readonly channels: readonly RoutedChannel[];
}

/** The channels that may serve a call: tiers from high to low priority. */
export interface ChannelTiers {
  readonly tiers: readonly Tier[];
  /** The model name without its routing prefix. It is used for pricing and mapping. */
  readonly bareModel: string;
  /**
   * Whether a routing prefix was used. Weights are then used without smoothing, and priorities are ignored
   * (docs/reference/relay/routing.md#model-prefix).
   */
  readonly plainWeights: boolean;
}

/** A model of the list that a key can call. */
export interface ListedModel {
  /** The model as clients request it, including the routing prefix. */
  readonly id: string;
  readonly bareModel: string;
}

interface Prefix {
  readonly prefix: string;
  readonly models: ReadonlyMap<string, readonly RoutedChannel[]>;
}

interface Group {
  readonly models: ReadonlyMap<string, readonly Tier[]>;
  /** The routing prefixes, longest first, so that overlapping prefixes are not ambiguous. */
  readonly prefixes: readonly Prefix[];
}

/**
 * Maps a group and a model to priority tiers. The table is built from the enabled channels and is immutable. Only channels
 * define which model is served in which group; the console derives the same by a query. The older consoles store it in a
 * table of their own, whose rows become outdated.
 */
export class RoutingTable {
  /** The groups of channels that all users may use. */
  private readonly groups: ReadonlyMap<string, Group>;
  /** The groups including the channels of one owner, by user id. They are built at that user's first call. */
  private readonly groupsOfOwner = new Map<number, ReadonlyMap<string, Group>>();
  private readonly owners: ReadonlySet<number>;
  private readonly byId: ReadonlyMap<number, RoutedChannel>;
  /** Whether the override of some channel changes a field that prices a call. */
  readonly overridesPrice: boolean;
  /** Whether the mapping of some channel names a model that costs more than the request shows. */
  readonly mapsToUnasked: boolean;

  constructor(channels: readonly RoutedChannel[]) {
    this.byId = new Map(channels.map((channel) => [channel.id, channel]));
    this.owners = new Set(channels.map(({ ownerId }) => ownerId).filter((id) => id !== null));
    this.groups = toGroups(channels.filter(({ ownerId }) => ownerId === null));
    this.overridesPrice = channels.some((channel) => channel.overridesPrice);
    this.mapsToUnasked = channels.some((channel) => channel.mapsToUnasked);
  }

  private groupsFor(userId: number): ReadonlyMap<string, Group> {
    if (!this.owners.has(userId)) return this.groups;
    let groups = this.groupsOfOwner.get(userId);
    if (!groups) {
      groups = toGroups([...this.byId.values()].filter(({ ownerId }) => ownerId === null || ownerId === userId));
      this.groupsOfOwner.set(userId, groups);
    }
    return groups;
  }

  /** Returns any channel, enabled or not. */
  channel(id: number): RoutedChannel | undefined {
    return this.byId.get(id);
  }

  /** The ids of all channels. */
  get ids(): readonly number[] {
    return [...this.byId.keys()];
  }

  /** @returns null when no enabled channel of the group serves the model for the user */
  find(groupName: string, model: string, userId: number): ChannelTiers | null {
    const group = this.groupsFor(userId).get(groupName);
    if (!group) return null;
    for (const { prefix, models } of group.prefixes) {
      if (!model.startsWith(prefix)) continue;
      const bareModel = model.slice(prefix.length);
      const channels = models.get(bareModel) ?? models.get(familyOf(bareModel));
      if (channels) return { tiers: [{ priority: 0, channels }], bareModel, plainWeights: true };
    }
    // Channels list families by one name, which few models have.
    const tiers = group.models.get(model) ?? group.models.get(familyOf(model));
    return tiers ? { tiers, bareModel: model, plainWeights: false } : null;
  }

  /** Returns the name without the routing prefix that would apply, or the name itself if there is none. */
  bareModel(groupName: string, model: string, userId: number): string {
    return this.find(groupName, model, userId)?.bareModel ?? model;
  }

  /** Returns the models that a user can call in a group, sorted by id. */
  models(groupName: string, userId: number): ListedModel[] {
    const group = this.groupsFor(userId).get(groupName);
    if (!group) return [];
    const listed = new Map<string, ListedModel>();
    const add = (id: string, bareModel: string, channels: readonly RoutedChannel[] = []): void => {
      if (channels.length > 0 && !listed.has(id)) listed.set(id, { id, bareModel });
    };
    for (const [model, tiers] of group.models) add(model, model, tiers[0]?.channels);
    for (const { prefix, models } of group.prefixes) {
      for (const [model, channels] of models) add(prefix + model, model, channels);
    }
    return [...listed.values()].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  }
}

function append<K>(map: Map<K, RoutedChannel[]>, key: K, channel: RoutedChannel): void {
  const list = map.get(key);
  if (list) list.push(channel);
  else map.set(key, [channel]);
}

function toGroups(channels: readonly RoutedChannel[]): ReadonlyMap<string, Group> {
  const members = new Map<string, RoutedChannel[]>();
  for (const channel of channels) {
    if (!channel.enabled) continue;
    for (const group of channel.groups) append(members, group, channel);
  }
  return new Map([...members].map(([name, own]) => [name, toGroup(own)]));
}

function toGroup(channels: readonly RoutedChannel[]): Group {
  const models = new Map<string, RoutedChannel[]>();
  const prefixes = new Map<string, Map<string, RoutedChannel[]>>();
  for (const channel of channels) {
    let target = models;
    // A channel with a prefix serves prefixed names only.
    if (channel.prefix !== '') {
      target = prefixes.get(channel.prefix) ?? new Map<string, RoutedChannel[]>();
      prefixes.set(channel.prefix, target);
    }
    for (const model of channel.models) append(target, model, channel);
  }
  return {
    models: new Map([...models].map(([model, own]) => [model, toTiers(own)])),
    prefixes: [...prefixes]
      .map(([prefix, own]) => ({ prefix, models: own }))
      .sort((a, b) => b.prefix.length - a.prefix.length),
  };
}

function toTiers(channels: readonly RoutedChannel[]): Tier[] {
  const tiers = new Map<number, RoutedChannel[]>();
  for (const channel of channels) append(tiers, channel.priority, channel);
  return [...tiers].map(([priority, own]) => ({ priority, channels: own })).sort((a, b) => b.priority - a.priority);
}

/** The inputs of `pickChannel`. */
export interface Picking {
  readonly candidates: ChannelTiers;
  /** 0 for the first attempt. */
  readonly attempt: number;
  /** Channels that already failed this call. */
  readonly used: ReadonlySet<number>;
  /** Whether the channel may be called at all, even if the candidates contain it. */
  readonly enabled: (channel: RoutedChannel) => boolean;
  /** False while every key of the channel is unavailable. */
  readonly available: (channel: RoutedChannel) => boolean;
  /** Id of the channel to use if it is among the candidates; 0 when there is none. */
  readonly preferred?: number;
  /** Narrows the channels before one is selected by weight. Absent when all open channels qualify. */
  readonly narrowed?: ((open: readonly RoutedChannel[]) => readonly RoutedChannel[]) | undefined;
}

/**
 * Selects a channel. Attempt i uses the tier i steps below the highest, or the last one
 * (docs/reference/relay/routing.md#tiers-and-weights). Channels that failed this call, or that are known not to
 * respond, are selected only when no other channel is left in any tier.
 */
export function pickChannel(picking: Picking): RoutedChannel | null {
  const { candidates, used, enabled, available } = picking;
  const only = onlyChannel(candidates);
  if (only) return enabled(only) ? only : null;
  const tiers = tiersFrom(candidates.tiers, picking.attempt);
  const fresh = (channel: RoutedChannel): boolean => !used.has(channel.id);
  const preferences: ReadonlyArray<(channel: RoutedChannel) => boolean> = [
    (channel) => enabled(channel) && fresh(channel) && available(channel),
    (channel) => enabled(channel) && fresh(channel),
    (channel) => enabled(channel) && available(channel),
    enabled,
  ];
  for (const wanted of preferences) {
    for (const { channels } of tiers) {
      // Usually all qualify, and nothing is copied.
      const open = channels.every(wanted) ? channels : channels.filter(wanted);
      if (open.length === 0) continue;
      return (
        preferredOf(open, picking.preferred) ??
        weighted(picking.narrowed ? picking.narrowed(open) : open, candidates.plainWeights)
      );
    }
  }
  return null;
}

const preferredOf = (open: readonly RoutedChannel[], id = 0): RoutedChannel | undefined =>
  id === 0 ? undefined : open.find((channel) => channel.id === id);

function onlyChannel({ tiers: [tier, another] }: ChannelTiers): RoutedChannel | null {
  return tier?.channels.length === 1 && !another ? (tier.channels[0] ?? null) : null;
}

/** Whether there is only one channel with one key, so that there is no choice. */
export const isAlone = (candidates: ChannelTiers): boolean => onlyChannel(candidates)?.keys.length === 1;

/** The route of a call: its candidates, or the one channel that may serve it. */
export interface Route {
  readonly candidates: ChannelTiers;
  readonly pinned: RoutedChannel | null;
}

/** The current table, which may have changed since the call began, and the state of the channels' keys. */
export interface RouteState {
  readonly channels: { readonly table: RoutingTable };
  readonly keyRing: { available(channel: RoutedChannel): boolean };
  /** Null while no key is in a cooldown. */
  readonly health: { ofChannel(channel: RoutedChannel, model: string): Standing } | null;
  readonly order: Pick<TierOrder, 'narrowed'>;
}

/** The call that needs a channel. */
export interface ChannelQuery {
  readonly route: Route & { readonly group: string };
  readonly stream?: boolean | undefined;
  /** The channel of the session. It is used if it is among the candidates. */
  readonly preferred?: { readonly channelId: number } | null;
}

/**
 * Selects the channel for an attempt of a call. Channels that were disabled since the call began, or whose keys are all
 * in a cooldown, are skipped.
 * @param used ids of the channels that failed this call
 */
export function chooseChannel(
  { route: { candidates, pinned, group }, stream = false, preferred }: ChannelQuery,
  { channels, keyRing, health, order }: RouteState,
  attempt = 0,
  used: readonly number[] = [],
): RoutedChannel | null {
  const { bareModel } = candidates;
  const standingOf = (channel: RoutedChannel): Standing => health?.ofChannel(channel, bareModel) ?? 'open';
  return (
    pinned ??
    pickChannel({
      candidates,
      attempt,
      used: new Set(used),
      enabled: (channel) => channels.table.channel(channel.id)?.enabled === true && standingOf(channel) !== 'closed',
      available: (channel) => keyRing.available(channel) && standingOf(channel) === 'open',
      preferred: preferred?.channelId ?? 0,
      narrowed: (open) => order.narrowed(open, { group, model: bareModel, stream }),
    })
  );
}

/** Returns the attempt's own tier first, then lower tiers, then higher tiers, nearest first. */
function tiersFrom(tiers: readonly Tier[], attempt: number): readonly Tier[] {
  if (attempt === 0 || tiers.length <= 1) return tiers;
  const at = Math.min(attempt, tiers.length - 1);
  return [...tiers.slice(at), ...tiers.slice(0, at).reverse()];
}

/** The number added to every weight, so that a channel of weight 0 still gets calls. */
const smoothing = 10;

function weighted(channels: readonly RoutedChannel[], plain: boolean): RoutedChannel | null {
  if (channels.length === 1) return channels[0] ?? null;
  const extra = plain && channels.some((channel) => channel.weight > 0) ? 0 : smoothing;
  let total = 0;
  for (const channel of channels) total += channel.weight + extra;
  let left = randomInt(total);
  for (const channel of channels) {
    left -= channel.weight + extra;
    if (left < 0) return channel;
  }
  return channels.at(-1) ?? null;
}

/** Maximum number of retries of a call. */
export const maxRetries = 10;

/**
 * Number of retries of a call.
 * @param option `RetryTimes`, with any value
 */
export const retriesAllowed = (option: number): number => Math.min(Math.max(0, Math.trunc(option)), maxRetries);
