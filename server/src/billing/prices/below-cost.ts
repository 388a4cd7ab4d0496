import {
  thresholdsOf,
  isTokenQuantity,
  ratesOf,
  serviceTiers,
  textQuantities,
  tokenQuantities,
  unitQuantities,
  type PriceCard,
  type Prices,
  type Quantity,
  type ServiceTier,
} from '../../shared/price-card.js';
import type { CostPrice } from './channel-cost.js';
import { hourRatio, type Price } from './charge.js';

/** A price that is below what the call costs the operator. */
export interface Loss {
  readonly quantity: Quantity;
  /** USD per million tokens or per unit, before the group ratio. */
  readonly price: number;
  readonly cost: number;
  /** Prompt tokens above which it is so. 0: every call. */
  readonly above: number;
  /** Null: the standard tier. */
  readonly serviceTier: ServiceTier | null;
}

/** Quantities that the old tables price by tokens, of any kind. */
const byRatio: ReadonlySet<Quantity> = new Set(textQuantities);

/** Ratios of prices to costs below this are no loss: prices are rounded to twelve digits. */
const tolerance = 1 - 1e-9;

/** Prices of tokens, or of calls of tools, seconds and other units. */
export type Kind = 'tokens' | 'units';

/**
 * The worst price of a model before any group ratio, in relation to its cost: a group loses where its ratio times `price` is
 * below `cost`. Compares what both sides price by tokens, and what both sell by the unit.
 * @returns null where nothing can be compared, such as a price per call with a cost by tokens
 */
export function worstPrice(price: Price, cost: CostPrice, quotaPerUnit: number, kind: Kind): Loss | null {
  const levels = [0, ...thresholdsOf(cost.card), ...(price.kind === 'card' ? thresholdsOf(price.card) : [])];
  const services = [null, ...serviceTiers.filter((tier) => cost.card.services?.[tier] && hasTier(price, tier))];
  let worst: Loss | null = null;
  for (const above of new Set(levels)) {
    for (const serviceTier of services) {
      const found = worstAt(saleAt(price, quotaPerUnit, above, serviceTier), cost, kind, { above, serviceTier });
      if (found && (!worst || found.price / found.cost < worst.price / worst.cost)) worst = found;
    }
  }
  return worst;
}

/** Whether a group with this ratio pays less than the cost. */
export const isLoss = ({ price, cost }: Loss, groupRatio: number): boolean => price * groupRatio < cost * tolerance;

/** Tiers without a price here are sold at the standard price, as the operator chose. */
const hasTier = (price: Price, tier: ServiceTier): boolean =>
  price.kind === 'card' && price.card.services?.[tier] !== undefined;

function worstAt(sale: Sale, { card, factor }: CostPrice, kind: Kind, level: Pick<Loss, 'above' | 'serviceTier'>) {
  const costs = ratesOf(card, tierAt(card, level.above), level.serviceTier);
  let worst: Loss | null = null;
  for (const quantity of kind === 'tokens' ? tokenQuantities : unitQuantities) {
    // Parts that neither side prices apart cost what their whole costs.
    const isPriced = card.prices[quantity] !== undefined || sale.own(quantity);
    const cost = Number((costs[quantity] * factor).toPrecision(12));
    const price = sale.price(quantity);
    if (!isPriced || !(cost > 0) || price === null) continue;
    if (!worst || price / cost < worst.price / worst.cost) worst = { quantity, price, cost, ...level };
  }
  return worst;
}

interface Sale {
  /** Null: cannot be compared. */
  price(quantity: Quantity): number | null;
  /** Whether it is priced apart. */
  own(quantity: Quantity): boolean;
}

function saleAt(price: Price, quotaPerUnit: number, above: number, serviceTier: ServiceTier | null): Sale {
  if (price.kind === 'call') {
    return {
      price: (quantity) => (quantity === 'request' ? price.modelPrice : null),
      own: (name) => name === 'request',
    };
  }
  if (price.kind === 'card') {
    const { card } = price;
    const rates = ratesOf(card, tierAt(card, above), serviceTier);
    const hasTokens = tokenQuantities.some((quantity) => card.prices[quantity] !== undefined);
    // A card by the piece and a cost by tokens, or the other way round, do not compare.
    const compares = (quantity: Quantity): boolean =>
      isTokenQuantity(quantity) ? hasTokens : card.prices[quantity] !== undefined || !soldWhole.has(quantity);
    return {
      price: (quantity) => (compares(quantity) ? rates[quantity] : null),
      own: (quantity) => card.prices[quantity] !== undefined,
    };
  }
  const input = (price.modelRatio * 1_000_000) / quotaPerUnit;
  const factors: Partial<Record<Quantity, number>> = {
    input: 1,
    cachedInput: price.cacheRatio,
    cacheWrite: price.cacheWriteRatio,
    cacheWrite1h: hourRatio(price.cacheWriteRatio),
    output: price.completionRatio,
    reasoning: price.completionRatio,
  };
  const tools: Prices = price.tools ?? {};
  return {
    price: (quantity) =>
      byRatio.has(quantity) ? Number((input * (factors[quantity] ?? 1)).toPrecision(12)) : (tools[quantity] ?? null),
    own: () => false,
  };
}

/** Units that are the whole product: a card without a price for them sells it by another quantity. */
const soldWhole: ReadonlySet<Quantity> = new Set(['request', 'image', 'second', 'page', 'character']);

/** The tier of a prompt just above so many tokens. */
const tierAt = (card: PriceCard, above: number): number =>
  (card.contextTiers ?? []).findLastIndex((tier) => above >= tier.above && above > 0);
