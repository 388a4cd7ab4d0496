import type { ToolFees } from '../../../shared/tool-fees.js';
import type { PriceCard, Prices, Variant } from '../../../shared/price-card.js';
import { resolutions, type Resolution } from '../../../shared/price-condition.js';

/** The rules of a maker for models, by their name. The first rule that matches applies. */
export interface MakerRules {
  /**
   * The completion ratios of models without a list price. A locked ratio takes precedence over the list price and over the
   * CompletionRatio setting. Fractions are written as fractions, so that they are rounded to a double once.
   */
  readonly completion?: ReadonlyArray<readonly [models: RegExp, ratio: number, lock?: 'locked']>;
  /** The ratios of audio input to text input, for models that do not have the usual ratio. */
  readonly audio?: ReadonlyArray<readonly [models: RegExp, ratio: number]>;
  /** The prices of tools that the maker runs, for models without a list price. They were read in 2026-11. */
  readonly tools?: ReadonlyArray<readonly [models: RegExp, prices: ToolFees]>;
}

/** List prices of one provider. */
export interface BuiltInCards extends MakerRules {
  /** The page that the provider publishes its prices on. */
  readonly source: string;
  readonly cards: ReadonlyArray<{ readonly names: string } & Omit<PriceCard, 'source' | 'asOf'>>;
}

/** The month in which all built-in prices were read, from public price tables. */
export const builtInAsOf = '2026-11';

export const halfBatch: readonly Variant[] = [{ when: { tier: 'batch' }, factor: 0.5 }];
export const discounts: readonly Variant[] = [
  { when: { tier: 'flex' }, factor: 0.5 },
  { when: { tier: 'batch' }, factor: 0.5 },
];
export const threeTiers: readonly Variant[] = [...discounts, { when: { tier: 'priority' }, factor: 2 }];
export const googleTiers: readonly Variant[] = [...discounts, { when: { tier: 'priority' }, factor: 1.8 }];

/** Prices of a second of a video in resolutions that do not cost the standard price. */
export const bySecond = (seconds: Partial<Record<Resolution, number>>): Variant[] =>
  resolutions.flatMap((resolution) => {
    const second = seconds[resolution];
    return second === undefined ? [] : [{ when: { resolution }, prices: { second } }];
  });

/** Tools that OpenAI runs: a search of the web, a search of files, a container for code. */
export const tools: Prices = { webSearch: 0.01, fileSearch: 0.0025, codeExecution: 0.03 };
export const oldTools: Prices = { ...tools, webSearch: 0.025 };
