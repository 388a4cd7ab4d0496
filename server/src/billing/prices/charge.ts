import { Decimal } from 'decimal.js';
import type { ToolFees } from '../../shared/tool-fees.js';
import type { PriceCard } from '../../shared/price-card.js';
import { Exact, isFreeCard, type Component } from './card-charge.js';
import { powerOfTen, product, toScaled } from './scaled-decimal.js';
import { quotient, round, whole, type Rounded, type Rounding } from './rounding.js';

/**
 * Price formulas with exact decimals (docs/reference/relay/billing.md), without look-ups or a clock. Ratios are doubles
 * and count as the shortest decimal that represents them, so 0.075 is exactly 0.075. Quota is rounded once, at the end, and
 * the rest is carried to the user's next call.
 */
/** A price per token. Ratio 1 = 0.002 USD per 1000 tokens; 500000 quota are one USD. */
export interface RatioPrice {
  readonly kind: 'ratio';
  readonly modelRatio: number;
  readonly completionRatio: number;
  /** Ratio of tokens read from the provider's prompt cache. */
  readonly cacheRatio: number;
  /** Ratio of tokens written to the provider's prompt cache. */
  readonly cacheWriteRatio: number;
  readonly audioRatio: number;
  readonly audioCompletionRatio: number;
  readonly groupRatio: number;
  /** USD for each call of a tool that the provider runs. Absent: none is known. */
  readonly tools?: ToolFees;
  /** Other prices of a request, by how much Perplexity is asked to search. Absent: always the same one. */
  readonly searches?: PriceCard['services'];
  /** Name of the price tables it comes from. */
  readonly version?: string;
}

/** A fixed price in USD per call, independent of tokens. */
export interface CallPrice {
  readonly kind: 'call';
  readonly modelPrice: number;
  readonly groupRatio: number;
  /** Name of the price tables it comes from. */
  readonly version?: string;
}

/** A price card: a price for each quantity of a call (`card-charge.ts`). */
export interface CardPrice {
  readonly kind: 'card';
  /** The name that the card was found by: the model's, or a prefix that ends with `*`. */
  readonly name: string;
  readonly card: PriceCard;
  /** A list price that the program brings, not a card of the operator. */
  readonly isBuiltIn: boolean;
  readonly groupRatio: number;
  /** Name of the price tables it comes from. */
  readonly version?: string;
}

/** A price of the old tables, which the formulas of this file charge. */
export type TablePrice = RatioPrice | CallPrice;
export type Price = TablePrice | CardPrice;

/**
 * Non-negative integers. Prompt includes cache reads, cache writes and audio; completion includes reasoning and audio.
 */
export interface ChargedUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly details?: {
    /** Part of the cache writes: kept for an hour instead of five minutes. */
    readonly cacheWrite1hTokens?: number;
  };
}

/** Token counts of a call with audio, split into text and audio. */
export interface AudioUsage {
  readonly textInputTokens: number;
  readonly textOutputTokens: number;
  readonly audioInputTokens: number;
  readonly audioOutputTokens: number;
}

/** Rounds halves away from zero. */
const rounded = (value: Decimal): number => value.toDecimalPlaces(0, Decimal.ROUND_HALF_UP).toNumber();
/** Truncates the fraction. */
const truncated = (value: Decimal): number => value.toDecimalPlaces(0, Decimal.ROUND_DOWN).toNumber();

/** True when the charge is 0 whatever the call uses: such a call needs no balance and reserves nothing. */
export function isFree(price: Price): boolean {
  if (price.groupRatio === 0) return true;
  if (price.kind === 'card') return isFreeCard(price.card);
  return price.kind === 'call' ? price.modelPrice === 0 : price.modelRatio === 0;
}

/** Keys of the log row of a call that a card prices (docs/reference/relay/usage-log.md#the-other-field). */
export const cardNotes = (
  { card, name }: CardPrice,
  components: readonly Component[],
): Readonly<Record<string, unknown>> => ({
  price_card: name,
  ...(card.asOf === undefined ? {} : { price_as_of: card.asOf }),
  components,
});

/**
 * Quota to reserve before the call (docs/reference/relay/billing.md#reservation). The completion ratio is not part of
 * it, so a charge may exceed its reservation.
 * @param maxOutput 0 when the client named no limit; then `preConsumedTokens` is used for the whole call
 */
export function reserveOf(
  price: TablePrice,
  estimate: { promptTokens: number; maxOutput: number; preConsumedTokens: number; quotaPerUnit: number },
): number {
  if (price.kind === 'call') return truncated(callQuota(price, estimate.quotaPerUnit));
  const tokens = estimate.maxOutput > 0 ? estimate.promptTokens + estimate.maxOutput : estimate.preConsumedTokens;
  return (
    shortProduct(tokens, 0, price, 'truncate')?.quota ??
    truncated(new Exact(tokens).times(new Exact(price.modelRatio).times(price.groupRatio)))
  );
}

/** Text formula: chat, completions, embeddings, rerank, moderations, speech, transcription, Responses. */
export const chargeOf = (price: TablePrice, usage: ChargedUsage, quotaPerUnit: number): Rounded =>
  chargeOfTokens(price, usage, quotaPerUnit, 'half-up');

/** Messages formula: the same usage, but the fraction is truncated. */
export const chargeOfMessages = (price: TablePrice, usage: ChargedUsage, quotaPerUnit: number): Rounded =>
  chargeOfTokens(price, usage, quotaPerUnit, 'truncate');

function chargeOfTokens(price: TablePrice, usage: ChargedUsage, quotaPerUnit: number, rounding: Rounding): Rounded {
  if (usage.promptTokens + usage.completionTokens === 0) return whole(0);
  if (price.kind === 'call') return round(callQuota(price, quotaPerUnit), rounding);
  return (
    shortCharge(price, usage, rounding) ??
    atLeastOne(weightedTokens(price, usage).times(price.modelRatio).times(price.groupRatio), price, rounding)
  );
}

/** Audio formula: audio chat models and each turn of a realtime session. Cached tokens get no discount. */
export function chargeOfAudio(price: TablePrice, usage: AudioUsage, quotaPerUnit: number): Rounded {
  const total = usage.textInputTokens + usage.textOutputTokens + usage.audioInputTokens + usage.audioOutputTokens;
  if (total === 0) return whole(0);
  if (price.kind === 'call') return round(callQuota(price, quotaPerUnit), 'truncate');
  const audioRatio = new Exact(price.audioRatio);
  const weighted = new Exact(usage.textInputTokens)
    .plus(new Exact(usage.textOutputTokens).times(price.completionRatio))
    .plus(audioRatio.times(usage.audioInputTokens))
    .plus(audioRatio.times(price.audioCompletionRatio).times(usage.audioOutputTokens));
  return atLeastOne(weighted.times(price.modelRatio).times(price.groupRatio), price, 'half-up');
}

/** Models whose audio has its own price on the chat and Responses endpoints (docs/reference/relay/billing.md#audio). */
export const isAudioModel = (model: string): boolean => model.startsWith('gpt-4o-audio');

/** Per-call formula: drawing and music tasks. They carry nothing, because a refund is of whole units. */
export function chargeOfCall(price: CallPrice, quotaPerUnit: number): number {
  return truncated(callQuota(price, quotaPerUnit));
}

/** The fields of an image call that determine its price. */
export interface ImageOrder {
  readonly size: string;
  readonly quality: string;
  readonly count: number;
  /** The model that is actually called: quality only matters for dall-e-3. */
  readonly upstreamModel: string;
}

/** The effective price of an image call in USD, before the group ratio (docs/reference/relay/billing.md#images). */
export function imagePrice(price: TablePrice, order: ImageOrder): number {
  const base = price.kind === 'call' ? new Exact(price.modelPrice) : new Exact('0.0025').times(price.modelRatio);
  return base.times(sizeRatio(order.size)).times(qualityRatio(order)).times(order.count).toNumber();
}

/** Image formula: the effective price of the call as quota, times the group ratio. */
export function chargeOfImages(price: TablePrice, order: ImageOrder, quotaPerUnit: number): Rounded {
  return round(new Exact(imagePrice(price, order)).times(quotaPerUnit).times(price.groupRatio), 'half-up');
}

/** A map, because the size is a client's text and may be `__proto__`. */
const sizeRatios = new Map([
  ['256x256', 0.4],
  ['512x512', 0.45],
  ['1024x1792', 2],
  ['1792x1024', 2],
]);

function sizeRatio(size: string): number {
  return sizeRatios.get(size) ?? 1;
}

function qualityRatio(order: ImageOrder): number {
  if (order.upstreamModel !== 'dall-e-3' || order.quality !== 'hd') return 1;
  return sizeRatio(order.size) === 2 ? 1.5 : 2;
}

/**
 * Tokens of a transcription, priced by length: 1000 tokens per minute, rounded up to seconds
 * (docs/reference/relay/billing.md#usage).
 */
export function transcriptionTokens(durationSeconds: number): number {
  return rounded(new Exact(Math.ceil(durationSeconds)).dividedBy(60).times(1000));
}

/**
 * Amount logged for a channel test (docs/reference/relay/routing.md#channel-test): without group ratio, and not
 * charged.
 */
export function chargeOfTest(
  price: TablePrice,
  usage: { promptTokens: number; completionTokens: number },
  quotaPerUnit: number,
): number {
  if (price.kind === 'call') return truncated(new Exact(price.modelPrice).times(quotaPerUnit));
  const completion = rounded(new Exact(usage.completionTokens).times(price.completionRatio));
  const quota = rounded(new Exact(usage.promptTokens).plus(completion).times(price.modelRatio));
  return price.modelRatio !== 0 ? Math.max(1, quota) : quota;
}

const callQuota = (price: CallPrice, quotaPerUnit: number): Decimal =>
  new Exact(price.modelPrice).times(quotaPerUnit).times(price.groupRatio);

/**
 * Splits prompt tokens by price. A provider that reports more cached than prompt tokens must not make the rest
 * negative.
 */
function splitPrompt(usage: ChargedUsage): { plain: number; cached: number; written: number; written1h: number } {
  const cached = Math.min(usage.cachedTokens, usage.promptTokens);
  const all = Math.min(usage.cacheWriteTokens, usage.promptTokens - cached);
  const written1h = Math.min(usage.details?.cacheWrite1hTokens ?? 0, all);
  return { plain: usage.promptTokens - cached - all, cached, written: all - written1h, written1h };
}

/** A cache write for an hour costs twice the prompt where one for five minutes costs 1.25 times. */
export const hourRatio = (cacheWriteRatio: number): number => Number((cacheWriteRatio * 1.6).toPrecision(12));

/** The same formula in integers; null when a ratio has too many digits or the result is 0. */
function shortCharge(price: RatioPrice, usage: ChargedUsage, rounding: Rounding): Rounded | null {
  const { plain, cached, written, written1h } = splitPrompt(usage);
  const hour = written1h > 0 ? hourRatio(price.cacheWriteRatio) : 0;
  const digits = Math.max(
    digitsOf(cached, price.cacheRatio),
    digitsOf(written, price.cacheWriteRatio),
    digitsOf(written1h, hour),
    digitsOf(usage.completionTokens, price.completionRatio),
  );
  const unit = powerOfTen(digits);
  if (unit === null) return null;
  // NaN, where a part is not a safe integer, makes the sum NaN.
  const sum =
    (product(plain, unit) ?? Number.NaN) +
    scaledPart(cached, price.cacheRatio, digits) +
    scaledPart(written, price.cacheWriteRatio, digits) +
    scaledPart(written1h, hour, digits) +
    scaledPart(usage.completionTokens, price.completionRatio, digits);
  return sum ? shortProduct(sum, digits, price, rounding) : null;
}

/** Digits after the decimal point of the ratio, Infinity where there are too many; 0 where nothing has it. */
const digitsOf = (count: number, ratio: number): number => (count === 0 ? 0 : (toScaled(ratio)?.digits ?? Infinity));

/** `count * ratio * 10^digits`; NaN when it is not a safe integer. */
function scaledPart(count: number, ratio: number, digits: number): number {
  if (count === 0) return 0;
  const scaled = toScaled(ratio);
  if (!scaled) return Number.NaN;
  return product(count, scaled.mantissa, powerOfTen(digits - scaled.digits) ?? Number.NaN) ?? Number.NaN;
}

/** `amount / 10^digits * modelRatio * groupRatio`, rounded once; null when it does not fit a safe integer. */
function shortProduct(amount: number, digits: number, price: RatioPrice, rounding: Rounding): Rounded | null {
  const model = toScaled(price.modelRatio);
  const group = toScaled(price.groupRatio);
  if (!model || !group) return null;
  const numerator = product(amount, model.mantissa, group.mantissa);
  const denominator = powerOfTen(digits + model.digits + group.digits);
  return numerator === null || denominator === null ? null : quotient(numerator, denominator, rounding);
}

function weightedTokens(price: RatioPrice, usage: ChargedUsage): Decimal {
  const { plain, cached, written, written1h } = splitPrompt(usage);
  return new Exact(plain)
    .plus(new Exact(cached).times(price.cacheRatio))
    .plus(new Exact(written).times(price.cacheWriteRatio))
    .plus(new Exact(written1h).times(hourRatio(price.cacheWriteRatio)))
    .plus(new Exact(usage.completionTokens).times(price.completionRatio));
}

/** A value of 0 or less before rounding becomes 1; 0.4 still rounds to 0 (docs/reference/relay/billing.md#text). */
function atLeastOne(value: Decimal, price: RatioPrice, rounding: Rounding): Rounded {
  if (price.modelRatio === 0 || price.groupRatio === 0) return whole(0);
  return value.lessThanOrEqualTo(0) ? whole(1) : round(value, rounding);
}
