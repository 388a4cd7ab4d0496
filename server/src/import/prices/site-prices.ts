import { familyOf } from '../../dialects/makers/charging.js';
import { hourRatio, type Price, priceOfRatios, PriceBook } from '../../billing/prices/index.js';
import { defaultOptionValues, optionText, parseOption, type OptionValues } from '../../options/option-registry.js';
import { AppError } from '../../shared/errors.js';
import { exact, type PriceCard } from '../../shared/price-card.js';
import type { SourcePrice } from './source-price.js';

/** Options that are tables of prices. */
export const priceTables = ['ModelRatio', 'ModelPrice', 'CompletionRatio', 'CacheRatio'] as const;
type TableKey = (typeof priceTables)[number];

const cacheWriteHere = 1.25;

/** The result of adopting prices. */
export interface Adopted {
  /** Models whose price had to be written. */
  readonly written: ReadonlySet<string>;
  /** Models whose price cannot be written as it is, with the reason. */
  readonly refused: ReadonlyMap<string, string>;
}

/** Builds the price settings of this site. */
export class SitePrices {
  private readonly tables = new Map<TableKey, Map<string, number>>();
  private readonly cards = new Map<string, PriceCard>();
  private readonly changed = new Set<string>();

  /** @param saved values of the source that this site accepts */
  constructor(private readonly saved: Partial<OptionValues>) {
    const values = { ...defaultOptionValues(), ...saved };
    for (const key of priceTables) this.tables.set(key, new Map(Object.entries(values[key])));
  }

  /** Makes each model cost what it costs in the source. */
  adopt(prices: ReadonlyMap<string, SourcePrice>): Adopted {
    const missing = (): Array<[string, SourcePrice]> => {
      const book = new PriceBook({ values: this.values() });
      return [...prices].filter(([model, price]) => !isSame(book.find(model, ''), price));
    };
    const differing = missing();
    for (const [model, price] of differing) this.put(familyOf(model), price);
    // The tables cannot express every price, because some rules take precedence over them. These models get a price
    // card.
    const refused = new Map<string, string>();
    for (const [model, price] of missing()) {
      const reason = this.putCard(familyOf(model), price);
      if (reason !== null) refused.set(model, reason);
    }
    return { written: new Set(differing.map(([model]) => model)), refused };
  }

  values(): OptionValues {
    const values = { ...defaultOptionValues(), ...this.saved };
    for (const [key, table] of this.tables) Object.assign(values, { [key]: parseOption(key, textOf(table)) });
    return { ...values, PriceCards: parseOption('PriceCards', textOf(this.cards)) };
  }

  /** Returns the tables to store, by option key. */
  texts(): Map<string, string> {
    const values = this.values();
    const keys = [...priceTables, 'PriceCards' as const];
    return new Map(
      keys.filter((key) => this.changed.has(key) || this.saved[key]).map((key) => [key, optionText(key, values[key])]),
    );
  }

  private put(model: string, price: SourcePrice): void {
    if (price.kind === 'card') return;
    const entries: Array<[TableKey, number]> =
      price.kind === 'call'
        ? [['ModelPrice', price.usd]]
        : [
            ['ModelRatio', price.model],
            ['CompletionRatio', price.completion],
            ['CacheRatio', price.cache],
          ];
    if (entries.some(([key, value]) => refusalOf(key, { [model]: value }) !== null)) return;
    if (price.kind === 'ratio') {
      this.table('ModelPrice').delete(model);
      this.changed.add('ModelPrice');
    }
    for (const [key, value] of entries) this.set(key, model, value);
  }

  /**
   * Writes a price card. A card whose long prompts are refused is written without them.
   * @returns why the price cannot be written as it is; null if it can
   */
  private putCard(model: string, price: SourcePrice): string | null {
    const { QuotaPerUnit } = { ...defaultOptionValues(), ...this.saved };
    const whole = price.kind === 'card' ? price.card : cardOfSource(price, QuotaPerUnit);
    const reason = refusalOf('PriceCards', { [model]: whole });
    const { contextTiers: _tiers, ...rest } = whole;
    const card = reason === null ? whole : rest;
    if (reason !== null && refusalOf('PriceCards', { [model]: card }) !== null) return reason;
    this.cards.set(model, card);
    this.changed.add('PriceCards');
    return reason;
  }

  private set(key: TableKey, model: string, value: number): void {
    this.table(key).set(model, value);
    this.changed.add(key);
  }

  private table(key: TableKey): Map<string, number> {
    return this.tables.get(key) ?? new Map<string, number>();
  }
}

/** Returns why this product refuses a table; null if it accepts it. */
function refusalOf(key: TableKey | 'PriceCards', table: Readonly<Record<string, unknown>>): string | null {
  try {
    parseOption(key, JSON.stringify(table));
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.message;
  }
}

const textOf = (table: ReadonlyMap<string, unknown>): string => JSON.stringify(Object.fromEntries(table));

const near = (here: number, there: number | undefined): boolean =>
  there === undefined || Math.abs(here - there) <= 1e-9 * Math.max(1, Math.abs(there));

function isSame(here: Price | null, there: SourcePrice): boolean {
  if (here?.source !== 'table' || there.kind === 'card') return false;
  const { shown } = here;
  if (there.kind === 'call') return near(shown.modelPrice, there.usd);
  if (shown.modelPrice >= 0 || !near(shown.modelRatio, there.model)) return false;
  if (there.model === 0) return true;
  return (
    there.image === undefined &&
    near(shown.completionRatio, there.completion) &&
    near(shown.cacheRatio, there.cache) &&
    near(shown.cacheWriteRatio, there.cacheWrite) &&
    near(hourRatio(shown.cacheWriteRatio), there.cacheWrite1h) &&
    near(shown.audioRatio, there.audio) &&
    near(shown.audioCompletionRatio, there.audioOutput)
  );
}

/** Returns a price card that results in the same charge. */
function cardOfSource(price: Exclude<SourcePrice, { kind: 'card' }>, quotaPerUnit: number): PriceCard {
  if (price.kind === 'call') return { prices: { request: price.usd } };
  const { model, completion, cache, cacheWrite = cacheWriteHere, audio, audioOutput = 1, image } = price;
  const ratios = {
    modelRatio: model,
    completionRatio: completion,
    cacheRatio: cache,
    cacheWriteRatio: cacheWrite,
    audioRatio: 1,
    audioCompletionRatio: 1,
  };
  const { prices } = priceOfRatios('', ratios, { groupRatio: 1 }, quotaPerUnit).card;
  const usd = (factor: number): number => exact((prices.input ?? 0) * factor);
  return {
    prices: {
      ...prices,
      ...(price.cacheWrite1h === undefined ? null : { cacheWrite1h: usd(price.cacheWrite1h) }),
      ...(audio === undefined ? null : { audioInput: usd(audio), audioOutput: usd(audio * audioOutput) }),
      ...(image === undefined ? null : { imageInput: usd(image) }),
    },
  };
}
