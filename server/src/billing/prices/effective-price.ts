import { isTokenQuantity, quantities, ratesOf, type PriceCard, type Quantity } from '../../shared/price-card.js';
import type { Price, PriceSource } from './compiled-price.js';

export type { PriceSource };

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
export function effectivePrice({ card, source }: Price, now: number): EffectivePrice {
  const rates = ratesOf(card, -1, null);
  const { asOf = null } = card;
  return {
    source,
    asOf,
    isOld: asOf !== null && now - Date.parse(asOf) > oldAfterMilliseconds,
    lines: quantities
      .filter((quantity) => card.prices[quantity] !== undefined)
      .map((quantity) => ({ quantity, price: rates[quantity], isPerMillion: isTokenQuantity(quantity) })),
    card: source === 'table' ? null : card,
  };
}
