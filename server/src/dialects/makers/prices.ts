import type { PriceCard } from '../../shared/price-card.js';
import type { ToolFees } from '../../shared/tool-fees.js';
import ali from './ali/prices.json' with { type: 'json' };
import anthropic from './anthropic/prices.json' with { type: 'json' };
import baidu from './baidu/prices.json' with { type: 'json' };
import cohere from './cohere/prices.json' with { type: 'json' };
import deepseek from './deepseek/prices.json' with { type: 'json' };
import gemini from './gemini/prices.json' with { type: 'json' };
import kling from './kling/prices.json' with { type: 'json' };
import meta from './meta/prices.json' with { type: 'json' };
import minimax from './minimax/prices.json' with { type: 'json' };
import mistral from './mistral/prices.json' with { type: 'json' };
import moonshot from './moonshot/prices.json' with { type: 'json' };
import openai from './openai/prices.json' with { type: 'json' };
import perplexity from './perplexity/prices.json' with { type: 'json' };
import vidu from './vidu/prices.json' with { type: 'json' };
import volcengine from './volcengine/prices.json' with { type: 'json' };
import xai from './xai/prices.json' with { type: 'json' };
import zhipu from './zhipu/prices.json' with { type: 'json' };

/** A rule for models, whose names are a regular expression. The first rule that matches applies. */
interface NameRule {
  readonly models: string;
}

/** The file `prices.json` of a maker. `note` and `source` of its parts are for readers. */
export interface PricesFile {
  /** The channel type of the maker's own API, which serves its current models. */
  readonly channelType?: number;
  /** Month in which the prices were read, from public price tables. */
  readonly asOf: string;
  /** The page that the maker publishes its prices on. */
  readonly source?: string;
  /**
   * The completion ratios of models without a list price. A locked ratio takes precedence over the list price and over the
   * CompletionRatio setting.
   */
  readonly completion?: ReadonlyArray<NameRule & { ratio: number; locked?: boolean; anyCase?: boolean }>;
  /** The ratios of audio input to text input, for models that do not have the usual ratio. */
  readonly audio?: ReadonlyArray<NameRule & { ratio: number }>;
  /** The prices of tools that the maker runs, for models without a list price. */
  readonly tools?: ReadonlyArray<NameRule & { prices: ToolFees }>;
  /** Models that the maker ended. They keep their list prices: log rows have them, and other providers may serve them. */
  readonly ended?: readonly string[];
  /** Models whose price no published list that the price sync reads states as it is here. An update from such a list keeps them. */
  readonly byHand?: ReadonlyArray<{ readonly models: readonly string[]; readonly why: string }>;
  /** List prices. A name that ends with `*` stands for all names that begin so. */
  readonly cards?: ReadonlyArray<
    { readonly models: readonly string[]; readonly note?: string } & Omit<PriceCard, 'source' | 'asOf'>
  >;
}

/** The schema of the files is checked by `prices.test.ts`. The first rule of all makers that matches applies. */
export const pricesByMaker = {
  openai,
  anthropic,
  gemini,
  deepseek,
  xai,
  mistral,
  cohere,
  ali,
  moonshot,
  zhipu,
  minimax,
  volcengine,
  kling,
  vidu,
  perplexity,
  baidu,
  meta,
} as Readonly<Record<string, PricesFile>>;
