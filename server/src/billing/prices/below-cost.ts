import {
  exact,
  thresholdsOf,
  isTokenQuantity,
  ratesOf,
  variantOf,
  textQuantities,
  tokenQuantities,
  productQuantities,
  unitQuantities,
  type PriceCard,
  type Quantity,
} from '../../shared/price-card.js';
import { conditions, type Condition } from '../../shared/price-condition.js';
import type { CostPrice } from './channel-cost.js';
import type { ChargeCard } from './card-lines.js';
import { listsLines, type Price } from './compiled-price.js';
import { searchPrices } from './tool-prices.js';

/** A price that is below what the call costs the operator. */
export interface Loss {
  readonly quantity: Quantity;
  /** USD per million tokens or per unit, before the group ratio. */
  readonly price: number;
  readonly cost: number;
  /** Prompt tokens above which calls are sold at a loss. 0 for all calls. */
  readonly above: number;
  /** The service tier that is sold at a loss. Null for the standard tier. */
  readonly when: Condition | null;
}

/** Ratios of prices to costs below this are no loss: prices are rounded to twelve digits. */
const tolerance = 1 - 1e-9;

/** Prices of tokens, or of calls of tools, seconds and other units. */
export type Kind = 'tokens' | 'units';

/**
 * Returns the worst price of a model before any group ratio, in relation to its cost: a group loses where its ratio times `price` is
 * below `cost`. Compares what both sides price by tokens, and what both sell by the unit.
 * @returns null where nothing can be compared, such as a price per call with a cost by tokens
 */
export function worstPrice(price: Price, cost: CostPrice, kind: Kind): Loss | null {
  const { card } = price;
  const levels = [0, ...thresholdsOf(cost.card), ...thresholdsOf(card)];
  // Variants without a price here are sold at the standard price, as the operator chose.
  const compares = [null, ...conditions.filter((when) => variantOf(cost.card, when) && variantOf(card, when))];
  // The old tables price audio and images differently in each formula.
  const tokens = listsLines(price) ? tokenQuantities : textQuantities;
  const compared = kind === 'tokens' ? tokens : unitQuantities;
  let worst: Loss | null = null;
  for (const above of new Set(levels)) {
    for (const when of compares) {
      const found = worstAt(card, cost, compared, { above, when });
      // The first of equal shares stands for all: the standard tier, which has the prices that people know.
      if (found && (!worst || found.price / found.cost < (worst.price / worst.cost) * tolerance)) worst = found;
    }
  }
  return worst;
}

/** Whether a group with this ratio pays less than the cost. */
export const isLoss = ({ price, cost }: Loss, groupRatio: number): boolean => price * groupRatio < cost * tolerance;

/** Returns the price of a loss by another price of the model, before the group ratio. */
export const priceInstead = ({ card }: Price, { quantity, above, when }: Loss): number =>
  ratesOf(card, tierAt(card, above), when)[quantity];

function worstAt(
  sale: ChargeCard,
  { card, factor }: CostPrice,
  compared: readonly Quantity[],
  level: Pick<Loss, 'above' | 'when'>,
): Loss | null {
  const costs = ratesOf(card, tierAt(card, level.above), level.when);
  const prices = ratesOf(sale, tierAt(sale, level.above), level.when);
  let worst: Loss | null = null;
  for (const quantity of compared) {
    // A part that neither side prices separately costs what its whole costs.
    const isPriced = card.prices[quantity] !== undefined || sale.prices[quantity] !== undefined;
    const cost = exact(costs[quantity] * factor);
    const price = prices[quantity];
    if (!isPriced || !(cost > 0) || !compares(sale, quantity)) continue;
    if (!worst || price / cost < worst.price / worst.cost) worst = { quantity, price, cost, ...level };
  }
  return worst;
}

/** Whether a price covers a quantity in the same unit. A price by the piece does not compare with a cost by tokens. */
function compares({ prices, perCall }: ChargeCard, quantity: Quantity): boolean {
  if (perCall !== undefined) return quantity === 'request';
  if (isTokenQuantity(quantity)) return tokenQuantities.some((each) => prices[each] !== undefined);
  if (prices[quantity] !== undefined) return true;
  // A sale has one price of searches: by the search, by the prompt or by the request.
  const isSoldElse = searchPrices.some((each) => each === quantity) && searchPrices.some((each) => prices[each]);
  return !isSoldElse && !soldWhole.has(quantity);
}

/** Units that are the whole product: a card without a price for them sells it by another quantity. */
const soldWhole: ReadonlySet<Quantity> = new Set(productQuantities);

/** Returns the context tier of a prompt just above a number of tokens. */
const tierAt = (card: PriceCard, above: number): number =>
  (card.contextTiers ?? []).findLastIndex((tier) => above >= tier.above && above > 0);
