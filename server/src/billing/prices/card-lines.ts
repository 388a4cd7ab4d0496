import type { ChargeLine } from '../../shared/charge-lines.js';
import type { Usage, UsageDetails } from '../../shared/usage.js';
import {
  isPromptQuantity,
  pricedPer,
  pricesCondition,
  promptQuantities,
  quantities,
  ratesOf,
  type PriceCard,
  type Prices,
  type Quantity,
  statedPrices,
  toolQuantities,
  toolRows,
  unitCounts,
  type Rates,
  type ToolWork,
} from '../../shared/price-card.js';
import { type Condition, conditionKey } from '../../shared/price-condition.js';
import { Exact, type Rounding } from './rounding.js';

/** The terms by which the lines of a charge become quota. */
export interface ChargeTerms {
  /** Half up when absent. */
  readonly rounding?: Rounding;
  /**
   * Quota of a token at price 1. When absent, prices are in USD: per million tokens, or per unit. A charge by a ratio that comes
   * to exactly 0 for some tokens is one unit.
   */
  readonly ratio?: number;
}

/** A card with the terms of its charges. Cards of operators and list prices have no such terms. */
export interface ChargeCard extends PriceCard, ChargeTerms {
  /**
   * The factor of the price of a request. That price covers the whole call: its tools, all requests to the provider, and the
   * work of other models. Absent when the card prices quantities.
   */
  readonly perCall?: number;
}

/** Whether log rows list the lines of the card's charges. Rows of the old tables have the factors instead. */
export const hasLines = ({ ratio, perCall }: ChargeCard): boolean => ratio === undefined && perCall === undefined;

/** Whether all prices of the card are 0. */
export const isFreeCard = (card: PriceCard): boolean =>
  statedPrices(card).every((prices) => Object.values(prices).every((price) => price === 0));

/** A quantity with its count: a non-negative integer, except for seconds, which may have a fraction. */
export type Count = readonly [quantity: Quantity, count: number];

export type Component = ChargeLine;

/** The quantities of a call that a price card prices. */
export interface PricedUsage {
  /** In any order; a quantity may occur several times. The price of a line does not count. */
  readonly counts: ReadonlyArray<Count | Component>;
  /** The condition that the provider reports; null: the standard condition. */
  readonly when: Condition | null;
}

const none: UsageDetails = {};

/**
 * The usage as a list of priced quantities. Each token is in one of them. Parts that a provider reports larger than their
 * total are cut, so that the list never has more tokens than the call.
 */
export function pricedUsage(usage: Usage): PricedUsage {
  const { promptTokens, completionTokens, details = none } = usage;
  const cached = Math.min(usage.cachedTokens, promptTokens);
  const written = Math.min(usage.cacheWriteTokens, promptTokens - cached);
  const written1h = Math.min(details.cacheWrite1hTokens ?? 0, written);
  const cachedAudio = Math.min(details.cachedAudioTokens ?? 0, usage.audioInputTokens, cached);
  const cachedImage = Math.min(details.cachedImageTokens ?? 0, details.imageInputTokens ?? 0, cached - cachedAudio);
  const fresh = promptTokens - cached - written;
  const audio = Math.min(usage.audioInputTokens - cachedAudio, fresh);
  const image = Math.min((details.imageInputTokens ?? 0) - cachedImage, fresh - audio);
  const reasoning = Math.min(usage.reasoningTokens, completionTokens);
  const audioOutput = Math.min(usage.audioOutputTokens, completionTokens - reasoning);
  const imageOutput = Math.min(details.imageOutputTokens ?? 0, completionTokens - reasoning - audioOutput);
  const counts: Count[] = [];
  add(counts, 'input', fresh - audio - image);
  add(counts, 'cachedInput', cached - cachedAudio - cachedImage);
  add(counts, 'cacheWrite', written - written1h);
  add(counts, 'cacheWrite1h', written1h);
  add(counts, 'output', completionTokens - reasoning - audioOutput - imageOutput);
  add(counts, 'reasoning', reasoning);
  add(counts, 'audioInput', audio);
  add(counts, 'cachedAudioInput', cachedAudio);
  add(counts, 'audioOutput', audioOutput);
  add(counts, 'imageInput', image);
  add(counts, 'cachedImageInput', cachedImage);
  add(counts, 'imageOutput', imageOutput);
  if (details !== none) addUnits(counts, details);
  if (isUsed(usage)) counts.push(['request', details.requests ?? 1]);
  return { counts, when: details.when ?? null };
}

function addUnits(counts: Count[], details: UsageDetails): void {
  for (const [quantity, name] of unitCounts) add(counts, quantity, details[name]);
}

const toolNames: ReadonlySet<Quantity> = new Set(toolQuantities);

/** Returns the tools in a list of quantities. */
export const toolsAmong = (counts: PricedUsage['counts']): Quantity[] =>
  counts.map(([quantity]) => quantity).filter((quantity) => toolNames.has(quantity));

/** Returns the tools that the provider ran in a call. */
export const toolsRun = (usage: Usage): Quantity[] => (usage.details ? toolsAmong(pricedUsage(usage).counts) : []);

/** Whether the provider ran tools in the call that have a price. */
export const usesTools = ({ details = none }: Usage, prices: Prices): boolean =>
  hasPrice(prices.request) ||
  toolRows.some(({ quantity, count }) => (details[count] ?? 0) > 0 && hasPrice(prices[quantity]));

/** Whether the provider may run tools in a call that have a price. */
export const mayUseTools = (work: ToolWork, prices: Prices): boolean =>
  hasPrice(prices.request) ||
  toolRows.some(({ quantity, allowedBy }) => work[allowedBy] > 0 && hasPrice(prices[quantity]));

const hasPrice = (price = 0): boolean => price > 0;

/** Whether the provider served the call in a tier or region for which the card has prices of its own. */
export const isTiered = ({ details }: Usage, card: PriceCard): boolean =>
  details?.when !== undefined && pricesCondition(card, details.when);

function add(counts: Count[], quantity: Quantity, count: number | undefined): void {
  if (count) counts.push([quantity, count]);
}

/** A call without any usage costs nothing, not even a price per request. */
const isUsed = ({ promptTokens, completionTokens }: Usage): boolean => promptTokens + completionTokens > 0;

/** Prices are computed once for each card, tier and condition: a card never changes. */
const known = new WeakMap<PriceCard, Map<string, Rates>>();

export function rates(card: PriceCard, tier: number, when: Condition | null): Rates {
  let tiers = known.get(card);
  if (!tiers) known.set(card, (tiers = new Map<string, Rates>()));
  const key = when ? `${tier} ${conditionKey(when)}` : String(tier);
  let found = tiers.get(key);
  if (!found) tiers.set(key, (found = ratesOf(card, tier, when)));
  return found;
}

/**
 * Returns the lines of a call's charge, before the group ratio. Tokens are listed at any price, units only where the card has a
 * price for them.
 */
export const componentsOf = (card: PriceCard, usage: PricedUsage): Component[] => ordered(linesOf(card, usage));

/** Returns the lines in any order, including those that cost nothing. */
export function linesOf(card: PriceCard, usage: PricedUsage): Component[] {
  const counts = merged(usage.counts);
  const tier = card.contextTiers ? tierOf(card, promptOf(counts)) : -1;
  if (tier >= 0 && card.contextScope === 'excess') return excessComponents(card, counts, usage.when);
  const prices = rates(card, tier, usage.when);
  return counts.map(([quantity, count]) => [quantity, count, prices[quantity]]);
}

function promptOf(counts: readonly Count[]): number {
  let prompt = 0;
  for (const [quantity, count] of counts) if (isPromptQuantity(quantity)) prompt += count;
  return prompt;
}

/** Returns each quantity once. A call has few, so a list is cheaper than a map. */
function merged(counts: PricedUsage['counts']): Count[] {
  const sums: Count[] = [];
  for (const [quantity, count] of counts) {
    if (count <= 0) continue;
    const at = sums.findIndex(([known]) => known === quantity);
    if (at < 0) sums.push([quantity, count]);
    else sums[at] = [quantity, count + (sums[at]?.[1] ?? 0)];
  }
  return sums;
}

/** Returns the highest tier whose threshold the prompt exceeds. -1 for none. */
export function tierOf({ contextTiers }: PriceCard, prompt: number): number {
  if (!contextTiers) return -1;
  return contextTiers.findLastIndex(({ above }) => prompt > above);
}

/** Splits the prompt at the thresholds, in the order of its quantities: what is new comes last and is priced highest. */
function excessComponents(card: PriceCard, counts: readonly Count[], when: Condition | null): Component[] {
  const tiers = card.contextTiers ?? [];
  const sums = new Map(counts);
  const components: Component[] = [];
  let position = 0;
  for (const quantity of promptQuantities) {
    const end = position + (sums.get(quantity) ?? 0);
    for (let tier = -1; tier < tiers.length; tier++) {
      const from = Math.max(position, tiers[tier]?.above ?? 0);
      const to = Math.min(end, tiers[tier + 1]?.above ?? Infinity);
      if (to > from) components.push([quantity, to - from, rates(card, tier, when)[quantity]]);
    }
    position = end;
  }
  const base = rates(card, -1, when);
  for (const [quantity, count] of counts) {
    if (!isPromptQuantity(quantity)) components.push([quantity, count, base[quantity]]);
  }
  return components;
}

const places = new Map(quantities.map((quantity, place) => [quantity, place]));

function ordered(components: Component[]): Component[] {
  const shown = components.filter(([quantity, , price]) => price > 0 || pricedPer[quantity] > 1);
  // Most calls come in order, and sorting takes almost a kilobyte even then.
  return shown.every((line, at) => at === 0 || byPlace(shown[at - 1] ?? line, line) <= 0) ? shown : shown.sort(byPlace);
}

const byPlace = ([left]: Component, [right]: Component): number => (places.get(left) ?? 0) - (places.get(right) ?? 0);

/**
 * Returns the lines of a call, before the group ratio.
 * @param times the number of times that a price of the whole call is charged
 */
export const linesOfUsage = (card: ChargeCard, usage: Usage, times = 1): Component[] =>
  card.perCall === undefined
    ? componentsOf(card, pricedUsage(countedBy(card, usage)))
    : linesOfCall(card, usage, times);

export function linesOfCall(
  { prices: { request = 0 }, perCall = 1 }: ChargeCard,
  usage: Usage,
  times: number,
): Component[] {
  const isPlain = times === 1 && perCall === 1;
  const price = isPlain ? request : new Exact(request).times(perCall).times(times).toNumber();
  return isUsed(usage) ? [['request', 1, price]] : [];
}

/** The audio formula splits tokens into text and audio only: cached tokens and reasoning have no price of their own. */
export function countedBy({ ratio, prices }: ChargeCard, usage: Usage): Usage {
  if (ratio === undefined || prices.cachedInput !== undefined) return usage;
  return { ...usage, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
}

/** Bounds of a call that are known before it is made. */
export interface CallBound {
  readonly promptTokens: number;
  readonly outputTokens: number;
  /** How long the request asks to keep its prompt in the cache. Null when it does not ask. */
  readonly writesCache: '5m' | '1h' | null;
  readonly hasAudio: boolean;
  readonly hasImages: boolean;
  /** Maximum work of the provider's tools. None when absent. */
  readonly tools?: ToolWork;
  /** Requests that the provider bills for the call. One when absent. */
  readonly requests?: number;
  /** The conditions that the request asks for. The provider may serve it in the standard tier. */
  readonly when: readonly Condition[];
}

/** Returns the lines of the dearest call within a bound: every token has the highest price that it can have. */
export function boundComponents(card: ChargeCard, bound: CallBound, when: Condition | null): Component[] {
  const { promptTokens, outputTokens, writesCache, hasAudio, hasImages, tools, requests = 1 } = bound;
  if (card.perCall !== undefined) return [['request', 1, card.prices.request ?? 0]];
  const ofPrompt: Quantity[] = ['input', 'cachedInput'];
  if (writesCache) ofPrompt.push('cacheWrite');
  if (writesCache === '1h') ofPrompt.push('cacheWrite1h');
  if (hasAudio) ofPrompt.push('audioInput', 'cachedAudioInput');
  if (hasImages) ofPrompt.push('imageInput', 'cachedImageInput');
  const ofOutput: Quantity[] = ['output', 'reasoning'];
  if (hasAudio) ofOutput.push('audioOutput');
  if (card.prices.imageOutput !== undefined) ofOutput.push('imageOutput');
  const components = segments(card, promptTokens).map(([tier, tokens]): Component => {
    const prices = rates(card, tier, when);
    return ['input', tokens, dearest(prices, ofPrompt)];
  });
  const prices = rates(card, card.contextScope === 'excess' ? -1 : tierOf(card, promptTokens), when);
  components.push(['output', outputTokens, dearest(prices, ofOutput)]);
  if (prices.request > 0) components.push(['request', requests, prices.request]);
  if (tools) components.push(...toolComponents(tools, prices));
  return components;
}

const toolComponents = (work: ToolWork, prices: Rates): Component[] =>
  toolRows
    .filter(({ allowedBy }) => work[allowedBy] > 0)
    .map(({ quantity, allowedBy, isOnce }) => [quantity, isOnce ? 1 : work[allowedBy], prices[quantity]]);

function dearest(prices: Rates, among: readonly Quantity[]): number {
  let most = 0;
  for (const quantity of among) most = Math.max(most, prices[quantity]);
  return most;
}

/** Returns the tokens of a prompt by the context tier that prices them. */
function segments(card: PriceCard, prompt: number): Array<readonly [tier: number, tokens: number]> {
  if (card.contextScope !== 'excess') return [[tierOf(card, prompt), prompt]];
  const tiers = card.contextTiers ?? [];
  const found: Array<readonly [number, number]> = [];
  for (let tier = -1; tier < tiers.length; tier++) {
    const from = tiers[tier]?.above ?? 0;
    const to = Math.min(prompt, tiers[tier + 1]?.above ?? Infinity);
    if (to > from) found.push([tier, to - from]);
  }
  return found;
}
