import { asFields, type Fields } from '../../../shared/json.js';
import type { ContextTier, PriceCard, Quantity } from '../../../shared/price-card.js';
import {
  amountOf,
  amountOfText,
  PriceDocumentError,
  withoutAbsent,
  type CardCollector,
  type MutablePrices,
} from './card-collector.js';
import { afterSlash, isMaker } from './provider-names.js';
import { shown } from './unique-names.js';

/** Whether the document is OpenRouter's `/api/v1/models`: USD per token or unit, as texts. */
export const isOpenRouter = ({ data }: Fields): boolean => {
  const [first] = Array.isArray(data) ? (data as readonly unknown[]) : [];
  const entry = asFields(first);
  return typeof entry?.['id'] === 'string' && asFields(entry['pricing']) !== null;
};

const perMillion = 1_000_000;

const fields: ReadonlyArray<readonly [field: string, quantity: Quantity, factor: number]> = [
  ['prompt', 'input', perMillion],
  ['completion', 'output', perMillion],
  ['internal_reasoning', 'reasoning', perMillion],
  ['input_cache_read', 'cachedInput', perMillion],
  ['input_cache_write', 'cacheWrite', perMillion],
  ['audio', 'audioInput', perMillion],
  ['input_audio_cache', 'cachedAudioInput', perMillion],
  ['audio_output', 'audioOutput', perMillion],
  ['image_token', 'imageInput', perMillion],
  ['image_output', 'imageOutput', perMillion],
  ['web_search', 'webSearch', 1],
  ['request', 'request', 1],
];

/** Prices that the list states as 0 when the provider has none of its own. */
const absentWhenZero = new Set<string>([
  'reasoning',
  'request',
  'webSearch',
  'imageInput',
  'imageOutput',
] satisfies Quantity[]);

/**
 * Collects every model by its id; the provider's own models by their plain name, too.
 * @throws PriceDocumentError for an entry without a name or a price
 */
export function* collectOpenRouter(document: Fields, into: CardCollector): Iterable<void> {
  const ids = new Set<string>();
  for (const value of document['data'] as readonly unknown[]) {
    const entry = asFields(value);
    const { id } = entry ?? {};
    const pricing = asFields(entry?.['pricing']);
    if (typeof id !== 'string' || !pricing) throw new PriceDocumentError('has an entry without a name or a price');
    if (ids.has(id)) throw new PriceDocumentError(`lists ${shown(id)} twice`);
    ids.add(id);
    // Routers have no price of their own: they state -1.
    if (pricing['prompt'] === '-1' && pricing['completion'] === '-1') into.skip(id, 'the price depends on the call');
    else addModel(id, toCard(id, pricing), into);
    yield;
  }
}

function addModel(id: string, card: PriceCard, into: CardCollector): void {
  into.add(id, card);
  const [maker = ''] = id.split('/');
  const plain = afterSlash(id);
  // Variants such as `:free` have no name at the provider.
  if (!plain || plain.includes(':') || !isMaker(maker)) return;
  // Anthropic's own names have dashes: claude-sonnet-4-5.
  into.add(maker === 'anthropic' ? plain.replaceAll('.', '-') : plain, card, { rank: 2 });
}

function toCard(id: string, pricing: Fields): PriceCard {
  const contextTiers = tiersOf(id, pricing);
  return { prices: pricesOf(id, pricing), ...(contextTiers.length > 0 ? { contextTiers } : {}) };
}

/** Reads `overrides`: prices of long prompts. */
function tiersOf(id: string, pricing: Fields): ContextTier[] {
  if (!Array.isArray(pricing['overrides'])) return [];
  return (pricing['overrides'] as readonly unknown[])
    .map(asFields)
    .filter((tier) => tier !== null && tier['min_prompt_tokens'] !== undefined)
    .map((tier) => ({
      above: Math.round(amountOf(tier?.['min_prompt_tokens'], id, 'min_prompt_tokens', 1 / perMillion) * perMillion),
      prices: pricesOf(id, tier ?? {}),
    }))
    .sort((left, right) => left.above - right.above);
}

function pricesOf(id: string, pricing: Fields): MutablePrices {
  const prices = withoutAbsent(
    Object.fromEntries(
      fields.map(([field, quantity, factor]) => [quantity, amountOfText(pricing[field], id, field, factor)]),
    ),
  );
  return Object.fromEntries(
    Object.entries(prices).filter(([quantity, price]) => price !== 0 || !absentWhenZero.has(quantity)),
  );
}
