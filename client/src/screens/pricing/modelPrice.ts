import { isQuantityName, type QuantityName } from '../../nouns/prices/quantityTexts.js';
import type { StatedCondition } from '../../nouns/prices/quantities.js';
import type { PricingQuery } from './pricing.generated.js';

export type PricedModel = PricingQuery['pricing']['models'][number];

/** USD per million tokens or per unit. */
export interface QuantityPrice {
  readonly quantity: QuantityName;
  readonly price: number;
  readonly isPerMillion: boolean;
}

/** Prices that replace those of the model for a kind of calls. */
export interface PriceTier {
  /** Prompt tokens above which the tier applies; null for conditions. */
  readonly above: number | null;
  /** The condition; null for long prompts. */
  readonly when: StatedCondition | null;
  /** Factor on all prices of tokens; null without one. */
  readonly factor: number | null;
  readonly prices: readonly QuantityPrice[];
}

/** Prices for a group, as they are charged. Empty: the model has no price. */
export function pricesFor(model: PricedModel, groupRatio: number): QuantityPrice[] {
  const prices = (model.effective?.lines ?? []).flatMap(({ quantity, price, isPerMillion }) =>
    isQuantityName(quantity) ? [{ quantity, price: scaled(price, groupRatio), isPerMillion }] : [],
  );
  return withCachedInput(prices);
}

/** Cached input without a price of its own costs what input costs (docs/reference/relay/prices.md#price-cards). */
function withCachedInput(prices: QuantityPrice[]): QuantityPrice[] {
  const at = prices.findIndex(({ quantity }) => quantity === 'input');
  const input = prices[at];
  if (!input || prices.some(({ quantity }) => quantity === 'cachedInput')) return prices;
  return prices.toSpliced(at + 1, 0, { ...input, quantity: 'cachedInput' });
}

export const priceOf = (prices: readonly QuantityPrice[], quantity: QuantityName): number | undefined =>
  prices.find((line) => line.quantity === quantity)?.price;

/** Prices of long prompts and of conditions, for a group. */
export function tiersFor(model: PricedModel, groupRatio: number): PriceTier[] {
  const card = recordOf(model.effective?.card);
  const hasCachedInput = recordOf(card['prices'])['cachedInput'] !== undefined;
  const perMillion = new Map(model.effective?.lines.map((line) => [line.quantity, line.isPerMillion]));
  const listed = (prices: unknown): QuantityPrice[] => {
    const own = Object.entries(recordOf(prices)).flatMap(([quantity, price]) =>
      isQuantityName(quantity) && typeof price === 'number'
        ? [{ quantity, price: scaled(price, groupRatio), isPerMillion: perMillion.get(quantity) ?? true }]
        : [],
    );
    // A tier contains only the prices that differ, so the card's price of cached input applies.
    return hasCachedInput ? own : withCachedInput(own);
  };
  const long = Array.isArray(card['contextTiers']) ? (card['contextTiers'] as unknown[]) : [];
  const variants = Array.isArray(card['variants']) ? (card['variants'] as unknown[]) : [];
  return [
    ...long.map(recordOf).flatMap((tier) => {
      const above = tier['above'];
      return typeof above === 'number' ? [{ above, when: null, factor: null, prices: listed(tier['prices']) }] : [];
    }),
    ...variants.map(recordOf).map(({ when, factor, prices }) => {
      return {
        above: null,
        when: recordOf(when),
        factor: typeof factor === 'number' ? factor : null,
        prices: listed(prices),
      };
    }),
  ];
}

// Twelve digits remove binary rounding errors: 0.1 × 3 is 0.3.
const scaled = (price: number, groupRatio: number): number => Number((price * groupRatio).toPrecision(12));

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
