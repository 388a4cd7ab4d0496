import { type PriceCard } from '../../shared/price-card.js';
import { type Rounding } from './rounding.js';

/** The terms by which the lines of a charge become quota. */
export interface ChargeTerms {
  /** Half up when absent. */
  readonly rounding?: Rounding;
  /**
   * Quota of a token at price 1. When absent, prices are in USD: per million tokens, or per unit. A charge by a ratio that comes
   * to exactly 0 for some tokens is one unit.
   */
  readonly ratio?: number;
}

/** A card with the terms of its charges. Cards of operators and list prices have no such terms. */
export interface ChargeCard extends PriceCard, ChargeTerms {
  /**
   * The factor of the price of a request. That price covers the whole call: its tools, all requests to the provider, and the
   * work of other models. Absent when the card prices quantities.
   */
  readonly perCall?: number;
}

/** Whether log rows list the lines of the card's charges. Rows of the old tables have the factors instead. */
export const hasLines = ({ ratio, perCall }: ChargeCard): boolean => ratio === undefined && perCall === undefined;

/** Free cards are kept here, because each call asks several times whether its card is free. */
const freeCards = new WeakMap<PriceCard, boolean>();

/** Whether all prices of the card are 0. */
export function isFreeCard(card: PriceCard): boolean {
  let isFree = freeCards.get(card);
  if (isFree === undefined) freeCards.set(card, (isFree = costsNothing(card)));
  return isFree;
}

const costsNothing = (card: PriceCard): boolean =>
  [card, ...(card.contextTiers ?? [])].every(({ prices, services }) =>
    [prices, ...Object.values(services ?? {}).map((service) => service.prices ?? {})].every((each) =>
      Object.values(each).every((price) => price === 0),
    ),
  );
