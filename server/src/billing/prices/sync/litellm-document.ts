import { asFields, type Fields } from '../../../shared/json.js';
import {
  exact,
  isTokenQuantity,
  type ContextTier,
  type PriceCard,
  type Prices,
  type Quantity,
  type Variant,
} from '../../../shared/price-card.js';
import { type Condition, conditionKey, resolutionNamed } from '../../../shared/price-condition.js';
import { mergedVariants } from './card-parts.js';
import { amountOf, hasTokenPrice, type CardCollector, type MutablePrices } from './card-collector.js';
import { afterSlash, isMaker, rankOf } from './provider-names.js';

/** Names of fields count tokens in thousands. */
const thousand = 1000;

/** LiteLLM's `model_prices_and_context_window.json`: USD per token or unit, by model. */
export const isLiteLlm = (document: Fields): boolean =>
  Object.values(document).some((entry) => typeof asFields(entry)?.['litellm_provider'] === 'string');

const perMillion = 1_000_000;

/** Fields with a price per token. Each may have `_above_<n>k_tokens` and the name of a service tier at its end. */
const tokenFields: Readonly<Record<string, Quantity>> = {
  input_cost_per_token: 'input',
  output_cost_per_token: 'output',
  cache_read_input_token_cost: 'cachedInput',
  input_cost_per_token_cache_hit: 'cachedInput',
  cache_creation_input_token_cost: 'cacheWrite',
  cache_creation_input_token_cost_above_1hr: 'cacheWrite1h',
  cache_creation_input_token_cost_above_12hr: 'cacheWrite1h',
  output_cost_per_reasoning_token: 'reasoning',
  input_cost_per_audio_token: 'audioInput',
  cache_read_input_audio_token_cost: 'cachedAudioInput',
  output_cost_per_audio_token: 'audioOutput',
  input_cost_per_image_token: 'imageInput',
  cache_read_input_image_token_cost: 'cachedImageInput',
  output_cost_per_image_token: 'imageOutput',
};

/** Fields with a price per unit, and their factor. */
const unitFields: Readonly<Record<string, readonly [Quantity, number]>> = {
  input_cost_per_character: ['character', 1],
  ocr_cost_per_page: ['page', 1],
  input_cost_per_query: ['request', 1],
  input_cost_per_request: ['request', 1],
  code_interpreter_cost_per_session: ['codeExecution', 1],
  file_search_cost_per_1k_calls: ['fileSearch', 0.001],
};

/**
 * Prices of a whole result. They count if tokens have no price: a table may list both for the same call. An image with
 * which a video begins has no separate charge, so its price is left out.
 */
const resultFields: ReadonlyArray<readonly [field: string, quantity: Quantity, modes: readonly string[]]> = [
  ['output_cost_per_image', 'image', ['image_generation', 'image_edit']],
  ['input_cost_per_image', 'image', ['image_generation', 'image_edit']],
  ['output_cost_per_second', 'second', ['video_generation', 'audio_speech']],
  ['output_cost_per_video_per_second', 'second', ['video_generation']],
  ['input_cost_per_second', 'second', ['realtime']],
];

/** Matches models that search in each call. Their providers report no searches. */
const searchesAlways = /(?:^|\/)sonar(?!-deep-research)|search-(?:preview|api)/;

const tiers: Readonly<Record<string, Condition>> = {
  flex: { tier: 'flex' },
  priority: { tier: 'priority' },
  batches: { tier: 'batch' },
  fast: { tier: 'fast' },
  ultrafast: { tier: 'ultrafast' },
};

const suffix = /^(.*?)(?:_above_(\d{1,6})k_tokens)?(?:_(flex|priority|batches|fast|ultrafast))?$/;

/**
 * Collects every model with its tiers. `provider/model` is also offered as `model` if it is the provider's own price.
 */
export function* collectLiteLlm(document: Fields, into: CardCollector): Iterable<void> {
  for (const [name, value] of Object.entries(document)) {
    const entry = asFields(value);
    // This entry explains the fields.
    if (name === 'sample_spec' || !entry) continue;
    const card = toCard(name, entry);
    const provider = typeof entry['litellm_provider'] === 'string' ? entry['litellm_provider'] : '';
    // Other prefixes are part of the name: a size of images, a cloud, a region.
    const plain = isMaker(name.split('/')[0] ?? '') && isMaker(provider) ? afterSlash(name) : null;
    const rank = plain !== null ? rankOf(provider, plain) : isMaker(provider) ? 0 : 2;
    if (card) into.add(plain ?? name, card, { rank });
    else into.skip(plain ?? name, 'the document has no price for it');
    yield;
  }
}

function toCard(name: string, entry: Fields): PriceCard | null {
  const reading = new Reading();
  for (const [field, value] of Object.entries(entry)) {
    const [, base = '', thousands, tier] = suffix.exec(field) ?? [];
    const token = tokenFields[base];
    const unit = unitFields[base];
    if (!token && !unit) continue;
    const price = token
      ? amountOf(value, name, field, perMillion)
      : amountOf(value, name, field, (unit ?? ['request', 1])[1]);
    const quantity = token ?? (unit ?? ['request', 1])[0];
    const place = reading.prices(thousands ? Number(thousands) * thousand : 0, tier ? tiers[tier] : undefined);
    // The provider's own field for cached prompts is older than the common one.
    if (base === 'input_cost_per_token_cache_hit' && place[quantity] !== undefined) continue;
    place[quantity] = price;
  }
  readRanges(name, entry, reading);
  readSearch(name, entry, reading);
  readMaps(name, entry, reading.prices(0));
  readResults(name, entry, reading.prices(0));
  // Transcripts are charged by their length. A table may also state the resulting price of their tokens.
  const seconds = entry['mode'] === 'audio_transcription' ? entry['input_cost_per_second'] : undefined;
  const second = seconds === undefined ? 0 : amountOf(seconds, name, 'input_cost_per_second');
  if (second > 0) return { prices: { second } };
  const card = withResolutions(name, entry, reading.toCard());
  const factors = asFields(entry['provider_specific_entry']) ?? {};
  const stated = ownFactors.filter(([field]) => factors[field] !== undefined);
  if (!card || stated.length === 0) return card;
  const found = stated.map(([field, when]) => ({ when, factor: amountOf(factors[field], name, field) }));
  return { ...card, ...mergedVariants(card.variants, found) };
}

/** Adds prices of a second of video by resolution. */
function withResolutions(name: string, entry: Fields, card: PriceCard | null): PriceCard | null {
  if (card?.prices.second === undefined || entry['mode'] !== 'video_generation') return card;
  const found = Object.entries(entry).flatMap(([field, value]): Variant[] => {
    const resolution = resolutionNamed(/^output_cost_per_second_(.+)$/.exec(field)?.[1]);
    const price = resolution ? amountOf(value, name, field) : 0;
    return resolution && price > 0 ? [{ when: { resolution }, prices: { second: price } }] : [];
  });
  return { ...card, ...mergedVariants(card.variants, found) };
}

/** Conditions of Anthropic's models whose prices are stated as a factor. */
const ownFactors: ReadonlyArray<readonly [field: string, when: Condition]> = [
  ['fast', { tier: 'fast' }],
  ['us', { region: 'us' }],
];

/** Reads `tiered_pricing`: prices by the range of the prompt, from 0 upwards. */
function readRanges(name: string, entry: Fields, reading: Reading): void {
  if (!Array.isArray(entry['tiered_pricing'])) return;
  for (const value of entry['tiered_pricing'] as readonly unknown[]) {
    const tier = asFields(value);
    const [from] = Array.isArray(tier?.['range']) ? (tier['range'] as readonly unknown[]) : [];
    if (!tier || typeof from !== 'number') continue;
    const place = reading.prices(Math.round(amountOf(from, name, 'range', 1 / perMillion) * perMillion));
    for (const [field, quantity] of Object.entries(tokenFields)) {
      if (tier[field] !== undefined) place[quantity] = amountOf(tier[field], name, field, perMillion);
    }
  }
}

/**
 * Reads the price of searches: Gemini's older models are charged by the prompt that a search grounds, models that
 * always search by the request, all others by the search.
 */
function readSearch(name: string, entry: Fields, reading: Reading): void {
  const costs = asFields(entry['search_context_cost_per_query']);
  if (!costs) return;
  // The default context size of the provider comes first.
  const usual = entry['litellm_provider'] === 'perplexity' ? ['low', 'medium', 'high'] : ['medium', 'low', 'high'];
  const field = usual.map((size) => `search_context_size_${size}`).find((each) => costs[each] !== undefined);
  if (!field) return;
  const isGoogle = /^(?:gemini|vertex_ai)/.test(String(entry['litellm_provider'])) && /gemini/.test(name);
  const byPrompt = isGoogle && entry['web_search_billing_unit'] !== 'per_query';
  const quantity = byPrompt ? 'groundedPrompt' : searchesAlways.test(name) ? 'request' : 'webSearch';
  const price = amountOf(costs[field], name, field);
  reading.prices(0)[quantity] = price;
  for (const size of ['medium', 'high'] as const) {
    const larger = costs[`search_context_size_${size}`];
    if (quantity !== 'request' || larger === undefined || larger === price) continue;
    reading.prices(0, { searchSize: size })[quantity] = amountOf(larger, name, field);
  }
}

/** Reads the price of Google Maps, if it differs from the price of a web search. */
function readMaps(name: string, entry: Fields, prices: MutablePrices): void {
  const cost = entry['google_maps_grounding_cost_per_query'];
  if (cost === undefined || entry['web_search_billing_unit'] === 'per_query') return;
  prices.mapsPrompt = amountOf(cost, name, 'google_maps_grounding_cost_per_query');
}

function readResults(name: string, entry: Fields, prices: MutablePrices): void {
  const isByToken = hasTokenPrice(prices);
  for (const [field, quantity, modes] of resultFields) {
    if (entry[field] === undefined || !modes.includes(String(entry['mode']))) continue;
    const price = amountOf(entry[field], name, field);
    if (!isByToken && price > 0) prices[quantity] ??= price;
  }
}

/**
 * Returns the variant of a condition. Prices that the table leaves out, such as of an hour's cache write, have the
 * same relation to the standard price as the input. A factor expresses the same if there is no context tier; otherwise
 * it would also lower prices of long prompts that the table does not state.
 */
function toVariant(when: Condition, standard: Prices, prices: Prices, isFlat: boolean): Variant {
  const factor = standard.input && prices.input !== undefined ? exact(prices.input / standard.input) : 1;
  const derived = Object.fromEntries(
    Object.entries(standard)
      .filter(([quantity]) => isTokenQuantity(quantity as Quantity))
      .map(([quantity, price]) => [quantity, exact(price * factor)]),
  );
  const own = Object.fromEntries(Object.entries(prices).filter(([quantity, price]) => derived[quantity] !== price));
  if (!isFlat) return { when, prices: { ...derived, ...own } };
  return { when, factor, ...(Object.keys(own).length > 0 ? { prices: own } : {}) };
}

interface MutableVariant {
  readonly when: Condition;
  readonly prices: MutablePrices;
}

const standardKey = conditionKey({});

/** Prices by threshold and condition. */
class Reading {
  private readonly places = new Map<number, Map<string, MutableVariant>>();

  prices(above: number, when: Condition = {}): MutablePrices {
    const places = this.places.get(above) ?? new Map<string, MutableVariant>();
    this.places.set(above, places);
    const key = conditionKey(when);
    const place = places.get(key) ?? { when, prices: {} };
    places.set(key, place);
    return place.prices;
  }

  /** Returns the card; null when nothing is priced. */
  toCard(): PriceCard | null {
    const thresholds = [...this.places.keys()].filter((above) => above > 0).sort((left, right) => left - right);
    const standardAt = (above: number): Prices | undefined => this.places.get(above)?.get(standardKey)?.prices;
    const at = (above: number): PriceCard => {
      const standard = { ...standardAt(0), ...standardAt(above) };
      const variants = [...(this.places.get(above) ?? [])]
        .filter(([key, { prices }]) => key !== standardKey && Object.keys(prices).length > 0)
        .map(([, { when, prices }]) => toVariant(when, standard, prices, thresholds.length === 0));
      return { prices: standardAt(above) ?? {}, ...(variants.length > 0 ? { variants } : {}) };
    };
    const contextTiers = thresholds.map((above): ContextTier => ({ above, ...at(above) }));
    const card = at(0);
    if (Object.keys(card.prices).length === 0) return null;
    return { ...card, ...(contextTiers.length > 0 ? { contextTiers } : {}) };
  }
}
