import { In, type Repository } from 'typeorm';
import type { Changes } from '../../platform/cache/changes.js';
import { requirePermission, type MaybeActor } from '../../shared/actor.js';
import type { Permission } from '../../shared/permission.js';
import type { Channel, ChannelStatus } from './channel.entity.js';

/** The models one enabled channel serves, and for which groups. */
export interface ChannelOffer {
  readonly channelId: number;
  /** The prefix with which its models are requested. Empty when they are requested by their plain name. */
  readonly prefix: string;
  readonly models: readonly string[];
  readonly groups: readonly string[];
}

/** An offer of an enabled channel, or of a channel that the server disabled automatically. */
export interface SoldOffer extends ChannelOffer {
  readonly isEnabled: boolean;
}

/** The names of models are needed to price them, and to set up groups and fallbacks. */
export const enabledModelReaders: readonly Permission[] = ['channels.read', 'prices', 'options'];

const maxAgeMs = 60_000;

/**
 * Which groups can call which models, derived from the enabled channels and cached until a channel changes. There is no
 * table of (group, model, channel) rows that could disagree with the channels.
 */
export class ChannelDirectory {
  private loaded: { readonly at: number; readonly offers: Promise<readonly ChannelOffer[]> } | null = null;

  constructor(
    private readonly channels: Repository<Channel>,
    changes: Changes,
  ) {
    changes.on('channel', () => (this.loaded = null));
  }

  /** Returns enabled channels with their models and groups. */
  offers(): Promise<readonly ChannelOffer[]> {
    const now = performance.now();
    if (this.loaded && now - this.loaded.at < maxAgeMs) return this.loaded.offers;
    const loaded = { at: now, offers: this.load() };
    this.loaded = loaded;
    loaded.offers.catch(() => {
      if (this.loaded === loaded) this.loaded = null;
    });
    return loaded.offers;
  }

  /**
   * Returns offers that are meant to be sold, including those of channels that the server disabled automatically. Not
   * cached.
   */
  async sold(): Promise<readonly SoldOffer[]> {
    const rows = await this.read(['enabled', 'autoDisabled']);
    return rows.map((row) => ({ ...toOffer(row), isEnabled: row.status === 'enabled' }));
  }

  /** Returns the distinct plain names of every enabled channel, sorted, for admins. */
  async enabledModels(actor: MaybeActor): Promise<string[]> {
    requirePermission(actor, ...enabledModelReaders);
    const offers = await this.offers();
    return [...new Set(offers.flatMap((offer) => offer.models))].sort();
  }

  /** Returns the tags of all channels, each once, sorted, for admins. */
  async tags(actor: MaybeActor): Promise<string[]> {
    requirePermission(actor, 'channels.read');
    const rows = await this.channels
      .createQueryBuilder('channel')
      .select('channel.tag', 'tag')
      .distinct()
      .where("channel.tag <> ''")
      .orderBy('channel.tag')
      .getRawMany<{ tag: string }>();
    return rows.map(({ tag }) => tag);
  }

  /**
   * Returns the models that users of these groups can call, prefixed names first. A model that the own group has under
   * a prefix is listed under its prefixed names only (docs/reference/rest/accounts.md#own-account).
   * @param own the group of keys without a group of their own; prefixes of other groups do not work for such keys
   */
  async modelsOfGroups(groups: readonly string[], own: string): Promise<string[]> {
    const offers = (await this.offers()).filter((offer) => offer.groups.some((group) => groups.includes(group)));
    const prefixed = offers.filter((offer) => offer.prefix !== '' && offer.groups.includes(own));
    const withPrefix = new Set(prefixed.flatMap(({ prefix, models }) => models.map((model) => prefix + model)));
    const hidden = new Set(prefixed.flatMap((offer) => offer.models));
    const plain = new Set(offers.filter((offer) => offer.prefix === '').flatMap((offer) => offer.models));
    return [...[...withPrefix].sort(), ...[...plain].filter((model) => !hidden.has(model)).sort()];
  }

  private async load(): Promise<readonly ChannelOffer[]> {
    return (await this.read(['enabled'])).map(toOffer);
  }

  private read(statuses: readonly ChannelStatus[]): Promise<Channel[]> {
    return this.channels.find({
      select: { id: true, models: true, groups: true, modelPrefix: true, status: true },
      where: { status: In(statuses) },
      order: { id: 'ASC' },
    });
  }
}

const toOffer = (row: Channel): ChannelOffer => ({
  channelId: row.id,
  prefix: row.modelPrefix,
  models: row.models,
  groups: row.groups,
});
