import { exact, hasVariant, ratesOf, tokenQuantities, type PriceCard, type Variant } from '../../shared/price-card.js';
import { builtInCard } from './built-in-prices.js';
import { isFreeCard } from './card-lines.js';

/**
 * Returns the card with prices for the tiers and regions that a client may select and that the card does not price: in
 * the relation that they have in the list prices of the model. A complete or free card is returned unchanged.
 */
export function withTiers(card: PriceCard, model: string): PriceCard {
  const listed = (builtInCard(model) ?? builtInCard(model.slice(model.lastIndexOf('/') + 1)))?.card;
  const lacking = listed?.variants?.filter(({ when }) => (when.tier ?? when.region) && !hasVariant(card, when)) ?? [];
  if (!listed || lacking.length === 0 || isFreeCard(card)) return card;
  const found = lacking.map((variant) => relatedVariant(card, listed, variant));
  return { ...card, variants: [...(card.variants ?? []), ...found] };
}

/** Returns a variant of the card whose prices relate to the card as the variant's do to the list prices. */
function relatedVariant({ prices }: PriceCard, listed: PriceCard, { when, factor, prices: own }: Variant): Variant {
  if (factor !== undefined && !own) return { when, factor };
  const [standard, selected] = [ratesOf(listed, -1, null), ratesOf(listed, -1, when)];
  const related = tokenQuantities.flatMap((quantity) => {
    const price = prices[quantity];
    const by = standard[quantity] > 0 ? quantity : 'input';
    return price === undefined || standard[by] === 0
      ? []
      : [[quantity, exact((price * selected[by]) / standard[by])] as const];
  });
  return { when, prices: Object.fromEntries(related) };
}
