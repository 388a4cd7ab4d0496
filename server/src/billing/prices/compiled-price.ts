import type { PriceCard } from '../../shared/price-card.js';
import type { ToolFees } from '../../shared/tool-fees.js';
import { Exact, hasLines, isFreeCard, type ChargeCard, type Component } from './card-charge.js';
import { ratiosOfCard } from './card-ratios.js';
import type { NamedCard } from './card-table.js';
import { withTools } from './tool-prices.js';

/**
 * The formulas of the old tables (docs/reference/relay/billing.md). They count and round in ways of their own, so that a price of
 * these tables is another card for each of them. A card of the operator and a list price are the same for all.
 */
export type Formula =
  /** Chat, completions, embeddings, rerank, moderations, speech, transcription, Responses. */
  | 'text'
  /** Messages: the fraction is truncated. */
  | 'messages'
  /** Audio chat models and realtime sessions. Cached tokens get no discount. */
  | 'audio'
  /** A realtime session in which other models write speech down. */
  | 'session'
  | 'transcripts'
  | 'images'
  /** Drawings and songs. */
  | 'task'
  | 'video';

/** Ratios of the old tables. Ratio 1 is 0.002 USD per 1000 tokens. */
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

/** Where the price of a model is from: a card of the operator, the old tables, or the list prices of the program. */
export type PriceSource = 'card' | 'table' | 'list';

/** The price of a model, whatever it was set by. */
export interface Price {
  /** The name that the card was found by: the model's, or a prefix that ends with `*`. */
  readonly name: string;
  readonly source: PriceSource;
  /** In USD. */
  readonly card: ChargeCard;
  /** The cards by which calls are charged. */
  readonly cards: Readonly<Record<Formula, ChargeCard>>;
  /** For log rows and REST. The price of a call is -1 where there is none. */
  readonly shown: Ratios & { readonly modelPrice: number };
  /** The beginning of the log text. */
  readonly text: string;
  /** The same, of a call by the formula of audio. */
  readonly audioText: string;
  readonly groupRatio: number;
  /** Name of the price tables it comes from. */
  readonly version?: string;
}

/** The group that pays, and the settings. */
interface Terms {
  readonly groupRatio: number;
  readonly version?: string;
}

/** True when the charge is 0 whatever the call uses: such a call needs no balance and reserves nothing. */
export const isFree = ({ groupRatio, card }: Price): boolean => groupRatio === 0 || isFreeCard(card);

/** True when tools of a call and other models that work for it cost nothing of their own. */
export const coversWork = (price: Price): boolean => price.card.perCall !== undefined || isFree(price);

/** Whether rows of calls without tools have the lines of the charge. */
export const listsLines = ({ cards }: Price): boolean => hasLines(cards.text);

/** Keys of the log row of a call that a card prices (docs/reference/relay/usage-log.md#the-other-field). */
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

/** A price for each call in USD, independent of tokens. */
const ofCall = (usd: number): ChargeCard => ({ prices: { request: usd }, perCall: 1 });
const truncated = (card: ChargeCard): ChargeCard => ({ ...card, rounding: 'truncate' });

/** The price of a drawing or a song whose model has no price per call (docs/reference/relay/tasks.md#midjourney). */
export const usualTaskUsd = 0.1;
export const usualTask = truncated(ofCall(usualTaskUsd));

/** By what a card prices a drawing or a song: by the request, else by the image. */
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

/** A card of the operator, or a list price. */
export function priceOfCard({ name, card }: NamedCard, source: 'card' | 'list', terms: Terms): Price {
  const piece = taskQuantityOf(card);
  const task = piece ? truncated(ofCall(card.prices[piece] ?? 0)) : usualTask;
  return {
    name,
    source,
    card,
    cards: { ...everywhere(card), task },
    shown: { ...noRatios, ...ratiosOfCard(card), modelPrice: -1 },
    text: `price card ${name}`,
    audioText: `price card ${name}`,
    ...terms,
  };
}

/** A fixed price. */
export function priceOfCall(name: string, usd: number, terms: Terms): Price {
  const card = ofCall(usd);
  const cut = truncated(card);
  return {
    name,
    source: 'table',
    card,
    cards: { ...everywhere(card), messages: cut, audio: cut, task: cut, video: cut },
    shown: { ...noRatios, modelPrice: usd },
    text: `model price ${usd.toFixed(2)}`,
    audioText: `model price ${usd.toFixed(2)}`,
    ...terms,
  };
}

/** The ratios of a model, and what is priced beside them. */
export interface RatioPrices extends Ratios {
  /** USD for each call of a tool that the provider runs. Absent: none is known. */
  readonly tools?: ToolFees | undefined;
  /** Other prices of a request, by how much Perplexity is asked to search. Absent: always the same one. */
  readonly searches?: PriceCard['services'] | undefined;
}

/** A price per token. */
export function priceOfRatios(name: string, ratios: RatioPrices, terms: Terms, quotaPerUnit: number): Price {
  const { modelRatio, completionRatio } = ratios;
  const card = cardOfRatios(ratios, quotaPerUnit);
  const text = textCard(ratios);
  const isFreeRatio = modelRatio === 0;
  const factors = `model ratio ${modelRatio.toFixed(2)}, completion ratio ${completionRatio.toFixed(2)}`;
  const { audioRatio, audioCompletionRatio } = ratios;
  const audioFactors = `audio ratio ${audioRatio.toFixed(2)}, audio completion ratio ${audioCompletionRatio.toFixed(2)}`;
  const { tools: _tools, searches: _searches, ...shown } = ratios;
  return {
    name,
    source: 'table',
    card,
    cards: {
      text,
      messages: truncated(text),
      audio: audioCard(ratios),
      session: sessionCard(ratios, quotaPerUnit),
      transcripts: { prices: { second: exactly((modelRatio * tokensOfSecond) / quotaPerUnit) } },
      images: { prices: { request: modelRatio }, perCall: usdOfImage },
      task: usualTask,
      video: isFreeRatio ? truncated(ofCall(0)) : card,
    },
    shown: { ...shown, modelPrice: -1 },
    text: factors,
    audioText: `${factors}, ${audioFactors}`,
    ...terms,
  };
}

/** USD of an image at ratio 1. */
const usdOfImage = 0.0025;

/** Transcripts: a minute counts as 1,000 tokens, as at the endpoint of transcriptions. */
const tokensOfSecond = 1000 / 60;

/** Twelve digits remove binary rounding errors. */
const exactly = (value: number): number => Number(value.toPrecision(12));

/** A cache write for an hour costs twice the prompt where one for five minutes costs 1.25 times. */
export const hourRatio = (cacheWriteRatio: number): number => exactly(cacheWriteRatio * 1.6);

/** Ratios are doubles and count as the shortest decimal that represents them: they stay as they are, so 0.075 is exactly 0.075. */
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

const audioCard = ({ modelRatio, completionRatio, audioRatio, audioCompletionRatio }: Ratios): ChargeCard => ({
  prices: {
    input: 1,
    output: completionRatio,
    audioInput: audioRatio,
    audioOutput: new Exact(audioRatio).times(audioCompletionRatio).toNumber(),
  },
  ratio: modelRatio,
});

/** In USD, with the prices of tools. It comes to the same charge, to a millionth. */
function cardOfRatios(ratios: RatioPrices, quotaPerUnit: number): PriceCard {
  const { modelRatio, cacheRatio, cacheWriteRatio, completionRatio, tools, searches } = ratios;
  const price = (factor: number): number => exactly((modelRatio * factor * 1_000_000) / quotaPerUnit);
  const prices = {
    input: price(1),
    cachedInput: price(cacheRatio),
    cacheWrite: price(cacheWriteRatio),
    cacheWrite1h: price(hourRatio(cacheWriteRatio)),
    output: price(completionRatio),
  };
  return tools ? withTools({ prices, ...(searches ? { services: searches } : null) }, tools) : { prices };
}

function sessionCard(ratios: Ratios, quotaPerUnit: number): PriceCard {
  const { modelRatio, completionRatio, audioRatio, audioCompletionRatio } = ratios;
  const price = (factor: number): number => exactly((modelRatio * factor * 1_000_000) / quotaPerUnit);
  return {
    prices: {
      input: price(1),
      output: price(completionRatio),
      audioInput: exactly((modelRatio * audioRatio * 1_000_000) / quotaPerUnit),
      audioOutput: exactly((modelRatio * audioRatio * audioCompletionRatio * 1_000_000) / quotaPerUnit),
    },
  };
}
