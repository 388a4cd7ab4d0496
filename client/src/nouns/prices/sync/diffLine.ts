import { productQuantities } from '../quantities.js';
import type { PriceDiffQuery } from './priceSync.generated.js';

export type DiffLine = NonNullable<PriceDiffQuery['priceCheck']>['diff']['items'][number];
export type DiffKind = DiffLine['kind'];

/** The kinds of differences, in the order in which they are shown. */
export const diffKinds: readonly DiffKind[] = ['NEW', 'UP', 'DOWN', 'DISAGREE', 'GONE', 'MINOR', 'SAME'];

/** Kinds whose lines can be chosen without another decision. */
export const choosableKinds: readonly DiffKind[] = ['NEW', 'UP', 'DOWN', 'MINOR'];

export const diffTones = {
  NEW: 'blue',
  UP: 'amber',
  DOWN: 'green',
  DISAGREE: 'violet',
  GONE: 'red',
  MINOR: 'grey',
  SAME: 'grey',
} as const satisfies Record<DiffKind, string>;

interface CardPrices {
  readonly prices?: Readonly<Record<string, number>>;
}

/** USD of input and output per million tokens; null where the card has no such price. */
export function figuresOf(card: unknown): { readonly input: number | null; readonly output: number | null } {
  const { input = null, output = null } = (card as CardPrices | null)?.prices ?? {};
  return { input, output };
}

/** The first price of a card that is not by token, for models that have no other. */
export function unitPriceOf(card: unknown): readonly [quantity: string, price: number] | null {
  const entries = Object.entries((card as CardPrices | null)?.prices ?? {});
  const products: readonly string[] = productQuantities;
  return entries.find(([quantity]) => products.includes(quantity)) ?? null;
}

/** The card that would apply: of the chosen source, else of the first. Null: the card is removed. */
export const offerOf = (line: DiffLine, source: string | null): unknown =>
  (source === null ? line.offers[0] : line.offers.find((offer) => offer.source === source))?.card ?? null;

/** A source without its scheme. */
export const sourceName = (label: string): string => label.replace(/^https?:\/\//, '');
