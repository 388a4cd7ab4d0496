import {
  exact,
  isTokenQuantity,
  priceFallbacks,
  quantities,
  type PriceCard,
  type Prices,
  type Quantity,
} from '../../../shared/price-card.js';
import { withAllPrices } from './card-parts.js';
import { isCardName, maxPrice, parsePriceCard, PriceCardError } from '../../../shared/price-card-input.js';

/** Why a list of prices cannot be used. The message is the end of a sentence that begins with the list's name. */
export class PriceDocumentError extends Error {}

/** A model of a document whose price cannot be used. */
export interface SkippedModel {
  readonly model: string;
  readonly reason: string;
}

/**
 * The publisher of a price, best first: the maker's own list, the maker's models under a prefix, a reseller, others.
 */
export type Rank = 0 | 1 | 2 | 3;

/** Prices while they are read. */
export type MutablePrices = { -readonly [Name in keyof Prices]: Prices[Name] };

const maxModels = 10_000;

/** Collects the price cards of one document. */
export class CardCollector {
  readonly cards = new Map<string, PriceCard>();
  private readonly reasons = new Map<string, string>();
  private readonly ranks = new Map<string, Rank>();

  /** Models without a usable price. Models that another entry of the document prices are excluded. */
  get skipped(): SkippedModel[] {
    return [...this.reasons]
      .filter(([model]) => !this.cards.has(model))
      .map(([model, reason]) => ({ model: model.slice(0, 256), reason }));
  }

  /**
   * Adds the price of a model. Of two prices the better ranked one counts, else the first.
   * @param isPrefix whether a `*` at the end of the name matches any text
   * @throws PriceDocumentError for a name that no document may contain, and for too many models
   */
  add(model: string, card: PriceCard, { rank = 0, isPrefix = false }: AddOptions = {}): void {
    if (model === '__proto__') throw new PriceDocumentError('has a name that cannot be the name of a model');
    if (!isCardName(model) || /\p{C}/u.test(model) || (model.endsWith('*') && !isPrefix))
      return this.skip(model, 'the name cannot be used');
    if ((this.ranks.get(model) ?? Infinity) <= rank) return;
    if (this.cards.size >= maxModels) throw new PriceDocumentError(`has more than ${maxModels} models`);
    if (!Object.values(allPrices(card)).some((price) => price > 0)) {
      return this.skip(model, 'every price is 0');
    }
    try {
      this.cards.set(model, parsePriceCard(withAllPrices(card, meaningful)));
      this.ranks.set(model, rank);
    } catch (error) {
      if (!(error instanceof PriceCardError)) throw error;
      this.skip(model, error.message);
    }
  }

  skip(model: string, reason: string): void {
    if (!this.reasons.has(model)) this.reasons.set(model, reason);
  }
}

interface AddOptions {
  readonly rank?: Rank;
  readonly isPrefix?: boolean;
}

const allPrices = (card: PriceCard): Prices =>
  Object.assign({}, ...(card.contextTiers ?? []).map(({ prices }) => prices), card.prices) as Prices;

/**
 * Parts of a call that are free when a table states 0. For other parts a 0 means that they have no price of their own.
 */
const mayBeFree = new Set<string>(['input', 'output', 'cachedInput'] satisfies Quantity[]);

/**
 * Removes prices that have no meaning. A part without a price of its own costs as much as its whole. A cache write at 0
 * would be free, and a part at the price of the whole would keep that price for long prompts.
 */
function meaningful(prices: Prices): Prices {
  const wholes = new Map<string, Quantity>(priceFallbacks);
  return Object.fromEntries(
    Object.entries(prices).filter(([quantity, price]) => {
      const whole = wholes.get(quantity);
      if (price === 0) return mayBeFree.has(quantity);
      return whole === undefined || quantity === 'cachedInput' || prices[whole] !== price;
    }),
  );
}

/**
 * Returns USD, or a ratio: finite, not negative, and below `maxPrice`.
 * @throws PriceDocumentError naming the model and the field
 */
export function amountOf(value: unknown, model: string, field: string, factor = 1): number {
  const given = typeof value === 'number' ? value : NaN;
  const price = exact(given * factor);
  if (given >= 0 && price <= maxPrice) return price;
  throw new PriceDocumentError(`has a price that is no price: ${field} of ${JSON.stringify(model.slice(0, 80))}`);
}

/** Returns the amount of a text, as in OpenRouter's list. Empty and absent texts are undefined. */
export function amountOfText(value: unknown, model: string, field: string, factor = 1): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const isDecimal = typeof value === 'string' && /^-?\d{1,30}(?:\.\d{1,40})?(?:[eE][-+]?\d{1,3})?$/.test(value);
  return amountOf(isDecimal ? Number(value) : value, model, field, factor);
}

/** Returns the quantities of `prices` that have a price. */
export const withoutAbsent = (prices: Readonly<Partial<Record<Quantity, number | undefined>>>): MutablePrices =>
  Object.fromEntries(
    quantities.flatMap((quantity) => {
      const price = prices[quantity];
      return price === undefined ? [] : [[quantity, price]];
    }),
  );

/** Whether there is a price of a token. */
export const hasTokenPrice = (prices: Prices): boolean =>
  Object.entries(prices).some(([quantity, price]) => isTokenQuantity(quantity as Quantity) && price > 0);
