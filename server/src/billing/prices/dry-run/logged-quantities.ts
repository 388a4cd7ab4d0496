import { readComponents } from '../../../shared/charge-lines.js';
import {
  isTokenQuantity,
  pieceOf,
  statedPrices,
  textQuantities,
  toolQuantities,
  unitQuantities,
  type PriceCard,
  type Quantity,
  type UnitQuantity,
} from '../../../shared/price-card.js';
import { noUsage } from '../../../shared/usage.js';
import type { AdminFields, LoggedFields } from '../logged-fields.js';
import { countOf } from '../table-usage.js';
import { isImplied } from '../tool-prices.js';
import { pricedUsage, type Component, type Count, type PricedUsage } from '../card-lines.js';

/** The fields of a log row of a call that a charge is computed from. */
export interface LoggedCall {
  /** The name of the priced model, without its routing prefix. */
  readonly model: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly other: LoggedFields;
}

/** Quantities as a card is charged for them. */
type Counts = PricedUsage['counts'];

const oneRequest: Count = ['request', 1];

/** Finds the card that a row names. */
export type RecordedCards = (name: string) => PriceCard | null;

/**
 * The quantities of a call for a price card, from its log row.
 * @returns null when the card prices a quantity of which the row may have lost the count
 */
export function quantitiesFor(card: PriceCard, call: LoggedCall, cards: RecordedCards): Counts | null {
  const sale = readComponents(call.other['components']);
  const cost = readComponents(adminOf(call.other)['cost_lines']);
  if (isImageCall(call.other)) return imageQuantities(card, call, [sale, cost]);
  if (!sale && !cost) return fromColumns(card, call);
  const counts = sale && cost ? [...larger(summed(sale), summed(cost))] : (sale ?? cost ?? []);
  if (!knowsUnits(card, call.other, counts, cards)) return null;
  const isRequest = call.promptTokens + call.completionTokens > 0 && !counts.some(([unit]) => unit === 'request');
  return isRequest ? [...counts, oneRequest] : counts;
}

export const adminOf = (other: LoggedFields): AdminFields => other['admin_info'] ?? {};

/** Whether the row is of an endpoint that makes images. */
export const isImageCall = (other: LoggedFields): boolean =>
  other['image'] === true || textOf(other['request_path']).startsWith('/v1/images');

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * What a row without lines has: tokens of the totals, of which it does not say how many were audio or images. Calls in which a
 * tool of the provider ran have lines.
 */
const ofTotals: ReadonlySet<Quantity> = new Set([...textQuantities, ...toolQuantities, 'request']);

function fromColumns(card: PriceCard, { promptTokens, completionTokens, other }: LoggedCall): Counts | null {
  // The text formulas log what they count. Those of audio log no cache reads.
  if (other['audio'] === true || other['ws'] === true) return null;
  if (pricedBy(card).some((quantity) => !ofTotals.has(quantity))) return null;
  return pricedUsage({
    ...noUsage,
    promptTokens,
    completionTokens,
    cachedTokens: countOf(other['cache_tokens']),
    cacheWriteTokens: countOf(other['cache_creation_tokens']),
    reasoningTokens: countOf(other['reasoning_tokens']),
    details: { cacheWrite1hTokens: countOf(other['cache_creation_1h_tokens']) },
  }).counts;
}

/** Images are priced by their number where the card has a price for that or for the call, else by the tokens that were reported. */
function imageQuantities(
  card: PriceCard,
  { other }: LoggedCall,
  lines: ReadonlyArray<Component[] | null>,
): Counts | null {
  const piece = card.prices.image === undefined ? pieceOf(card) : 'image';
  if (piece) {
    const count = countOf(other['image_count']) || countOfImages(lines);
    const details = piece === 'image' ? { images: count } : { requests: count };
    return count > 0 ? pricedUsage({ ...noUsage, promptTokens: count, details }).counts : null;
  }
  const tokens = lines.find((some) => some && isByTokens(some));
  return tokens ? [...tokens.filter(([quantity]) => quantity !== 'request'), oneRequest] : null;
}

/** A request may also be a surcharge beside tokens. */
const isByTokens = (lines: readonly Component[]): boolean =>
  lines.length > 0 &&
  !lines.some(([quantity]) => quantity === 'image') &&
  (!lines.some(([quantity]) => quantity === 'request') ||
    lines.some(([quantity, , price]) => isTokenQuantity(quantity) && price > 0));

/** A card without prices of tokens counts each image as one, or as a request. */
const countOfImages = (lines: ReadonlyArray<Component[] | null>): number =>
  lines
    .flatMap((some) => (some && !isByTokens(some) ? some : []))
    .find(([quantity]) => quantity === 'image' || quantity === 'request')?.[1] ?? 0;

function summed(lines: readonly Component[]): Map<Quantity, number> {
  const sums = new Map<Quantity, number>();
  for (const [quantity, count] of lines) sums.set(quantity, (sums.get(quantity) ?? 0) + count);
  return sums;
}

/** Two lists of one call: each leaves out the units that its card does not price. */
function larger(left: Map<Quantity, number>, right: Map<Quantity, number>): Map<Quantity, number> {
  for (const [quantity, count] of right) left.set(quantity, Math.max(left.get(quantity) ?? 0, count));
  return left;
}

/** Units that a card prices, requests aside: of those the count is always known. */
const unitsByCard = new WeakMap<PriceCard, readonly UnitQuantity[]>();
const quantitiesByCard = new WeakMap<PriceCard, readonly Quantity[]>();

/** Every quantity that has a price somewhere on the card. */
function pricedBy(card: PriceCard): readonly Quantity[] {
  let found = quantitiesByCard.get(card);
  if (!found) {
    const priced = new Set(statedPrices(card).flatMap((some) => Object.keys(some) as Quantity[]));
    found = [...priced].filter((quantity) => !isImplied(card, quantity));
    quantitiesByCard.set(card, found);
  }
  return found;
}

function unitsOf(card: PriceCard): readonly UnitQuantity[] {
  let found = unitsByCard.get(card);
  if (!found) {
    const priced = new Set<Quantity>(pricedBy(card).filter((quantity) => !isTokenQuantity(quantity)));
    found = unitQuantities.filter((unit) => unit !== 'request' && priced.has(unit));
    unitsByCard.set(card, found);
  }
  return found;
}

/** A row lists units only where the card that wrote the lines prices them. */
function knowsUnits(card: PriceCard, other: LoggedFields, counts: Counts, cards: RecordedCards): boolean {
  const units = unitsOf(card);
  if (units.length === 0) return true;
  const { cost_basis: basis, cost_card: ofCost } = adminOf(other);
  const recorded = [cards(textOf(other['price_card'])), basis === 'list' ? cards(textOf(ofCost)) : null];
  return units.every(
    (unit) => counts.some(([one]) => one === unit) || recorded.some((one) => one && unitsOf(one).includes(unit)),
  );
}
