import type { CostRule } from '../../shared/cost-rule.js';
import { exact, type PriceCard, pricedPer } from '../../shared/price-card.js';
import type { Usage } from '../../shared/usage.js';
import { builtInCard } from './built-in-prices.js';
import { componentsOf, pricedUsage, type Component, type PricedUsage } from './card-lines.js';
import { CardTable } from './card-table.js';
import { withTiers } from './tier-prices.js';
import { listedTools, withTools } from './tool-prices.js';

/** The cost of a model on a channel. */
export interface CostPrice {
  /** The channel's own card, or the list price of the provider. */
  readonly basis: 'card' | 'list';
  /** The name that the card was found by. */
  readonly name: string;
  readonly card: PriceCard;
  /** Times the prices of the card. */
  readonly factor: number;
}

/** The cost of one call. */
export interface CallCost {
  /** Rounded to a billionth. */
  readonly usd: number;
  readonly price: CostPrice;
  /** The cost at the prices of the card, before the factor. */
  readonly lines: readonly Component[];
}

/** Names of models come from clients and from mappings. */
const maxModels = 4096;

/** The costs of one channel. A model is looked up once. */
export class ChannelCost {
  private readonly own: CardTable | null;
  private readonly known = new Map<string, CostPrice | null>();

  constructor(private readonly rule: CostRule) {
    const cards = Object.entries(rule.cards);
    this.own = cards.length > 0 ? new CardTable(new Map(cards)) : null;
  }

  /**
   * A cost card of the channel, else the list price times the factor: of the model that is called, else of the one that was
   * requested, because a mapping may lead to a name that only the provider knows.
   * @returns null where there is neither
   */
  find(calledModel: string, requestedModel: string): CostPrice | null {
    if (calledModel === requestedModel) return this.of(calledModel);
    return this.of(calledModel) ?? this.of(requestedModel);
  }

  private of(model: string): CostPrice | null {
    let price = this.known.get(model);
    if (price === undefined) {
      if (this.known.size >= maxModels) this.known.clear();
      this.known.set(model, (price = this.lookUp(model)));
    }
    return price;
  }

  private lookUp(model: string): CostPrice | null {
    const own = this.own?.find(model);
    if (own) {
      return {
        basis: 'card',
        name: own.name,
        card: withTools(withTiers(own.card, model), listedTools(model)),
        factor: 1,
      };
    }
    const list = builtInCard(model);
    return list && { basis: 'list', ...list, factor: this.rule.factor };
  }
}

/** The lines of a charge by a card, which are those of the cost where both use one card. */
export interface SaleLines {
  readonly card: PriceCard;
  readonly lines: readonly Component[];
}

/** The cost of a call, from the quantities that price it. */
export function costOfUsage(price: CostPrice, usage: Usage, sale: SaleLines | null): CallCost {
  if (sale && sale.card === price.card) return costOfLines(price, sale.lines);
  return costOf(price, pricedUsage(usage));
}

/** The cost of quantities. */
export const costOf = (price: CostPrice, usage: PricedUsage): CallCost =>
  costOfLines(price, componentsOf(price.card, usage));

/** The cost of lines at the prices of the card. */
export const costOfLines = (price: CostPrice, lines: readonly Component[]): CallCost => ({
  usd: usdOfCost(lines, price.factor),
  price,
  lines,
});

/** The cost of a call of which another model did a part, with its lines behind. One factor is for all lines. */
export function withOtherCost({ price, lines }: CallCost, other: readonly Component[], factor: number): CallCost {
  if (price.factor === factor) return costOfLines(price, [...lines, ...other]);
  const scaled = (some: readonly Component[], by: number): Component[] =>
    some.map(([quantity, count, usd]) => [quantity, count, exact(usd * by)]);
  return costOfLines({ ...price, factor: 1 }, [...scaled(lines, price.factor), ...scaled(other, factor)]);
}

/** Billionths in a millionth. */
const billionths = 1000;

/** The cost that lines come to in USD, rounded to a billionth. */
export function usdOfCost(lines: readonly Component[], factor: number): number {
  let millionths = 0;
  for (const [quantity, count, price] of lines) {
    millionths += count * price * (1_000_000 / pricedPer[quantity]);
  }
  return Math.round(millionths * factor * billionths) / 1_000_000_000;
}

/** Keys of `admin_info` in the log row (docs/reference/relay/usage-log.md#the-other-field). */
export function costNotes(cost: CallCost, sale: SaleLines | null): CostNotes {
  const { price, lines } = cost;
  return {
    upstream_cost: cost.usd,
    cost_basis: price.basis,
    cost_card: price.name,
    cost_factor: price.factor === 1 ? undefined : price.factor,
    // The lines of the charge are in the row already.
    cost_lines: lines === sale?.lines ? undefined : lines,
  };
}

export interface CostNotes {
  readonly upstream_cost?: number | undefined;
  readonly cost_basis?: 'reported' | 'card' | 'list' | undefined;
  readonly cost_card?: string | undefined;
  readonly cost_factor?: number | undefined;
  readonly cost_lines?: readonly Component[] | undefined;
}
