import { isTokenQuantity, type PriceCard, type Quantity } from '../../shared/price-card.js';
import { componentsOf, type Component, type Count } from './card-lines.js';

/** Speech of a realtime session that another model transcribed. */
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

/** Returns the lines of transcripts. A card that prices seconds does not price their tokens. */
export function linesOfTranscripts(card: PriceCard, found: Transcripts): Component[] {
  const counts: Count[] = [
    ['input', found.inputTokens - found.audioTokens],
    ['audioInput', found.audioTokens],
    ['output', found.outputTokens],
    ['second', found.seconds],
    ['request', found.count],
  ];
  return componentsOf(card, { counts, when: null }).map(([quantity, count, usd]): Component => {
    const isIncluded = card.prices.second !== undefined && isTokenQuantity(quantity);
    return [quantity, count, isIncluded ? 0 : usd];
  });
}

/** Reads the counts from the lines of transcripts, to price them again. @param unlisted counts that the lines do not have */
export function transcriptsOf(
  lines: readonly Component[],
  unlisted: Pick<Transcripts, 'count' | 'seconds'>,
): Transcripts {
  const of = (wanted: Quantity): number =>
    lines.reduce((sum, [quantity, count]) => (quantity === wanted ? sum + count : sum), 0);
  const audioTokens = of('audioInput');
  return { ...unlisted, inputTokens: of('input') + audioTokens, audioTokens, outputTokens: of('output') };
}
