import ali from './ali/limits.json' with { type: 'json' };
import anthropic from './anthropic/limits.json' with { type: 'json' };
import cohere from './cohere/limits.json' with { type: 'json' };
import deepseek from './deepseek/limits.json' with { type: 'json' };
import gemini from './gemini/limits.json' with { type: 'json' };
import meta from './meta/limits.json' with { type: 'json' };
import minimax from './minimax/limits.json' with { type: 'json' };
import mistral from './mistral/limits.json' with { type: 'json' };
import moonshot from './moonshot/limits.json' with { type: 'json' };
import openai from './openai/limits.json' with { type: 'json' };
import perplexity from './perplexity/limits.json' with { type: 'json' };
import volcengine from './volcengine/limits.json' with { type: 'json' };
import xai from './xai/limits.json' with { type: 'json' };
import zhipu from './zhipu/limits.json' with { type: 'json' };

/** The maximum input and output of a model in tokens. 0: not published. */
export interface PublishedLimits {
  readonly input: number;
  readonly output: number;
  readonly models: readonly string[];
}

/** The file `limits.json` of a maker. */
interface LimitsFile {
  /** Month of the public price tables that the figures are from. */
  readonly asOf: string;
  readonly limits: readonly PublishedLimits[];
}

/**
 * Limits by maker. A dated name is listed only if its limits differ from those of the name without a date. Operators
 * set their own figures in the option `ModelMaxOutput`.
 */
export const limitsByMaker: Readonly<Record<string, LimitsFile>> = {
  ali,
  anthropic,
  cohere,
  deepseek,
  gemini,
  meta,
  minimax,
  mistral,
  moonshot,
  openai,
  perplexity,
  volcengine,
  xai,
  zhipu,
};

export const publishedLimits: readonly PublishedLimits[] = Object.values(limitsByMaker).flatMap(({ limits }) => limits);
