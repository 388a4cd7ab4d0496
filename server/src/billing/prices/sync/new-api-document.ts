import { asFields, type Fields } from '../../../shared/json.js';
import { exact, type PriceCard } from '../../../shared/price-card.js';
import { parsePriceCard, PriceCardError } from '../../../shared/price-card-input.js';
import { unpricedRatio } from '../price-book.js';
import { ruledCompletionRatio } from '../model-ratios.js';
import { amountOf, PriceDocumentError, withoutAbsent, type CardCollector } from './card-collector.js';
import { shown } from './unique-names.js';

/** USD per million tokens at ratio 1. */
const unitPrice = 2;

/** `/api/pricing` of new-api, of its relatives, and of Tollgate, which has cards beside the ratios. */
export const isPriceList = ({ data }: Fields): boolean =>
  Array.isArray(data) && typeof asFields(data[0])?.['model_name'] === 'string';

/** `/api/ratio_config` of new-api. */
export const isRatios = ({ data }: Fields): boolean => {
  const tables = asFields(data);
  return asFields(tables?.['model_ratio']) !== null || asFields(tables?.['model_price']) !== null;
};

/** The factors of a model, as both documents name them. */
interface Factors {
  readonly model_ratio?: unknown;
  readonly model_price?: unknown;
  readonly completion_ratio?: unknown;
  readonly cache_ratio?: unknown;
  readonly create_cache_ratio?: unknown;
  readonly image_ratio?: unknown;
  readonly audio_ratio?: unknown;
  readonly audio_completion_ratio?: unknown;
}

/** Reads `/api/pricing`. Yields after each model, so that large documents do not block. @throws PriceDocumentError */
export function* collectPriceList(document: Fields, into: CardCollector): Iterable<void> {
  const names = new Set<string>();
  const hasCards = (document['data'] as readonly unknown[]).some(
    (entry) => asFields(entry)?.['price_card'] !== undefined,
  );
  for (const value of document['data'] as readonly unknown[]) {
    const entry = asFields(value);
    const name = entry?.['model_name'];
    if (!entry || typeof name !== 'string') throw new PriceDocumentError('has an entry without a name');
    if (names.has(name)) throw new PriceDocumentError(`lists ${shown(name)} twice`);
    names.add(name);
    if (entry['price_card'] !== undefined) addCard(name, entry['price_card'], into);
    else if (hasCards || isUnpriced(entry)) into.skip(name, 'it has no price there');
    else if (typeof entry['billing_mode'] === 'string' && /expr/.test(entry['billing_mode'])) {
      into.skip(name, 'the price is an expression');
    } else if (entry['quota_type'] === 1) into.add(name, perCall(name, entry['model_price']));
    else into.add(name, perToken(name, entry));
    yield;
  }
}

/** The family of programs lists models without a price at a ratio that is meant to deter. */
const isUnpriced = (entry: Fields): boolean => entry['quota_type'] !== 1 && entry['model_ratio'] === unpricedRatio;

/** Reads `/api/ratio_config`, as `collectPriceList`. @throws PriceDocumentError */
export function* collectRatios(document: Fields, into: CardCollector): Iterable<void> {
  const data = asFields(document['data']) ?? {};
  const tables = Object.entries(data).flatMap(([table, value]) => {
    const fields = asFields(value);
    return fields ? [[table, fields] as const] : [];
  });
  const of = (table: string): Fields => tables.find(([name]) => name === table)?.[1] ?? {};
  const fixed = of('model_price');
  for (const [name, price] of Object.entries(fixed)) into.add(name, perCall(name, price));
  for (const name of Object.keys(of('model_ratio'))) {
    if (Object.hasOwn(fixed, name)) continue;
    const factors = tables.filter(([, values]) => Object.hasOwn(values, name));
    into.add(name, perToken(name, Object.fromEntries(factors.map(([table, values]) => [table, values[name]]))));
    yield;
  }
}

const perCall = (name: string, price: unknown): PriceCard => ({
  prices: { request: amountOf(price, name, 'model_price') },
});

/** Absent ratios are those that the family of programs has built in. */
function perToken(name: string, factors: Factors): PriceCard {
  const ratio = amountOf(factors.model_ratio, name, 'model_ratio');
  const price = (factor: number | undefined): number | undefined =>
    factor === undefined ? undefined : exact(ratio * unitPrice * factor);
  const factor = (field: keyof Factors): number | undefined =>
    factors[field] === undefined || factors[field] === null ? undefined : amountOf(factors[field], name, field);
  const written = factor('create_cache_ratio') ?? (name.includes('claude') ? 1.25 : undefined);
  const audio = factor('audio_ratio');
  const audioOutput = factor('audio_completion_ratio');
  return {
    prices: withoutAbsent({
      input: price(1),
      cachedInput: price(factor('cache_ratio')),
      cacheWrite: price(written),
      // Kept for an hour: 6 / 3.75 of the price for five minutes.
      cacheWrite1h: written === undefined ? undefined : price(written * 1.6),
      output: price(factor('completion_ratio') ?? ruledCompletionRatio(name).ratio),
      imageInput: price(factor('image_ratio')),
      audioInput: price(audio),
      audioOutput: audio === undefined || audioOutput === undefined ? undefined : price(audio * audioOutput),
    }),
  };
}

/**
 * A card of another Tollgate. Its own source and date stay there.
 * @throws PriceDocumentError when it is no card
 */
export function addCard(name: string, value: unknown, into: CardCollector, isPrefix = false): void {
  let card: PriceCard;
  try {
    card = parsePriceCard(value);
  } catch (error) {
    if (error instanceof PriceCardError) throw new PriceDocumentError(`has a card that is no card: ${shown(name)}`);
    throw error;
  }
  const { source: _source, asOf: _asOf, ...prices } = card;
  into.add(name, prices, { isPrefix });
}
