import type { PriceCard, Prices, Variant } from '../../../shared/price-card.js';
import { conditionKey } from '../../../shared/price-condition.js';

type Part = Pick<PriceCard, 'prices' | 'variants'>;

/**
 * Returns a card, or a context tier, with its prices and those of its variants replaced. Context tiers of a card are kept.
 */
export function withPrices<P extends Part>(part: P, replace: (prices: Prices) => Prices): P {
  const { variants } = part;
  const replaced = variants?.map((each) => (each.prices ? { ...each, prices: replace(each.prices) } : each));
  return { ...part, prices: replace(part.prices), ...(replaced ? { variants: replaced } : {}) };
}

/** Returns a card with all its prices replaced, including those of its context tiers. */
export function withAllPrices(card: PriceCard, replace: (prices: Prices) => Prices): PriceCard {
  const { contextTiers } = card;
  return {
    ...withPrices(card, replace),
    ...(contextTiers ? { contextTiers: contextTiers.map((tier) => withPrices(tier, replace)) } : {}),
  };
}

/** Returns the variants of both lists. A variant of the second list replaces the variant of the first list with the same condition. */
export function mergedVariants(
  first: readonly Variant[] = [],
  second: readonly Variant[] = [],
): Pick<PriceCard, 'variants'> {
  const variants = new Map([...first, ...second].map((each) => [conditionKey(each.when), each]));
  return variants.size > 0 ? { variants: [...variants.values()] } : {};
}
