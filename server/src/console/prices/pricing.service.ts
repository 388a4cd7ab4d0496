import { familyOf } from '../../dialects/makers/charging.js';
import { systemClock, type Clock } from '../../shared/clock.js';
import type { MaybeActor } from '../../shared/actor.js';
import type { ChannelDirectory, ChannelOffer } from '../channels/index.js';
import type { OptionValues } from '../../options/option.service.js';
import {
  builtInCard,
  type EffectivePrice,
  effectivePrice,
  modelLimits,
  type ModelLimits,
  callPriceOf,
  type PriceBook,
  unpricedRatio,
} from '../../billing/prices/index.js';
import type { PriceCard } from '../../shared/price-card.js';

/** The price of one model, without the group ratio. */
export interface PricedModel {
  /** The model as clients request it, including the routing prefix. */
  readonly modelName: string;
  /** USD per call; null when it is priced by tokens. */
  readonly modelPrice: number | null;
  /** The ratio. 1 means 2 USD per million prompt tokens; 0 when the model is priced per call. */
  readonly modelRatio: number;
  readonly completionRatio: number;
  /** Groups that can call the model, sorted. */
  readonly enableGroups: readonly string[];
  /** The price. Null when the model has none. */
  readonly effective: EffectivePrice | null;
  /** The list price of the provider, also when another price applies. */
  readonly listCard: PriceCard | null;
  /** Limits in tokens; 0 when a figure is not published. */
  readonly limits: ModelLimits;
}

/** Prices and groups in the form for one viewer. */
export interface PriceList {
  readonly models: readonly PricedModel[];
  /** Groups the viewer may choose, with their display names. */
  readonly usableGroups: Readonly<Record<string, string>>;
  readonly groupRatios: Readonly<Record<string, number>>;
}

/** The public price list (docs/reference/rest/public.md#price-list), for guests and users. */
export class PricingService {
  constructor(
    private readonly directory: Pick<ChannelDirectory, 'offers'>,
    private readonly prices: PriceBook,
    private readonly options: {
      readonly values: Pick<OptionValues, 'GroupRatio' | 'UserUsableGroups' | 'QuotaPerUnit' | 'ModelMaxOutput'>;
    },
    private readonly clock: Clock = systemClock,
  ) {}

  /** The prices of all models that the viewer's groups can call. */
  async list(viewer: MaybeActor): Promise<PriceList> {
    const offered = offeredTo(viewer?.group ?? null, await this.directory.offers());
    const models = [...offered]
      .map(([modelName, { model, groups }]) => this.toPriced(modelName, model, [...groups].sort()))
      .sort((left, right) => (left.modelName < right.modelName ? -1 : 1));
    const usableGroups = this.usableBy(viewer);
    const groupRatios = Object.entries(this.options.values.GroupRatio).filter(([group]) =>
      Object.hasOwn(usableGroups, group),
    );
    return { models, usableGroups, groupRatios: Object.fromEntries(groupRatios) };
  }

  private toPriced(modelName: string, model: string, enableGroups: readonly string[]): PricedModel {
    const price = this.prices.find(model, '');
    const limits = modelLimits(model, this.options.values.ModelMaxOutput);
    const effective = price && effectivePrice(price, this.clock.now());
    const listCard = builtInCard(familyOf(model))?.card ?? null;
    const shown = { enableGroups, effective, limits, listCard };
    const modelPrice = price && callPriceOf(price.card);
    if (modelPrice !== null) return { modelName, modelPrice, modelRatio: 0, completionRatio: 0, ...shown };
    const modelRatio = price?.shown.modelRatio ?? unpricedRatio;
    const completionRatio = price?.shown.completionRatio ?? this.prices.completionRatio(model).ratio;
    return { modelName, modelPrice, modelRatio, completionRatio, ...shown };
  }

  private usableBy(viewer: MaybeActor): Record<string, string> {
    const usable: Record<string, string> = { ...this.options.values.UserUsableGroups };
    if (viewer && viewer.group !== '') usable[viewer.group] ??= 'User group';
    else usable['default'] ??= 'Default group';
    return usable;
  }
}

type Offered = Map<string, { readonly model: string; readonly groups: Set<string> }>;

/**
 * Names by which models can be called. Channels with a prefix offer prefixed names only. A user sees the prefixed names
 * of their own group; a plain name that their group has only under a prefix is not listed.
 */
function offeredTo(group: string | null, offers: readonly ChannelOffer[]): Offered {
  const isOwn = (offer: ChannelOffer): boolean => group === null || offer.groups.includes(group);
  const own = offers.filter(isOwn);
  const plainHere = new Set(own.filter(({ prefix }) => prefix === '').flatMap(({ models }) => models));
  const prefixedHere = new Set(own.filter(({ prefix }) => prefix !== '').flatMap(({ models }) => models));
  const offered: Offered = new Map();
  for (const offer of offers) {
    if (offer.prefix !== '' && !isOwn(offer)) continue;
    for (const model of offer.models) {
      if (offer.prefix === '' && prefixedHere.has(model) && !plainHere.has(model)) continue;
      const name = offer.prefix + model;
      const entry = offered.get(name) ?? { model, groups: new Set() };
      for (const member of offer.groups) entry.groups.add(member);
      offered.set(name, entry);
    }
  }
  return offered;
}
