import { type Condition, conditionKey, partsOf } from './price-condition.js';
import {
  cachedFallbacks,
  isTokenQuantity,
  priceFallbacks,
  quantities,
  tokenQuantities,
  type Quantity,
} from './price-quantities.js';

export * from './price-quantities.js';

/** USD per million tokens, or USD per unit. Finite and not negative. */
export type Prices = Readonly<Partial<Record<Quantity, number>>>;

/** Prices of calls that meet a condition: the standard prices times a factor, and prices of their own. */
export interface Variant {
  readonly when: Condition;
  /**
   * The factor. It applies to prices of tokens only: tool calls, seconds and other units cost the same in every variant.
   */
  readonly factor?: number;
  readonly prices?: Prices;
}

/** Prices of calls with a long prompt. */
export interface ContextTier {
  /** Prompt tokens, including cached ones. The tier begins with the next token. */
  readonly above: number;
  /** The prices that differ from those of the card. None is lower. */
  readonly prices: Prices;
  /** See `ratesOf` for a condition that is missing here. */
  readonly variants?: readonly Variant[];
}

/** The price of a model. */
export interface PriceCard {
  readonly prices: Prices;
  /** The context tiers by threshold, lowest first. */
  readonly contextTiers?: readonly ContextTier[];
  /** `call` (default): the tier prices the whole call. `excess`: only prompt tokens above its threshold. */
  readonly contextScope?: 'call' | 'excess';
  readonly variants?: readonly Variant[];
  /** The source of the prices: a URL or a short text. */
  readonly source?: string;
  /** When the prices were read: a month or a day, such as `2026-11` or `2026-11-21`. */
  readonly asOf?: string;
}

/** Returns the unit by which a card prices whole calls or images, if it prices no tokens; null for other cards. */
export function pieceOf({ prices }: PriceCard): 'request' | 'image' | null {
  if (tokenQuantities.some((quantity) => (prices[quantity] ?? 0) > 0)) return null;
  const { request, image } = prices;
  return request !== undefined ? 'request' : image === undefined ? null : 'image';
}

/** Complete prices: every quantity has one. */
export type Rates = Readonly<Record<Quantity, number>>;

/** Returns the variant of a card, or of a context tier, for exactly this condition. */
export const variantOf = (part: Pick<PriceCard, 'variants'> | undefined, when: Condition): Variant | undefined => {
  if (!part?.variants) return undefined;
  const key = conditionKey(when);
  return part.variants.find((each) => conditionKey(each.when) === key);
};

/** Returns all prices that a card states, by part. */
export const statedPrices = (card: PriceCard): Prices[] =>
  [card, ...(card.contextTiers ?? [])].flatMap(({ prices, variants = [] }) => [
    prices,
    ...variants.flatMap((variant) => (variant.prices ? [variant.prices] : [])),
  ]);

/** Whether a card has prices of its own for a condition, for prompts of any length. */
export const hasVariant = (card: PriceCard, when: Condition): boolean =>
  [card, ...(card.contextTiers ?? [])].some((part) => variantOf(part, when) !== undefined);

/** Whether a card has prices of its own for a condition, or for one of its facts. */
export const pricesCondition = (card: PriceCard, when: Condition): boolean =>
  hasVariant(card, when) || partsOf(when).some((part) => hasVariant(card, part));

/**
 * The prices of a card for one context tier and one condition. A context tier without prices of its own for a condition
 * uses the factor of the card; where there is no factor either, a long call costs what is higher: the standard price
 * of the context tier, or the price of a short call under the condition. A condition of several facts without prices of its
 * own costs what the first fact costs, times the factors of the others.
 * @param tier index of the context tier; -1 for calls below the first threshold
 */
export function ratesOf(card: PriceCard, tier: number, when: Condition | null): Rates {
  const rates = complete(pricesAt(card, tier, when, related));
  if (tier < 0) return rates;
  // A price that follows from others is no lower than for shorter prompts either.
  const before = ratesOf(card, tier - 1, when);
  const derived = [...priceFallbacks, ...cachedFallbacks].filter(([, whole]) => rates[whole] >= before[whole]);
  return { ...rates, ...Object.fromEntries(derived.map(([part]) => [part, Math.max(rates[part], before[part])])) };
}

/** Prices as a card states them, by which a card is checked: those that no tier names are those of the card. */
export const statedRatesOf = (card: PriceCard, tier: number, when: Condition | null): Rates =>
  complete(pricesAt(card, tier, when, (base, own) => ({ ...base, ...own })));

/** Puts the prices of a tier over those that it is based on. */
type Over = (base: Prices, own: Prices) => Prices;

function pricesAt(card: PriceCard, tier: number, when: Condition | null, over: Over): Prices {
  const context = card.contextTiers?.[tier];
  const standard = context ? over(card.prices, context.prices) : card.prices;
  if (!when) return standard;
  const ofCard = variantOf(card, when);
  const own = variantOf(context, when);
  if (own) return variantPrices(standard, own, over);
  if (!ofCard) return combinedPrices(card, tier, when, over) ?? standard;
  if (!context || ofCard.factor !== undefined) {
    return variantPrices(standard, context ? { factor: ofCard.factor ?? 1 } : ofCard, over);
  }
  return higher(complete(standard), complete(variantPrices(card.prices, ofCard, over)));
}

function combinedPrices(card: PriceCard, tier: number, when: Condition, over: Over): Prices | null {
  const [first, ...others] = partsOf(when);
  if (!first || others.length === 0) return null;
  const factor = others.reduce((product, part) => product * (variantOf(card, part)?.factor ?? 1), 1);
  return scaled(complete(pricesAt(card, tier, first, over)), factor);
}

const variantPrices = (standard: Prices, { factor, prices = {} }: Omit<Variant, 'when'>, over: Over): Prices =>
  over(scaled(standard, factor ?? 1), prices);

/** Returns the prices of a tier. Where it names a price but not one that is derived from it, the derived one keeps its ratio. */
function related(base: Prices, own: Prices): Prices {
  const prices: Partial<Record<Quantity, number>> = { ...base, ...own };
  const before = complete(base);
  for (const [part, whole] of [...priceFallbacks, ...cachedFallbacks]) {
    const given = base[part];
    if (own[part] !== undefined || given === undefined || before[whole] === 0) continue;
    // The whole may be based on another price itself.
    const now = complete(prices)[whole];
    if (now !== before[whole]) prices[part] = exact((given * now) / before[whole]);
  }
  return prices;
}

const higher = (left: Rates, right: Rates): Rates =>
  Object.fromEntries(quantities.map((name) => [name, Math.max(left[name], right[name])])) as Rates;

function complete(prices: Prices): Rates {
  const rates = Object.fromEntries(quantities.map((quantity) => [quantity, prices[quantity] ?? 0]));
  for (const [quantity, other] of priceFallbacks) {
    if (prices[quantity] === undefined) rates[quantity] = rates[other] ?? 0;
  }
  for (const [quantity, fresh] of cachedFallbacks) {
    if (prices[quantity] === undefined) rates[quantity] = cachedPrice(rates[fresh] ?? 0, rates as Rates);
  }
  return rates as Rates;
}

function cachedPrice(fresh: number, { input, cachedInput }: Rates): number {
  if (fresh === input) return cachedInput;
  return input > 0 ? exact((fresh * cachedInput) / input) : fresh;
}

function scaled(prices: Prices, factor: number): Prices {
  if (factor === 1) return prices;
  return Object.fromEntries(
    Object.entries(prices).map(([quantity, price]) => [
      quantity,
      isTokenQuantity(quantity as Quantity) ? exact(price * factor) : price,
    ]),
  );
}

/** Removes binary rounding errors: 0.1 x 3 is 0.3. Keeps twelve digits. */
export const exact = (value: number): number => Number(value.toPrecision(12));

/** Prompt tokens above which the context tiers of a card begin, lowest first. */
export const thresholdsOf = (card: PriceCard): number[] => (card.contextTiers ?? []).map(({ above }) => above);
