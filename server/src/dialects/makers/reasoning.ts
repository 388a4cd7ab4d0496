import type { Effort } from '../neutral/request.js';
import ali from './ali/reasoning.json' with { type: 'json' };
import anthropic from './anthropic/reasoning.json' with { type: 'json' };
import baidu from './baidu/reasoning.json' with { type: 'json' };
import cohere from './cohere/reasoning.json' with { type: 'json' };
import deepseek from './deepseek/reasoning.json' with { type: 'json' };
import gemini from './gemini/reasoning.json' with { type: 'json' };
import lingyi from './lingyi/reasoning.json' with { type: 'json' };
import meta from './meta/reasoning.json' with { type: 'json' };
import minimax from './minimax/reasoning.json' with { type: 'json' };
import mistral from './mistral/reasoning.json' with { type: 'json' };
import moonshot from './moonshot/reasoning.json' with { type: 'json' };
import openai from './openai/reasoning.json' with { type: 'json' };
import tencent from './tencent/reasoning.json' with { type: 'json' };
import xai from './xai/reasoning.json' with { type: 'json' };
import zhipu from './zhipu/reasoning.json' with { type: 'json' };

/** The file `reasoning.json` of a maker. Names of models are regular expressions for the beginning of a name. */
export interface ReasoningFile {
  /** Models without reasoning that refuse the field. */
  readonly refusesEffort?: readonly string[];
  /** Efforts that models accept. A model refuses a call with any other effort. The first match applies. */
  readonly efforts?: ReadonlyArray<{ readonly models: string; readonly taken: readonly Effort[] }>;
  /** Models that think only if a request asks for it, or never. Their whole output is visible. */
  readonly thinksOnlyWhenAsked: readonly string[];
}

/** The schema of the files is checked by `reasoning.test.ts`. */
export const reasoningByMaker = {
  ali,
  anthropic,
  baidu,
  cohere,
  deepseek,
  gemini,
  lingyi,
  meta,
  minimax,
  mistral,
  moonshot,
  openai,
  tencent,
  xai,
  zhipu,
} as Readonly<Record<string, ReasoningFile>>;

const files = Object.values(reasoningByMaker);

/** Matches names that begin with one of the patterns. */
const beginning = (patterns: readonly string[], flags = ''): RegExp => new RegExp(`^(?:${patterns.join('|')})`, flags);

export const refusingEffort = beginning(files.flatMap(({ refusesEffort = [] }) => refusesEffort));

export const takenEfforts = files
  .flatMap(({ efforts = [] }) => efforts)
  .map(({ models, taken }) => ({ models: beginning([models]), taken }));

export const thinkingOnlyWhenAsked = beginning(
  files.flatMap(({ thinksOnlyWhenAsked }) => thinksOnlyWhenAsked),
  'i',
);
