import { setImmediate as nextTurn } from 'node:timers/promises';
import { ArrayContains, type Repository } from 'typeorm';
import { requirePermission, type MaybeActor } from '../../shared/actor.js';
import type { Clock } from '../../shared/clock.js';
import { CostRuleError, parseCostRule, type CostRule } from '../../shared/cost-rule.js';
import { InvalidInputError } from '../../shared/errors.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { exact, isTokenQuantity, quantities, ratesOf } from '../../shared/price-card.js';

import type { Channel } from '../channels/index.js';
import type { OptionValues } from '../../options/option.service.js';
import {
  ChannelCost,
  type CostPrice,
  type EffectivePrice,
  effectivePrice,
  isLoss,
  priceInstead,
  type Loss,
  type Price,
  PriceBook,
  type PriceLine,
  type ProposedSetting,
  proposedValues,
  worstPrice,
} from '../../billing/prices/index.js';

/** A model that a channel serves for less than it costs. */
export interface SaleBelowCost extends Loss {
  /** The channel. Null for the proposed channel, which does not exist yet. */
  readonly channelId: number | null;
  readonly channelName: string;
  readonly modelName: string;
  /** Groups whose price is below the cost. */
  readonly groups: readonly string[];
  /** The price of the same by the saved settings; null where they have none, or nothing else is proposed. */
  readonly savedPrice: number | null;
  /** The lowest ratio of these groups, and the saved one of the same group; null where nothing else is proposed. */
  readonly groupRatio: number;
  readonly savedGroupRatio: number | null;
}

/** The price and the costs of a model. */
export interface ModelSale {
  /** Null: the model has no price. */
  readonly effective: EffectivePrice | null;
  /** Groups whose calls a channel serves, with their ratios. */
  readonly groups: ReadonlyArray<{ readonly name: string; readonly ratio: number }>;
  readonly costs: readonly ChannelModelCost[];
}

/** The cost of a model at one channel. */
export interface ChannelModelCost {
  readonly channelId: number;
  readonly channelName: string;
  readonly groups: readonly string[];
  /** The channel's own card, or the list price. Null: the cost is not known. */
  readonly basis: 'card' | 'list' | null;
  /** The factor of the list price; 1 where a card has the cost. */
  readonly factor: number | null;
  /** The cost of each quantity, multiplied by the factor. Empty when the cost is not known. */
  readonly lines: readonly PriceLine[];
}

/** A channel as it would be saved. */
export interface ProposedChannel {
  /** Id of the channel; null for a new one. */
  readonly id: number | null;
  readonly name: string;
  readonly models: readonly string[];
  readonly groups: readonly string[];
  readonly costFactor: number;
  readonly costCards: unknown;
}

export interface BelowCostDeps {
  readonly channels: Repository<Channel>;
  readonly options: { readonly values: OptionValues };
  readonly clock: Clock;
}

interface StoredOffer extends Offer {
  readonly id: number;
}

interface Offer {
  readonly id: number | null;
  readonly name: string;
  readonly models: readonly string[];
  readonly groups: readonly string[];
  readonly mapping: Readonly<Record<string, string>>;
  readonly cost: CostRule;
}

const maxLines = 2000;
const offersPerTurn = 20;

/** Compares the prices of models with what their channels cost. For admins. */
export class BelowCostService {
  constructor(private readonly deps: BelowCostDeps) {}

  /**
   * Returns models of enabled channels that are sold below cost, by channel and name, at most 2,000. Channels whose
   * costs only the provider knows are compared by their cost card or the list price.
   * @param settings price settings with other values
   * @param channel replaces the stored channel, enabled or not; then only its models are compared
   * @param causedOnly leaves out what the saved settings lose already, unless the proposed ones lose more; tokens and units are
   *   then two lines of a model
   * @throws AppError INSUFFICIENT_PRIVILEGES, INVALID_INPUT
   */
  async list(
    actor: MaybeActor,
    settings: readonly ProposedSetting[],
    channel: ProposedChannel | null,
    causedOnly = false,
  ): Promise<SaleBelowCost[]> {
    requirePermission(actor, 'prices', 'channels.write');
    const values = proposedValues(this.deps.options.values, settings);
    const prices = new PriceBook({ values });
    const saved = settings.length > 0 ? new PriceBook({ values: this.deps.options.values }) : null;
    const offers = channel ? [await this.proposed(channel)] : await this.stored();
    const found: SaleBelowCost[] = [];
    for (const [index, offer] of offers.entries()) {
      // Other calls run while thousands of channels are compared.
      if (index % offersPerTurn === offersPerTurn - 1) await nextTurn();
      found.push(...lossesOf(offer, prices, saved, causedOnly));
      if (found.length >= maxLines) break;
    }
    return found.slice(0, maxLines);
  }

  private async stored(model?: string): Promise<StoredOffer[]> {
    const rows = await this.deps.channels.find({
      select: { id: true, name: true, models: true, groups: true, modelMapping: true, cost: true },
      where: omitUndefined({
        status: 'enabled' as const,
        models: model === undefined ? undefined : ArrayContains([model]),
      }),
      order: { id: 'ASC' },
    });
    return rows.map(({ modelMapping: mapping, ...row }) => ({ ...row, mapping }));
  }

  /**
   * Returns what a model is sold for by the saved settings, and what it costs at each enabled channel that serves it.
   * @throws AppError INSUFFICIENT_PRIVILEGES
   */
  async sale(actor: MaybeActor, modelName: string): Promise<ModelSale> {
    requirePermission(actor, 'prices', 'channels.write');
    const prices = new PriceBook({ values: this.deps.options.values });
    const price = prices.find(modelName, '');
    const offers = await this.stored(modelName);
    const groups = [...new Set(offers.flatMap((offer) => offer.groups))].sort();
    return {
      effective: price && effectivePrice(price, this.deps.clock.now()),
      groups: groups.map((name) => ({ name, ratio: prices.groupRatio(name) })),
      costs: offers.map((offer) => {
        const cost = costAt(offer, modelName);
        return {
          channelId: offer.id,
          channelName: offer.name,
          groups: [...offer.groups].sort(),
          basis: cost?.basis ?? null,
          factor: cost?.factor ?? null,
          lines: cost ? costLines(cost, price) : [],
        };
      }),
    };
  }

  /** Returns a proposed channel with the mapping of the stored one. */
  private async proposed({ id, name, models, groups, costFactor, costCards }: ProposedChannel): Promise<Offer> {
    const stored = id === null ? null : await this.deps.channels.findOneBy({ id });
    try {
      const cost = parseCostRule({ factor: costFactor, cards: costCards ?? {} });
      return { id, name, models, groups, mapping: stored?.modelMapping ?? {}, cost };
    } catch (error) {
      throw error instanceof CostRuleError ? new InvalidInputError(error.message, 'channel') : error;
    }
  }
}

const calledModel = (mapping: Offer['mapping'], model: string): string =>
  (Object.hasOwn(mapping, model) ? mapping[model] : undefined) ?? model;

const costAt = ({ cost, mapping }: Offer, model: string): CostPrice | null =>
  new ChannelCost(cost).find(calledModel(mapping, model), model);

/** The cost of a short call in the standard tier, for each quantity that the cost or the sale prices. */
function costLines({ card, factor }: CostPrice, sale: Price | null): PriceLine[] {
  const rates = ratesOf(card, -1, null);
  return quantities
    .filter((quantity) => card.prices[quantity] !== undefined || sale?.card.prices[quantity] !== undefined)
    .map((quantity) => ({ quantity, price: exact(rates[quantity] * factor), isPerMillion: isTokenQuantity(quantity) }))
    .filter(({ price }) => price > 0);
}

function lossesOf(
  { id, name, models, groups, mapping, cost }: Offer,
  prices: PriceBook,
  saved: PriceBook | null,
  causedOnly: boolean,
): SaleBelowCost[] {
  const costs = new ChannelCost(cost);
  return models.flatMap((modelName) => {
    const ofModel = costs.find(calledModel(mapping, modelName), modelName);
    const price = prices.find(modelName, '');
    if (!price || !ofModel) return [];
    const before = saved?.find(modelName, '') ?? null;
    // Tokens are compared first: a card without a price for a tool charges nothing for its calls, which would hide
    // every other loss.
    const found = (['tokens', 'units'] as const).flatMap((kind) => {
      const worst = worstPrice(price, ofModel, kind);
      const losing = worst ? groups.filter((group) => isLoss(worst, prices.groupRatio(group))) : [];
      if (!worst || losing.length === 0) return [];
      if (causedOnly && saved && before) {
        const was = worstPrice(before, ofModel, kind);
        const paid = ({ price: usd, cost: least }: Loss, ratio: number): number => (usd * ratio) / least;
        const isWorse = (group: string): boolean =>
          !was || paid(worst, prices.groupRatio(group)) < paid(was, saved.groupRatio(group)) * (1 - 1e-9);
        if (!losing.some(isWorse)) return [];
      }
      const savedPrice = before && priceInstead(before, worst);
      const lowest = losing.reduce((one, other) => (prices.groupRatio(other) < prices.groupRatio(one) ? other : one));
      const ratios = { groupRatio: prices.groupRatio(lowest), savedGroupRatio: saved?.groupRatio(lowest) ?? null };
      return [{ ...worst, ...ratios, channelId: id, channelName: name, modelName, groups: losing, savedPrice }];
    });
    return causedOnly ? found : found.slice(0, 1);
  });
}
