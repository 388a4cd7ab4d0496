import { setImmediate as nextTurn } from 'node:timers/promises';
import { isAppError } from '../../../shared/errors.js';
import { asFields, assertJsonBounds, type Fields } from '../../../shared/json.js';
import type { PriceCard } from '../../../shared/price-card.js';
import { CardCollector, PriceDocumentError, type SkippedModel } from './card-collector.js';
import { collectLiteLlm, isLiteLlm } from './litellm-document.js';
import { collectModelsDev, isModelsDev } from './models-dev-document.js';
import { collectPriceList, collectRatios, isPriceList, isRatios } from './new-api-document.js';
import { collectOpenRouter, isOpenRouter } from './openrouter-document.js';
import { collectCards, isCards } from './tollgate-document.js';
import { assertUniqueNames } from './unique-names.js';

/** The form of a list of prices, by its publisher. */
export const priceFormats = [
  'LITELLM',
  'MODELS_DEV',
  'OPENROUTER',
  'PRICE_LIST',
  'RATIO_CONFIG',
  'PRICE_CARDS',
] as const;
export type PriceFormat = (typeof priceFormats)[number];

/** Prices that were read from a document. */
export interface PriceDocument {
  readonly format: PriceFormat;
  /** Cards by the name of the model. */
  readonly cards: ReadonlyMap<string, PriceCard>;
  /** Models of the document that have no usable price. */
  readonly skipped: readonly SkippedModel[];
}

/** Maximum bytes. The largest published table has 2 MB. */
export const maxDocumentBytes = 10 * 1024 * 1024;
const modelsPerTurn = 50;
const bounds = { maxDepth: 16, maxValues: 600_000 };

interface Reader {
  readonly format: PriceFormat;
  matches(document: Fields): boolean;
  /** Collects the models. Yields after each one. */
  collect(document: Fields, into: CardCollector): Iterable<void>;
}

const readers: readonly Reader[] = [
  { format: 'OPENROUTER', matches: isOpenRouter, collect: collectOpenRouter },
  { format: 'PRICE_LIST', matches: isPriceList, collect: collectPriceList },
  { format: 'RATIO_CONFIG', matches: isRatios, collect: collectRatios },
  { format: 'LITELLM', matches: isLiteLlm, collect: collectLiteLlm },
  { format: 'MODELS_DEV', matches: isModelsDev, collect: collectModelsDev },
  { format: 'PRICE_CARDS', matches: isCards, collect: collectCards },
];

/**
 * Reads a list of prices. The content decides the format. One invalid price refuses the whole document, because such a
 * document is broken or forged; a model whose price cannot be expressed is skipped with a reason. Yields to other work
 * of the process between its steps.
 * @throws PriceDocumentError
 */
export async function readPriceDocument(bytes: Buffer): Promise<PriceDocument> {
  if (bytes.length > maxDocumentBytes) throw new PriceDocumentError('is too large');
  try {
    assertJsonBounds(bytes, bounds);
  } catch (error) {
    if (isAppError(error)) throw new PriceDocumentError('is nested too deeply or has too many values');
    throw error;
  }
  const text = toText(bytes);
  await nextTurn();
  const document = parse(text);
  await nextTurn();
  assertUniqueNames(text);
  await nextTurn();
  const reader = readers.find((one) => one.matches(document));
  if (!reader) throw new PriceDocumentError('is not a list of prices in a known format');
  const collector = new CardCollector();
  let models = 0;
  for (const _model of reader.collect(document, collector)) if (++models % modelsPerTurn === 0) await nextTurn();
  const { cards, skipped } = collector;
  if (cards.size === 0) throw new PriceDocumentError('has no model with a usable price');
  return { format: reader.format, cards, skipped };
}

function toText(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new PriceDocumentError('is not text in UTF-8');
  }
}

function parse(text: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new PriceDocumentError('is not JSON');
  }
  const fields = asFields(value);
  if (!fields) throw new PriceDocumentError('is not a JSON object');
  return fields;
}
