import { parseAmount, type Card } from '../priceTables.js';
import { conditionKey, conditions, quantities, type Condition, type Quantity } from '../quantities.js';

/** Typed prices by quantity. An empty text means that there is no price. */
export type TypedPrices = Readonly<Partial<Record<Quantity, string>>>;

/** Prices under a condition while they are typed. */
export interface TypedVariant {
  readonly when: Condition;
  /** The factor; empty for none. */
  readonly factor: string;
  readonly prices: TypedPrices;
}

export interface TypedTier {
  readonly above: string;
  readonly prices: TypedPrices;
  readonly variants: readonly TypedVariant[];
}

/** A price card while it is typed. */
export interface CardForm {
  readonly prices: TypedPrices;
  readonly tiers: readonly TypedTier[];
  readonly scope: 'call' | 'excess';
  readonly variants: readonly TypedVariant[];
  readonly source: string;
  readonly asOf: string;
}

/** The error in a typed card. The texts are keys of `priceCard.problems`. */
export type CardProblem = 'number' | 'empty' | 'threshold' | 'rise' | 'cheaper' | 'date';

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

const typedPrices = (value: unknown): TypedPrices => {
  const given = fieldsOf(value);
  return Object.fromEntries(
    quantities.flatMap((quantity) => {
      const price = given[quantity];
      return typeof price === 'number' ? [[quantity, plain(price)]] : [];
    }),
  );
};

/** A number without an exponent, as it is typed. */
const plain = (value: number): string =>
  value !== 0 && value < 1e-6 ? value.toFixed(20).replace(/\.?0+$/, '') : String(value);

const typedVariants = (value: unknown): TypedVariant[] => {
  const given = (Array.isArray(value) ? (value as unknown[]) : []).map(fieldsOf);
  return conditions.flatMap((when) => {
    const found = given.find((each) => conditionKey(fieldsOf(each['when'])) === conditionKey(when));
    if (!found) return [];
    const { factor, prices } = found;
    return [{ when, factor: typeof factor === 'number' ? plain(factor) : '', prices: typedPrices(prices) }];
  });
};

export function toForm(card: Card): CardForm {
  const tiers = (Array.isArray(card['contextTiers']) ? card['contextTiers'] : []) as readonly unknown[];
  return {
    prices: typedPrices(card.prices),
    tiers: tiers.map((value) => {
      const { above, prices, variants } = fieldsOf(value);
      return { above: String(above), prices: typedPrices(prices), variants: typedVariants(variants) };
    }),
    scope: card['contextScope'] === 'excess' ? 'excess' : 'call',
    variants: typedVariants(card['variants']),
    source: typeof card['source'] === 'string' ? card['source'] : '',
    asOf: typeof card['asOf'] === 'string' ? card['asOf'] : '',
  };
}

class Problem extends Error {
  constructor(readonly problem: CardProblem) {
    super(problem);
  }
}

function amounts(typed: TypedPrices): Record<string, number> {
  const entries = Object.entries(typed).filter(([, text]) => text.trim() !== '');
  return Object.fromEntries(
    entries.map(([quantity, text]) => {
      const amount = parseAmount(text);
      if (amount === null) throw new Problem('number');
      return [quantity, amount];
    }),
  );
}

function variantsOf(typed: readonly TypedVariant[]): { readonly variants?: readonly object[] } {
  const variants = typed.map(({ when, factor, prices }) => {
    const amount = factor.trim() === '' ? undefined : parseAmount(factor);
    if (amount === null) throw new Problem('number');
    const own = amounts(prices);
    const isPriced = Object.keys(own).length > 0;
    return { when, ...(amount === undefined ? {} : { factor: amount }), ...(isPriced ? { prices: own } : {}) };
  });
  return variants.length > 0 ? { variants } : {};
}

/**
 * Returns the card of a form, or the reason why there is none. The server also checks conditions of long prompts.
 */
export function toCard(form: CardForm): { readonly card: Card } | { readonly problem: CardProblem } {
  try {
    const prices = amounts(form.prices);
    if (Object.keys(prices).length === 0) return { problem: 'empty' };
    if (form.asOf !== '' && !/^\d{4}-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?$/.test(form.asOf))
      return { problem: 'date' };
    let lower: Record<string, number> = prices;
    let threshold = 0;
    const contextTiers = form.tiers.map((tier) => {
      const above = /^\d{1,9}$/.test(tier.above.trim()) ? Number(tier.above) : 0;
      if (above < 1) throw new Problem('threshold');
      if (above <= threshold) throw new Problem('rise');
      threshold = above;
      const own = amounts(tier.prices);
      if (Object.entries(own).some(([quantity, price]) => price < (lower[quantity] ?? 0))) throw new Problem('cheaper');
      lower = { ...lower, ...own };
      return { above, prices: own, ...variantsOf(tier.variants) };
    });
    return {
      card: {
        prices,
        ...(contextTiers.length > 0 ? { contextTiers } : {}),
        ...(contextTiers.length > 0 && form.scope === 'excess' ? { contextScope: 'excess' } : {}),
        ...variantsOf(form.variants),
        ...(form.source.trim() === '' ? {} : { source: form.source.trim() }),
        ...(form.asOf === '' ? {} : { asOf: form.asOf }),
      },
    };
  } catch (error) {
    if (error instanceof Problem) return { problem: error.problem };
    throw error;
  }
}
