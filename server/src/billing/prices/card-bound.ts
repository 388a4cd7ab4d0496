import { type PriceCard, type Quantity, type ServiceTier } from '../../shared/price-card.js';
import { roundedUp } from './rounding.js';
import { type ChargeCard } from './charge-card.js';
import { type Component, rates, tierOf } from './card-lines.js';
import { chargeOfComponents } from './card-charge.js';

/** Bounds of a call that are known before it is made. */
export interface CallBound {
  readonly promptTokens: number;
  readonly outputTokens: number;
  /** How long the request asks to keep its prompt in the cache. Null when it does not ask. */
  readonly writesCache: '5m' | '1h' | null;
  readonly hasAudio: boolean;
  readonly hasImages: boolean;
  /** Maximum calls of the provider's search tool. */
  readonly searches: number;
  /** Maximum calls of its search of files, and maximum containers in which it runs code. None when absent. */
  readonly fileSearches?: number;
  readonly codeExecutions?: number;
  /** Prompts that Google Maps grounds. None when absent. */
  readonly mapsPrompts?: number;
  /** Requests that the provider bills for the call. One when absent. */
  readonly requests?: number;
  /** The tier that the request asks for. The provider may serve it in the standard tier. */
  readonly serviceTier: ServiceTier | null;
}

/** Returns the maximum quota that a call can cost: every token has the highest price that it can have. */
export function boundOfCard(card: ChargeCard, bound: CallBound, groupRatio: number, quotaPerUnit: number): number {
  const services = bound.serviceTier ? [null, bound.serviceTier] : [null];
  return Math.max(
    ...services.map((service) =>
      roundedUp(chargeOfComponents(boundComponents(card, bound, service), groupRatio, quotaPerUnit, card)),
    ),
  );
}

function boundComponents(card: ChargeCard, bound: CallBound, service: ServiceTier | null): Component[] {
  const {
    promptTokens,
    outputTokens,
    writesCache,
    hasAudio,
    hasImages,
    searches,
    fileSearches = 0,
    codeExecutions = 0,
    mapsPrompts = 0,
    requests = 1,
  } = bound;
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
    const prices = rates(card, tier, service);
    return ['input', tokens, Math.max(...ofPrompt.map((quantity) => prices[quantity]))];
  });
  const prices = rates(card, card.contextScope === 'excess' ? -1 : tierOf(card, promptTokens), service);
  components.push(['output', outputTokens, Math.max(...ofOutput.map((quantity) => prices[quantity]))]);
  components.push(['webSearch', searches, prices.webSearch], ['request', requests, prices.request]);
  components.push(['fileSearch', fileSearches, prices.fileSearch]);
  components.push(['codeExecution', codeExecutions, prices.codeExecution]);
  if (searches > 0) components.push(['groundedPrompt', 1, prices.groundedPrompt]);
  if (mapsPrompts > 0) components.push(['mapsPrompt', mapsPrompts, prices.mapsPrompt]);
  return components;
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
