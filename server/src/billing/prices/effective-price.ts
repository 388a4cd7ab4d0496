import { isTokenQuantity, quantities, ratesOf, type PriceCard, type Quantity } from '../../shared/price-card.js';
import type { Price } from './charge.js';
import { cardOfRatio } from './other-models.js';

/** Where the price of a model is from: a card of the operator, the old tables, or the list prices of the program. */
export type PriceSource = 'card' | 'table' | 'list';

/** The price of one quantity, before the group ratio. */
export interface PriceLine {
  readonly quantity: Quantity;
  /** USD per million tokens or per unit. */
  readonly price: number;
  readonly isPerMillion: boolean;
}

/** The price of a short call in the standard tier, before the group ratio. */
export interface EffectivePrice {
  readonly source: PriceSource;
  /** When the prices of the card were read: a month or a day; null where that is not known. */
  readonly asOf: string | null;
  readonly isOld: boolean;
  readonly lines: readonly PriceLine[];
  /** The whole card, with its tiers. */
  readonly card: PriceCard | null;
}

const oldAfterMilliseconds = 90 * 86_400_000;

/** @param now Unix milliseconds */
export function effectivePrice(price: Price, quotaPerUnit: number, now: number): EffectivePrice {
  if (price.kind !== 'card') {
    return { source: 'table', asOf: null, isOld: false, lines: tableLines(price, quotaPerUnit), card: null };
  }
  const { card, isBuiltIn } = price;
  const rates = ratesOf(card, -1, null);
  const { asOf = null } = card;
  return {
    source: isBuiltIn ? 'list' : 'card',
    asOf,
    isOld: asOf !== null && now - Date.parse(asOf) > oldAfterMilliseconds,
    lines: quantities
      .filter((quantity) => card.prices[quantity] !== undefined)
      .map((quantity) => ({ quantity, price: rates[quantity], isPerMillion: isTokenQuantity(quantity) })),
    card,
  };
}

function tableLines(price: Exclude<Price, { kind: 'card' }>, quotaPerUnit: number): PriceLine[] {
  if (price.kind === 'call') return [{ quantity: 'request', price: price.modelPrice, isPerMillion: false }];
  return Object.entries(cardOfRatio(price, quotaPerUnit).prices).map(([quantity, usd]) => ({
    quantity: quantity as Quantity,
    price: usd,
    isPerMillion: isTokenQuantity(quantity as Quantity),
  }));
}
