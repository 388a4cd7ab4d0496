import { isDeepStrictEqual } from 'node:util';
import { PriceBook, PriceDocumentError, readPriceDocument } from '../../../billing/prices/index.js';
import { defaultOptionValues } from '../../../options/option-registry.js';
import { asFields, type Fields } from '../../../shared/json.js';
import { exact, type PriceCard } from '../../../shared/price-card.js';
import { SitePrices } from '../../prices/site-prices.js';
import type { SourcePrice } from '../../prices/source-price.js';
import type { SourceRow } from '../source.js';
import type { Notes } from './reading.js';
import { textOf } from './values.js';

/** USD per token at ratio 1. */
const usdPerTokenAtRatio1 = 0.000_002;

export const isCost = (name: string): boolean => /(^|_)cost(_|$)/.test(name);
/** Costs that are ratios here. All others need a price card. */
const costsOfRatios = new Set(['input_cost_per_token', 'output_cost_per_token', 'cache_read_input_token_cost']);

/** The costs of a deployment. LiteLLM has built-in prices for those that state none. */
interface Costs {
  readonly name: string;
  /** An entry of LiteLLM's list of prices. */
  readonly entry: Fields & { readonly mode: string };
  readonly stated: Readonly<Record<string, unknown>>;
}

/** Returns the prices of models that configure their own, as options of this product. */
export async function pricesOf(models: readonly Fields[], findings: Notes): Promise<SourceRow[]> {
  const byName = new Map<string, Costs>();
  for (const costs of models.map(costsOf)) {
    const first = byName.get(costs.name);
    if (!first) byName.set(costs.name, costs);
    else if (!isDeepStrictEqual(first.stated, costs.stated)) {
      const detail = `a deployment costs ${describe(costs)}; here each costs ${describe(first)}`;
      findings.add('price-by-channel', 'model_list', costs.name, detail);
    }
  }
  const { CacheRatio } = defaultOptionValues();
  const saved = { ModelRatio: {}, CompletionRatio: {}, CacheRatio };
  const book = new PriceBook({ values: { ...defaultOptionValues(), ...saved } });
  const usual = (name: string) => ({ completion: book.completionRatio(name).ratio, cache: CacheRatio[name] ?? 1 });
  const prices = new Map<string, SourcePrice>();
  const listed: Costs[] = [];
  for (const costs of byName.values()) {
    const price = ratioOf(costs, usual(costs.name));
    if (price === 'card') listed.push(costs);
    else if (price) prices.set(costs.name, price);
    if (price) for (const detail of unstated(costs)) findings.add('price-kind', 'model_list', costs.name, detail);
  }
  for (const [name, card] of Object.entries(await cardsOf(listed, findings))) prices.set(name, { kind: 'card', card });
  const site = new SitePrices(saved);
  site.adopt(prices);
  return [...site.texts()].map(([key, value]) => ({ key, value }));
}

function costsOf(model: Fields): Costs {
  const given = { ...asFields(model['model_info']), ...asFields(model['litellm_params']) };
  const stated = Object.fromEntries<unknown>(
    // The cost of a search is a table by the size of its context.
    Object.entries(given).filter(([key, value]) => isCost(key) && (costOf(value) >= 0 || asFields(value) !== null)),
  );
  const mode = textOf(given['mode']) || 'chat';
  return {
    name: textOf(model['model_name']),
    stated,
    entry: { litellm_provider: 'openai', mode, ...ofLongPrompts(stated), ...stated },
  };
}

/** Kinds of tokens whose cost follows that of input or output in a price card. */
const kindsOfTokens = [
  ...['cache_read_input_token_cost', 'cache_creation_input_token_cost', 'cache_creation_input_token_cost_above_1hr'],
  ...['input_cost_per_audio_token', 'input_cost_per_image_token', 'output_cost_per_reasoning_token'],
  ...['output_cost_per_audio_token', 'output_cost_per_image_token'],
];

/** Returns the costs for long prompts that the file does not state: LiteLLM takes those for short prompts. */
function ofLongPrompts(stated: Costs['stated']): Fields {
  const thresholds = Object.keys(stated).flatMap((key) => /_token(_above_\d+k_tokens)$/.exec(key)?.[1] ?? []);
  const kinds = kindsOfTokens.filter((kind) => stated[kind] !== undefined);
  return Object.fromEntries(
    thresholds.flatMap((threshold) => kinds.map((kind) => [kind + threshold, stated[kind]] as const)),
  );
}

/** Names tokens that LiteLLM does not charge because the file states no cost of them; here they cost something. */
function unstated({ stated }: Costs): string[] {
  const kinds = [
    ['output_cost_per_token', 'output tokens'],
    ['cache_read_input_token_cost', 'cached tokens'],
  ] as const;
  const isFree = costOf(stated['input_cost_per_token']) === 0;
  return kinds.flatMap(([key, kind]) =>
    isFree || stated[key] !== undefined ? [] : [`${kind}: free there, because the file has no ${key}; charged here`],
  );
}

const describe = ({ stated }: Costs): string => {
  const costs = Object.entries(stated).map(([name, usd]) => `${name} ${JSON.stringify(usd)}`);
  return costs.length > 0 ? costs.join(', ') : 'what LiteLLM has built in';
};

/**
 * Returns the price as ratios, or that it needs a price card; null for a model without a price.
 * @param usual ratios of this product, for costs that the model does not state
 */
function ratioOf(
  { stated }: Costs,
  usual: { readonly completion: number; readonly cache: number },
): SourcePrice | 'card' | null {
  const of = (name: string): number => costOf(stated[name]);
  const [input, output] = [of('input_cost_per_token'), of('output_cost_per_token')];
  if (Object.keys(stated).some((key) => !costsOfRatios.has(key)) || (input === 0 && output > 0)) return 'card';
  if (Number.isNaN(input)) return null;
  const ratio = (cost: number, missing: number): number => (input > 0 && cost >= 0 ? exact(cost / input) : missing);
  return {
    kind: 'ratio',
    model: exact(input / usdPerTokenAtRatio1),
    completion: ratio(output, usual.completion),
    cache: ratio(of('cache_read_input_token_cost'), usual.cache),
  };
}

/**
 * Returns price cards for models whose costs are those of LiteLLM's own list of prices, with its names. A cost that does not change
 * the card is named.
 */
async function cardsOf(listed: readonly Costs[], findings: Notes): Promise<Record<string, PriceCard>> {
  const cards: Record<string, PriceCard> = {};
  for (const { name, entry, stated } of listed) {
    try {
      const { card, skipped } = await readCard(name, entry);
      if (card) cards[name] = card;
      for (const reason of skipped) findings.add('price-keys', 'model_list', name, reason);
      for (const key of card ? Object.keys(stated) : []) {
        if (await changesCard(card, name, { ...entry, [key]: otherCost(stated[key]) })) continue;
        findings.add(
          'price-keys',
          'model_list',
          name,
          `${key} has no counterpart for a model of the mode ${entry.mode}`,
        );
      }
    } catch (error) {
      if (!(error instanceof PriceDocumentError)) throw error;
      findings.add('price-keys', 'model_list', name, `the list of its costs ${error.message}`);
    }
  }
  return cards;
}

/** Returns a cost that a card with the given one does not have. A table of costs becomes none. */
const otherCost = (cost: unknown): unknown => (asFields(cost) ? {} : 2 * costOf(cost) + 1e-6);

async function changesCard(card: PriceCard | undefined, name: string, entry: Fields): Promise<boolean> {
  try {
    return !isDeepStrictEqual((await readCard(name, entry)).card, card);
  } catch (error) {
    if (!(error instanceof PriceDocumentError)) throw error;
    return true;
  }
}

async function readCard(name: string, entry: Fields): Promise<{ card: PriceCard | undefined; skipped: string[] }> {
  const document = await readPriceDocument(Buffer.from(JSON.stringify({ [name]: entry })));
  return { card: document.cards.get(name), skipped: document.skipped.map(({ reason }) => reason) };
}

/** Returns a cost in USD; NaN if it is absent or null, because such a cost must not become a price of zero. */
const costOf = (value: unknown): number => Number(value ?? NaN);
