import { exact, ratesOf, type PriceCard } from '../../shared/price-card.js';

/** The ratios of the old tables that come to a card's price of a short call; 0 where the card has no price of tokens. */
export function ratiosOfCard(card: PriceCard): ReturnType<typeof computeRatios> {
  let ratios = cardRatios.get(card);
  if (!ratios) cardRatios.set(card, (ratios = computeRatios(card)));
  return ratios;
}

/** Each log row needs them, and a card never changes. */
const cardRatios = new WeakMap<PriceCard, ReturnType<typeof computeRatios>>();

function computeRatios(card: PriceCard) {
  const { input, output, cachedInput } = ratesOf(card, -1, null);
  const of = (price: number): number => (input > 0 ? exact(price / input) : 0);
  return { modelRatio: exact(input / 2), completionRatio: of(output), cacheRatio: of(cachedInput) };
}
