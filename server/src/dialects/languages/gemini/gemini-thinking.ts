import { hasSettings, isOff, type Effort, type Reasoning } from '../../neutral/request.js';
import type { GeminiTraits } from './gemini-model.js';
import type { GeminiSettings } from './gemini-settings.js';
import type { Json } from '../../neutral/fields.js';

const maxBudget = 24_576;
const maxProBudget = 32_768;
/** Minimum budget in tokens of the pro models, which cannot turn thinking off. */
const minProBudget = 128;

const budgets: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: maxBudget,
  xhigh: maxBudget,
  max: maxBudget,
};

/**
 * Returns `thinkingConfig` of a call. Undefined if it is not sent, because models without thinking refuse it
 * (docs/reference/providers/gemini-and-vertex.md#gemini-thinking).
 */
export function thinkingConfig(
  model: string,
  suffix: string | null,
  reasoning: Reasoning | undefined,
  maxOutput: number | undefined,
  traits: GeminiTraits,
  settings: GeminiSettings,
): Json | undefined {
  if (traits.thinking === 'none') return undefined;
  const said = reasoning && hasSettings(reasoning) ? reasoning : suffix ? ofSuffix(suffix, maxOutput, settings) : null;
  if (said) return traits.thinking === 'level' ? byLevel(said, traits) : byBudget(said, traits);
  const shown = reasoning?.visible === true || settings.thinkingModels.includes(model);
  return shown ? { includeThoughts: true } : undefined;
}

function ofSuffix(suffix: string, maxOutput: number | undefined, settings: GeminiSettings): Reasoning {
  if (suffix === 'nothinking') return { off: true, given: {} };
  const share = Math.floor((maxOutput ?? 0) * settings.thinkingShare);
  return { budget: share > 0 && share <= maxBudget ? share : maxBudget, given: {} };
}

function byBudget(reasoning: Reasoning, traits: GeminiTraits): Json {
  if (isOff(reasoning)) return { thinkingBudget: traits.pro ? minProBudget : 0 };
  if (reasoning.budget === undefined && reasoning.effort === undefined)
    return { thinkingBudget: -1, includeThoughts: true };
  const most = traits.pro ? maxProBudget : maxBudget;
  const wanted = reasoning.budget ?? budgets[reasoning.effort ?? 'medium'];
  return { thinkingBudget: Math.min(Math.max(wanted, traits.pro ? minProBudget : 0), most), includeThoughts: true };
}

/** From generation 3 on, thinking cannot be turned off, only set to the lowest level. */
function byLevel(reasoning: Reasoning, traits: GeminiTraits): Json {
  if (isOff(reasoning)) return { thinkingLevel: traits.pro ? 'low' : 'minimal' };
  const level = reasoning.effort ? levels[reasoning.effort] : levelOfBudget(reasoning.budget);
  if (level === undefined) return { includeThoughts: true };
  return { thinkingLevel: level === 'minimal' && traits.pro ? 'low' : level, includeThoughts: true };
}

const levels: Readonly<Record<Effort, string>> = {
  none: 'minimal',
  minimal: 'minimal',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
};

const levelOfBudget = (budget: number | undefined): string | undefined =>
  budget === undefined ? undefined : budget <= 2048 ? 'low' : budget <= 8192 ? 'medium' : 'high';
