import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Repository } from 'typeorm';
import { requirePermission, type MaybeActor } from '../../shared/actor.js';
import { CostRuleError, parseCostRule, type CostRule } from '../../shared/cost-rule.js';
import { InvalidInputError } from '../../shared/errors.js';

import type { Channel } from '../channels/index.js';
import type { OptionValues } from '../../options/option.service.js';
import {
  ChannelCost,
  isLoss,
  priceInstead,
  type Loss,
  PriceBook,
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

  private async stored(): Promise<Offer[]> {
    const rows = await this.deps.channels.find({
      select: { id: true, name: true, models: true, groups: true, modelMapping: true, cost: true },
      where: { status: 'enabled' },
      order: { id: 'ASC' },
    });
    return rows.map(({ modelMapping: mapping, ...row }) => ({ ...row, mapping }));
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

function lossesOf(
  { id, name, models, groups, mapping, cost }: Offer,
  prices: PriceBook,
  saved: PriceBook | null,
  causedOnly: boolean,
): SaleBelowCost[] {
  const costs = new ChannelCost(cost);
  return models.flatMap((modelName) => {
    const mapped = Object.hasOwn(mapping, modelName) ? mapping[modelName] : undefined;
    const ofModel = costs.find(mapped ?? modelName, modelName);
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
