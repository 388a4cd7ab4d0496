import { exact, ratesOf, type PriceCard } from '../../shared/price-card.js';

/**
 * Returns the ratios of the old tables that are equal to a card's price of a short call. A card without a price of
 * tokens prices seconds or characters, which those tables count as tokens: 1,000 per minute, one per character. 0 when
 * the card prices none of these.
 */
export function ratiosOfCard(card: PriceCard): ReturnType<typeof computeRatios> {
  let ratios = cardRatios.get(card);
  if (!ratios) cardRatios.set(card, (ratios = computeRatios(card)));
  return ratios;
}

/** Ratios by card. Each log row needs them, and a card never changes. */
const cardRatios = new WeakMap<PriceCard, ReturnType<typeof computeRatios>>();

/** The factor for seconds. A minute counts as 1,000 tokens. */
const perMillionSeconds = 60_000;

function computeRatios(card: PriceCard) {
  const { input: stated, output, cachedInput, second, character } = ratesOf(card, -1, null);
  const input = stated || second * perMillionSeconds || character * 1_000_000;
  const of = (price: number): number => (input > 0 ? exact(price / input) : 0);
  return { modelRatio: exact(input / 2), completionRatio: of(output), cacheRatio: of(cachedInput) };
}
