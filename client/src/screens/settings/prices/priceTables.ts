/** Model prices as stored in the settings: four tables by model name. Pure. */
export type Table = Readonly<Record<string, number>>;

export interface PriceTables {
  /** USD per call; such a model is not priced by tokens. */
  readonly price: Table;
  /** 1 is 2 USD per million prompt tokens. */
  readonly ratio: Table;
  readonly completion: Table;
}

export const priceKeys = { price: 'ModelPrice', ratio: 'ModelRatio', completion: 'CompletionRatio' } as const;

/** USD per million tokens at ratio 1. */
export const unitPriceFactor = 2;

export interface PriceRow {
  readonly model: string;
  readonly price: number | null;
  readonly ratio: number | null;
  readonly completion: number | null;
  readonly changed: boolean;
}

const isTable = (value: unknown): value is Table =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((one) => typeof one === 'number');

/** @returns null when a text is not a JSON object of numbers */
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
  return price && ratio && completion ? { price, ratio, completion } : null;
}

export const tableText = (table: Table): string => JSON.stringify(table, null, 2);

const of = (table: Table, model: string): number | null =>
  Object.hasOwn(table, model) ? (table[model] ?? null) : null;

/** All models of the tables, by name, with a mark for unsaved changes. */
export function priceRows(tables: PriceTables, saved: PriceTables): PriceRow[] {
  const models = new Set([...Object.keys(tables.price), ...Object.keys(tables.ratio)]);
  const names = Object.keys(priceKeys) as (keyof PriceTables)[];
  return [...models]
    .sort((left, right) => left.localeCompare(right, 'en'))
    .map((model) => ({
      model,
      price: of(tables.price, model),
      ratio: of(tables.ratio, model),
      completion: of(tables.completion, model),
      changed: names.some((name) => of(tables[name], model) !== of(saved[name], model)),
    }));
}

const omit = (table: Table, model: string): Table =>
  Object.fromEntries(Object.entries(table).filter(([name]) => name !== model));

/** Sets a fixed price, which removes both ratios. */
export const withFixedPrice = (tables: PriceTables, model: string, price: number): PriceTables => ({
  price: { ...tables.price, [model]: price },
  ratio: omit(tables.ratio, model),
  completion: omit(tables.completion, model),
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
});

export const withoutModel = (tables: PriceTables, model: string): PriceTables => ({
  price: omit(tables.price, model),
  ratio: omit(tables.ratio, model),
  completion: omit(tables.completion, model),
});

/** Removes binary rounding errors: `0.15 ÷ 2` is 0.075, not 0.07500000000000001. */
const exact = (value: number): number => Number(value.toPrecision(12));

export const ratioOfPrice = (input: number): number => exact(input / unitPriceFactor);
export const completionOfPrices = (input: number, output: number): number => exact(output / input);
export const inputPrice = (ratio: number): number => exact(ratio * unitPriceFactor);
export const outputPrice = (ratio: number, completion: number): number => exact(ratio * unitPriceFactor * completion);

/** Parses a typed number of at least zero; null if it is invalid. */
export function parseAmount(text: string): number | null {
  if (!/^\d{1,12}(\.\d{1,12})?$/.test(text.trim())) return null;
  return Number(text);
}
