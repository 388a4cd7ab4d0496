/** Functions on model prices as stored in the settings: four tables by model name. */
export type Table = Readonly<Record<string, number>>;

export interface PriceTables {
  /** USD per call; such a model is not priced by tokens. */
  readonly price: Table;
  /** 1 is 2 USD per million prompt tokens. */
  readonly ratio: Table;
  readonly completion: Table;
  /**
   * Price cards by model, or prefix that ends with `*`. They take precedence over the other tables. Absent: there are
   * none.
   */
  readonly cards?: Cards;
}

/** A price card as it is stored; `built-in` stands for the list price. Fields that are not edited here stay as they are. */
export type Card = { readonly prices?: Readonly<Record<string, number>> } & Readonly<Record<string, unknown>>;
export type Cards = Readonly<Record<string, Card | 'built-in'>>;

export const priceKeys = {
  price: 'ModelPrice',
  ratio: 'ModelRatio',
  completion: 'CompletionRatio',
  cards: 'PriceCards',
} as const;

/** USD per million tokens at ratio 1. */
export const unitPriceFactor = 2;

export interface PriceRow {
  readonly model: string;
  readonly price: number | null;
  readonly ratio: number | null;
  readonly completion: number | null;
  readonly changed: boolean;
  /** The figures of a price card. If present, the card prices the model, and the other fields are ignored. */
  readonly card?: CardFigures;
}

/** USD per million tokens by a card; null where the card has no such price. */
export interface CardFigures {
  readonly input: number | null;
  /** The price of cached input. Null when cached input costs the same as input. */
  readonly cachedInput: number | null;
  readonly output: number | null;
  /** The list price of the provider, not the operator's own card. */
  readonly isList: boolean;
  readonly asOf: string | null;
  readonly isOld: boolean;
  /** The source of the prices: a URL or a short text. */
  readonly source?: string;
}

/** The price that the server charges for a model by a card. */
export interface ListPrice {
  readonly model: string;
  readonly figures: CardFigures;
  /** The whole card. */
  readonly card: Card;
}

const isTable = (value: unknown): value is Table =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((one) => typeof one === 'number');

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @returns null when the text is not a JSON object of cards */
function parseCards(text: string): Cards | null {
  try {
    const value: unknown = JSON.parse(text.trim() || '{}');
    return isObject(value) && Object.values(value).every((one) => one === 'built-in' || isObject(one))
      ? (value as Cards)
      : null;
  } catch {
    return null;
  }
}

/** @returns null when a text is not a JSON object of numbers, or of cards */
export function parseTables(read: (key: string) => string): PriceTables | null {
  const parse = (key: string): Table | null => {
    try {
      const value: unknown = JSON.parse(read(key).trim() || '{}');
      return isTable(value) ? value : null;
    } catch {
      return null;
    }
  };
  const [price, ratio, completion] = [parse(priceKeys.price), parse(priceKeys.ratio), parse(priceKeys.completion)];
  const cards = parseCards(read(priceKeys.cards));
  if (!price || !ratio || !completion || !cards) return null;
  return { price, ratio, completion, ...(Object.keys(cards).length > 0 ? { cards } : {}) };
}

export const tableText = (table: Table | Cards): string => JSON.stringify(table, null, 2);

const of = (table: Table, model: string): number | null =>
  Object.hasOwn(table, model) ? (table[model] ?? null) : null;

/**
 * Returns all models of the tables, and those that are sold at list price, by name, with a mark for unsaved changes.
 * @param listed list prices by name
 */
export function priceRows(
  tables: PriceTables,
  saved: PriceTables,
  listed: ReadonlyMap<string, ListPrice> = new Map(),
): PriceRow[] {
  const models = new Set([
    ...Object.keys(tables.price),
    ...Object.keys(tables.ratio),
    ...Object.keys(tables.cards ?? {}),
    ...listed.keys(),
  ]);
  const names = ['price', 'ratio', 'completion'] as const;
  return [...models]
    .sort((left, right) => left.localeCompare(right, 'en'))
    .map((model) => {
      const card = cardOf(tables, model, listed);
      return {
        model,
        price: of(tables.price, model),
        ratio: of(tables.ratio, model),
        completion: of(tables.completion, model),
        changed:
          names.some((name) => of(tables[name], model) !== of(saved[name], model)) ||
          JSON.stringify(tables.cards?.[model]) !== JSON.stringify(saved.cards?.[model]),
        ...(card ? { card } : {}),
      };
    });
}

const oldAfterMilliseconds = 90 * 86_400_000;

/** Whether a month or a day is more than 90 days ago. */
export const isOldDate = (asOf: string | null, now = Date.now()): boolean =>
  asOf !== null && now - Date.parse(asOf) > oldAfterMilliseconds;

/** Returns the operator's card for the name, or else the list price if no other table has the name. */
function cardOf(tables: PriceTables, model: string, listed: ReadonlyMap<string, ListPrice>): CardFigures | undefined {
  const own = tables.cards && Object.hasOwn(tables.cards, model) ? tables.cards[model] : undefined;
  if (isObject(own)) {
    const { input = null, cachedInput = null, output = null } = own.prices ?? {};
    const asOf = typeof own['asOf'] === 'string' ? own['asOf'] : null;
    const source = typeof own['source'] === 'string' ? { source: own['source'] } : {};
    return { input, cachedInput, output, isList: false, asOf, isOld: isOldDate(asOf), ...source };
  }
  const isInTables = of(tables.price, model) !== null || of(tables.ratio, model) !== null;
  return own === 'built-in' || !isInTables ? listed.get(model)?.figures : undefined;
}

const omit = <T>(table: Readonly<Record<string, T>>, model: string): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(table).filter(([name]) => name !== model));

/** The tables without the model's card. Tables without cards stay as they are. */
const withoutCard = (tables: PriceTables, model: string): { readonly cards?: Cards } =>
  tables.cards ? { cards: omit(tables.cards, model) } : {};

/**
 * Sets prices in USD per million tokens. They become a card, which takes precedence over the other tables. Other prices
 * of the card stay. Prices of long prompts stay if they are not lower.
 * @param prices `cachedInput`: null removes the price, so that cached input costs the same as input; undefined keeps it
 * @param base the card that prices the model so far
 */
export function withCardPrices(
  tables: PriceTables,
  model: string,
  prices: { readonly input: number; readonly output: number; readonly cachedInput?: number | null },
  base: Card | undefined,
): PriceTables {
  const own = tables.cards?.[model];
  const { source: _source, asOf: _asOf, ...kept } = (isObject(own) ? own : base) ?? {};
  const tiers = (Array.isArray(kept['contextTiers']) ? kept['contextTiers'] : []) as readonly Card[];
  const { input, output, cachedInput = (kept as Card).prices?.['cachedInput'] ?? null } = prices;
  const raised = tiers.map((tier) => {
    const cached = tier.prices?.['cachedInput'];
    return {
      ...tier,
      prices: {
        ...tier.prices,
        input: Math.max(tier.prices?.['input'] ?? 0, input),
        ...(cached === undefined ? {} : { cachedInput: Math.max(cached, cachedInput ?? input) }),
        output: Math.max(tier.prices?.['output'] ?? 0, output),
      },
    };
  });
  const { cachedInput: _cachedInput, ...others } = (kept as Card).prices ?? {};
  const card: Card = {
    ...kept,
    prices: { ...others, input, ...(cachedInput === null ? {} : { cachedInput }), output },
    ...(raised.length > 0 ? { contextTiers: raised } : {}),
  };
  return { ...tables, cards: { ...tables.cards, [model]: card } };
}

/** Sets a fixed price, which removes both ratios. */
export const withFixedPrice = (tables: PriceTables, model: string, price: number): PriceTables => ({
  price: { ...tables.price, [model]: price },
  ratio: omit(tables.ratio, model),
  completion: omit(tables.completion, model),
  ...withoutCard(tables, model),
});

/** Sets ratios, which removes a fixed price. @param completion null uses the built-in completion ratio */
export const withRatios = (
  tables: PriceTables,
  model: string,
  ratio: number,
  completion: number | null,
): PriceTables => ({
  price: omit(tables.price, model),
  ratio: { ...tables.ratio, [model]: ratio },
  completion: completion === null ? omit(tables.completion, model) : { ...tables.completion, [model]: completion },
  ...withoutCard(tables, model),
});

/** Returns the source of a model's price. */
export const originOf = ({ card }: PriceRow): 'table' | 'card' | 'list' =>
  card === undefined ? 'table' : card.isList ? 'list' : 'card';

/** Sets the whole card of a model. */
export const withCard = (tables: PriceTables, model: string, card: Card): PriceTables => ({
  ...tables,
  cards: { ...tables.cards, [model]: card },
});

/** Uses the list price. A model that the older tables have needs a mark for that. */
export const withListPrice = (tables: PriceTables, model: string): PriceTables =>
  of(tables.price, model) !== null || of(tables.ratio, model) !== null
    ? { ...tables, cards: { ...tables.cards, [model]: 'built-in' } }
    : { ...tables, ...withoutCard(tables, model) };

/** Selects the ratios of the tables, or else the ratios of the card. */
export function withTables(tables: PriceTables, { model, card, price, ratio }: PriceRow): PriceTables {
  if (price !== null || ratio !== null) return { ...tables, ...withoutCard(tables, model) };
  const { input, output } = card ?? { input: null, output: null };
  return withRatios(
    tables,
    model,
    input ? ratioOfPrice(input) : 1,
    input && output !== null ? completionOfPrices(input, output) : null,
  );
}

export const withoutModel = (tables: PriceTables, model: string): PriceTables => ({
  price: omit(tables.price, model),
  ratio: omit(tables.ratio, model),
  completion: omit(tables.completion, model),
  ...withoutCard(tables, model),
});

/** Removes binary rounding errors: `0.15 ÷ 2` becomes 0.075, not 0.07500000000000001. */
const exact = (value: number): number => Number(value.toPrecision(12));

export const ratioOfPrice = (input: number): number => exact(input / unitPriceFactor);
export const completionOfPrices = (input: number, output: number): number => exact(output / input);
export const inputPrice = (ratio: number): number => exact(ratio * unitPriceFactor);
export const outputPrice = (ratio: number, completion: number): number => exact(ratio * unitPriceFactor * completion);

/** Parses a typed number of at least zero, with as many decimals as a stored price may have; null if it is invalid. */
export function parseAmount(text: string): number | null {
  if (!/^\d{1,12}(\.\d{1,24})?$/.test(text.trim())) return null;
  return Number(text);
}
