import { cachesUnasked, chargesAudio, searchesUnasked } from '../../dialects/makers/charging.js';
import { exact, pricesCondition, ratesOf, type PriceCard } from '../../shared/price-card.js';
import type { Condition } from '../../shared/price-condition.js';
import type { ToolFees } from '../../shared/tool-fees.js';
import { Exact } from './rounding.js';
import { type ChargeCard, type Component, hasLines, isFreeCard } from './card-lines.js';
import { ratiosOfCard } from './card-ratios.js';
import type { NamedCard } from './card-table.js';
import { modelLimits, type ModelLimits } from './model-limits.js';
import { withTiers } from './tier-prices.js';
import { withTools } from './tool-prices.js';
import { tokensPerMinute } from './table-usage.js';

/**
 * The formulas of the old tables (docs/reference/relay/billing.md). Each formula counts and rounds in its own way, so a price
 * of these tables has one card for each formula. A card of the operator and a list price are the same in every formula, except
 * for drawings and songs.
 */
export type Formula =
  /** Prices chat, completions, embeddings, rerank, moderations, speech, transcription and Responses. */
  | 'text'
  /** Prices Messages. The fraction is truncated. */
  | 'messages'
  /** Prices audio chat models and realtime sessions. Cached tokens get no discount. */
  | 'audio'
  /** Prices the turns of a realtime session in which other models transcribe speech. */
  | 'session'
  /** Prices the transcripts of such a session. */
  | 'transcripts'
  | 'images'
  /** Prices drawings and songs. */
  | 'task'
  | 'video';

/** The ratios of the old tables. Ratio 1 is 0.002 USD per 1000 tokens. */
export interface Ratios {
  readonly modelRatio: number;
  readonly completionRatio: number;
  /** Ratio of tokens read from the provider's prompt cache. */
  readonly cacheRatio: number;
  /** Ratio of tokens written to the provider's prompt cache. */
  readonly cacheWriteRatio: number;
  readonly audioRatio: number;
  readonly audioCompletionRatio: number;
}

/** The origin of a price: a card of the operator, the old tables, or the list prices of the program. */
export type PriceSource = 'card' | 'table' | 'list';

/** The facts about a model, besides its prices, that every call asks for. */
interface ModelFacts {
  /** The name under which the model is priced, routed and logged: that of its family, or else its own. */
  readonly model: string;
  /** Whether the audio of the model has its own price at endpoints of text. */
  readonly chargesAudio: boolean;
  /** Whether the model caches prompts without being asked, at more than the price of input. */
  readonly cachesUnasked: boolean;
  /** Whether the model searches on its own, whatever the request says. */
  readonly searchesUnasked: boolean;
  /** The published limits of the model. Option ModelMaxOutput may have others. */
  readonly limits: ModelLimits;
}

/** The compiled price of a model for a group. Cards, old tables and list prices all compile to this form. */
export interface Price extends ModelFacts {
  /** The name that the card was found by: the model's, or a prefix that ends with `*`. */
  readonly name: string;
  readonly source: PriceSource;
  /** The price as one card in USD. Tools and work of other models are charged by this card. */
  readonly card: ChargeCard;
  /** The cards that charge calls, by the formula of the endpoint. */
  readonly cards: Readonly<Record<Formula, ChargeCard>>;
  /** The factors that log rows and REST show. `modelPrice` is -1 when the model has no price per call. */
  readonly shown: Ratios & { readonly modelPrice: number };
  /** The beginning of the log text. */
  readonly text: string;
  /** The beginning of the log text of a call that the audio formula prices. */
  readonly audioText: string;
  readonly groupRatio: number;
  /** The version of the price settings that the price was compiled from. */
  readonly version?: string;
  /** Whether every call costs 0, for any usage. Such a call needs no balance and reserves nothing. */
  readonly isFree: boolean;
  /** Whether the price includes tools and the work of other models. It does when it is a price per call, or free. */
  readonly coversWork: boolean;
}

/** The parts of a price that depend on the paying group, the model and the version of the settings. */
export interface Terms {
  readonly groupRatio: number;
  readonly version?: string;
  /** See `ModelFacts`. The name of the price when absent. */
  readonly model?: string;
  /** The limits of the card (`ModelFacts`). When absent, the limits of `model` apply. */
  readonly limits?: ModelLimits;
}

type Computed = 'isFree' | 'coversWork' | keyof ModelFacts;

/** Computes the facts that every call asks for once, when its price is compiled. */
function compiled(price: Omit<Price, Computed> & Pick<Terms, 'model' | 'limits'>): Price {
  const { model = price.name, limits = modelLimits(model) } = price;
  const isFree = price.groupRatio === 0 || isFreeCard(price.card);
  return {
    ...price,
    isFree,
    coversWork: isFree || price.card.perCall !== undefined,
    model,
    chargesAudio: chargesAudio(model),
    cachesUnasked: cachesUnasked(model),
    searchesUnasked: searchesUnasked(model),
    limits,
  };
}

/** Whether log rows of the price list the lines of each charge. Rows of the old tables do so only for calls that used tools. */
export const listsLines = ({ cards }: Price): boolean => hasLines(cards.text);

/** Returns the log row's keys for a call that a card prices (docs/reference/relay/usage-log.md#the-other-field). */
export const cardNotes = (
  { card, name }: Pick<Price, 'card' | 'name'>,
  components: readonly Component[],
): Readonly<Record<string, unknown>> => ({
  price_card: name,
  ...(card.asOf === undefined ? {} : { price_as_of: card.asOf }),
  components,
});

const noRatios: Ratios = {
  modelRatio: 0,
  completionRatio: 0,
  cacheRatio: 0,
  cacheWriteRatio: 0,
  audioRatio: 0,
  audioCompletionRatio: 0,
};

/** Returns the card of a price per call in USD, which does not depend on tokens. */
const ofCall = (usd: number): ChargeCard => ({ prices: { request: usd }, perCall: 1 });
const truncated = (card: ChargeCard): ChargeCard => ({ ...card, rounding: 'truncate' });

/** USD of a drawing or a song whose model has no price per call (docs/reference/relay/tasks.md#midjourney). */
export const usualTaskUsd = 0.1;
export const usualTask = truncated(ofCall(usualTaskUsd));

/** Returns the unit by which a card prices a drawing or a song: the request, or else the image. Null when it prices neither. */
export const taskQuantityOf = ({ prices }: PriceCard): 'request' | 'image' | null =>
  prices.request !== undefined ? 'request' : prices.image === undefined ? null : 'image';

const everywhere = (card: ChargeCard): Price['cards'] => ({
  text: card,
  messages: card,
  audio: card,
  session: card,
  transcripts: card,
  images: card,
  task: card,
  video: card,
});

/**
 * Returns the price of calls that all have a condition: its prices are those of the condition. A price per call, and a
 * price without prices for the condition, is returned unchanged.
 */
export function priceUnder(price: Price, when: Condition): Price {
  const { card } = price;
  if (card.perCall !== undefined || !pricesCondition(card, when)) return price;
  const { variants: _variants, contextTiers, ...rest } = card;
  const tiers = contextTiers?.map(({ above }, tier) => ({ above, prices: ratesOf(card, tier, when) }));
  const under = { ...rest, prices: ratesOf(card, -1, when), ...(tiers ? { contextTiers: tiers } : {}) };
  return { ...price, card: under, cards: everywhere(under) };
}

/** Compiles a card of the operator, or a list price. */
export function priceOfCard({ name, card }: NamedCard, source: 'card' | 'list', terms: Terms): Price {
  const piece = taskQuantityOf(card);
  const task = piece ? truncated(ofCall(card.prices[piece] ?? 0)) : usualTask;
  return compiled({
    name,
    source,
    card,
    cards: { ...everywhere(card), task },
    shown: { ...noRatios, ...ratiosOfCard(card), modelPrice: -1 },
    text: `price card ${name}`,
    audioText: `price card ${name}`,
    ...terms,
  });
}

/** Compiles a fixed price per call. */
export function priceOfCall(name: string, usd: number, terms: Terms): Price {
  const card = ofCall(usd);
  const cut = truncated(card);
  return compiled({
    name,
    source: 'table',
    card,
    cards: { ...everywhere(card), messages: cut, audio: cut, task: cut, video: cut },
    shown: { ...noRatios, modelPrice: usd },
    text: `model price ${usd.toFixed(2)}`,
    audioText: `model price ${usd.toFixed(2)}`,
    ...terms,
  });
}

/** The ratios of a model, with the prices of its tools. */
export interface RatioPrices extends Ratios {
  /** USD for each call of a tool that the provider runs. Absent when no price is known. */
  readonly tools?: ToolFees | undefined;
  /** The prices of a request by the size of the context that Perplexity searches. Absent when there is only one price. */
  readonly searches?: PriceCard['variants'] | undefined;
}

/** Compiles a price per token. */
export function priceOfRatios(name: string, ratios: RatioPrices, terms: Terms, quotaPerUnit: number): Price {
  const { modelRatio, completionRatio } = ratios;
  const card = cardOfRatios(name, ratios, quotaPerUnit);
  const text = textCard(ratios);
  const isFreeRatio = modelRatio === 0;
  const factors = `model ratio ${modelRatio.toFixed(2)}, completion ratio ${completionRatio.toFixed(2)}`;
  const { audioRatio, audioCompletionRatio } = ratios;
  const audioFactors = `audio ratio ${audioRatio.toFixed(2)}, audio completion ratio ${audioCompletionRatio.toFixed(2)}`;
  const { tools: _tools, searches: _searches, ...shown } = ratios;
  return compiled({
    name,
    source: 'table',
    card,
    cards: {
      text,
      messages: truncated(text),
      audio: audioCard(ratios),
      session: sessionCard(ratios, quotaPerUnit),
      transcripts: { prices: { second: exact((modelRatio * tokensOfSecond) / quotaPerUnit) } },
      images: { prices: { request: modelRatio }, perCall: usdOfImage },
      task: usualTask,
      video: isFreeRatio ? truncated(ofCall(0)) : card,
    },
    shown: { ...shown, modelPrice: -1 },
    text: factors,
    audioText: `${factors}, ${audioFactors}`,
    ...terms,
  });
}

/** USD of an image by ratio 1. */
const usdOfImage = 0.0025;

/** Tokens per second of a transcript, as at the endpoint of transcriptions. */
const tokensOfSecond = tokensPerMinute / 60;

/** Returns the ratio of a cache write for an hour: 2 when a cache write for five minutes has 1.25. */
export const hourRatio = (cacheWriteRatio: number): number => exact(cacheWriteRatio * 1.6);

/**
 * Returns the card of the text formula. Its prices are the ratios themselves: a ratio counts as the shortest decimal that
 * represents its double, so 0.075 is exactly 0.075. Prices in USD would add a rounding.
 */
const textCard = ({ modelRatio, completionRatio, cacheRatio, cacheWriteRatio }: Ratios): ChargeCard => ({
  prices: {
    input: 1,
    cachedInput: cacheRatio,
    cacheWrite: cacheWriteRatio,
    cacheWrite1h: hourRatio(cacheWriteRatio),
    output: completionRatio,
  },
  ratio: modelRatio,
});

/** Returns the card of the audio formula. It has no price of cached tokens, so they cost what other tokens cost. */
const audioCard = ({ modelRatio, completionRatio, audioRatio, audioCompletionRatio }: Ratios): ChargeCard => ({
  prices: {
    input: 1,
    output: completionRatio,
    audioInput: audioRatio,
    audioOutput: new Exact(audioRatio).times(audioCompletionRatio).toNumber(),
  },
  ratio: modelRatio,
});

/** Returns the price in USD of a million tokens with this factor. */
const usdOf =
  ({ modelRatio }: Ratios, quotaPerUnit: number) =>
  (factor: number): number =>
    exact((modelRatio * factor * 1_000_000) / quotaPerUnit);

/** Returns the card in USD, with the prices of tools. Its charge differs from that of the ratios by a millionth at most. */
function cardOfRatios(name: string, ratios: RatioPrices, quotaPerUnit: number): PriceCard {
  const { cacheRatio, cacheWriteRatio, completionRatio, tools, searches } = ratios;
  const price = usdOf(ratios, quotaPerUnit);
  const prices = {
    input: price(1),
    cachedInput: price(cacheRatio),
    cacheWrite: price(cacheWriteRatio),
    cacheWrite1h: price(hourRatio(cacheWriteRatio)),
    output: price(completionRatio),
  };
  const card = withTiers({ prices, ...(tools && searches ? { variants: searches } : null) }, name);
  return tools ? withTools(card, tools) : card;
}

/** Returns the audio formula's card in USD, for charges with lines of transcripts. */
function sessionCard(ratios: Ratios, quotaPerUnit: number): PriceCard {
  const { completionRatio, audioRatio, audioCompletionRatio } = ratios;
  const price = usdOf(ratios, quotaPerUnit);
  return {
    prices: {
      input: price(1),
      output: price(completionRatio),
      audioInput: price(audioRatio),
      audioOutput: price(audioRatio * audioCompletionRatio),
    },
  };
}
