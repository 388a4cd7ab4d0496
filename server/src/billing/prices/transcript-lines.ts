import { isTokenQuantity, type PriceCard, type Quantity } from '../../shared/price-card.js';
import { componentsOf, type Component, type Count } from './card-charge.js';
import type { Price, RatioPrice } from './charge.js';
import { cardOfRatio } from './other-models.js';

/** Speech of a realtime session that another model wrote down. */
export interface Transcripts {
  readonly count: number;
  /** May have a fraction. */
  readonly seconds: number;
  readonly inputTokens: number;
  /** Part of `inputTokens`. */
  readonly audioTokens: number;
  readonly outputTokens: number;
}

export const noTranscripts: Transcripts = { count: 0, seconds: 0, inputTokens: 0, audioTokens: 0, outputTokens: 0 };

/** A ratio prices a minute as 1,000 tokens, as at the endpoint of transcriptions. */
const tokensOfSecond = 1000 / 60;

/** Twelve digits remove binary rounding errors. */
const exactly = (value: number): number => Number(value.toPrecision(12));

/** The price of transcripts as a card. */
function cardFor(price: Price, quotaPerUnit: number): PriceCard {
  if (price.kind === 'card') return price.card;
  if (price.kind === 'call') return { prices: { request: price.modelPrice } };
  return { prices: { second: exactly((price.modelRatio * tokensOfSecond) / quotaPerUnit) } };
}

/** The lines of transcripts. A card that prices seconds does not price their tokens. */
export function linesOfTranscripts(price: Price, found: Transcripts, quotaPerUnit: number): Component[] {
  const card = cardFor(price, quotaPerUnit);
  const counts: Count[] = [
    ['input', found.inputTokens - found.audioTokens],
    ['audioInput', found.audioTokens],
    ['output', found.outputTokens],
    ['second', found.seconds],
    ['request', found.count],
  ];
  return componentsOf(card, { counts, serviceTier: null }).map(([quantity, count, usd]): Component => {
    const isIncluded = card.prices.second !== undefined && isTokenQuantity(quantity);
    return [quantity, count, isIncluded ? 0 : usd];
  });
}

/** Reads the counts from the lines of transcripts, to price them again. @param more the counts that lines may leave out */
export function transcriptsOf(lines: readonly Component[], more: Pick<Transcripts, 'count' | 'seconds'>): Transcripts {
  const of = (wanted: Quantity): number =>
    lines.reduce((sum, [quantity, count]) => (quantity === wanted ? sum + count : sum), 0);
  const audioTokens = of('audioInput');
  return { ...more, inputTokens: of('input') + audioTokens, audioTokens, outputTokens: of('output') };
}

/** A ratio price of a session as the card that comes to the same charge: cached tokens cost the same. */
export function cardOfAudio(price: RatioPrice, quotaPerUnit: number): PriceCard {
  const { modelRatio, audioRatio, audioCompletionRatio } = price;
  const { input = 0, output = 0 } = cardOfRatio(price, quotaPerUnit).prices;
  const audioInput = exactly((modelRatio * audioRatio * 1_000_000) / quotaPerUnit);
  const audioOutput = exactly((modelRatio * audioRatio * audioCompletionRatio * 1_000_000) / quotaPerUnit);
  return { prices: { input, output, audioInput, audioOutput } };
}
