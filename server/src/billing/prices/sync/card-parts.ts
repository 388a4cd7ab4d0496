import type { PriceCard, Prices } from '../../../shared/price-card.js';

type Part = Pick<PriceCard, 'prices' | 'services'>;

/**
 * Returns a card, or a context tier, with its prices and those of its service tiers replaced. Context tiers of a card
 * are kept.
 */
export function withPrices<P extends Part>(part: P, replace: (prices: Prices) => Prices): P {
  const { services } = part;
  return {
    ...part,
    prices: replace(part.prices),
    ...(services
      ? {
          services: Object.fromEntries(
            Object.entries(services).map(([tier, service]) => [
              tier,
              { ...service, ...(service.prices ? { prices: replace(service.prices) } : {}) },
            ]),
          ),
        }
      : {}),
  };
}

/** Returns a card with all its prices replaced, including those of its context tiers. */
export function withAllPrices(card: PriceCard, replace: (prices: Prices) => Prices): PriceCard {
  const { contextTiers } = card;
  return {
    ...withPrices(card, replace),
    ...(contextTiers ? { contextTiers: contextTiers.map((tier) => withPrices(tier, replace)) } : {}),
  };
}
