import { hasSettings, type Effort, type Reasoning } from '../../neutral/request.js';
import { claudeTraits } from './claude-model.js';
import { maxTokensFor, usualMaxTokens, type ClaudeSettings } from './claude-settings.js';
import type { Json } from '../../neutral/fields.js';

/** How a call thinks, and the output limit that this requires. */
export interface ThinkingPlan {
  readonly maxTokens: number;
  /** The field `thinking`; undefined if it is not sent. */
  readonly thinking?: Json;
  /** The value of `output_config.effort`. */
  readonly effort?: string;
  /** Whether the model will think. The provider then refuses some sampling parameters and tool choices. */
  readonly active: boolean;
  /** Whether the requested effort was left out, because the model cannot think, or always thinks. */
  readonly ignored: boolean;
}

const suffix = '-thinking';
const minBudget = 1024;
/** Minimum output limit in tokens, which leaves room for thinking and for a response after it. */
const minMaxTokens = 1280;

/** Removes the suffix of `claude-x-thinking`, which is `claude-x` with thinking, if the admin enabled it. */
export function cutThinkingSuffix(model: string, settings: ClaudeSettings): { model: string; suffixed: boolean } {
  const suffixed = settings.thinkingSuffix && model.endsWith(suffix) && model.length > suffix.length;
  return { model: suffixed ? model.slice(0, -suffix.length) : model, suffixed };
}

/** Fractions of the output limit (docs/reference/providers/anthropic.md#thinking). */
const shares: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 0.2,
  low: 0.2,
  medium: 0.5,
  high: 0.8,
  xhigh: 0.8,
  max: 0.8,
};

const quiet = (maxTokens: number): ThinkingPlan => ({ maxTokens, active: false, ignored: false });

/**
 * @param model without the suffix
 * @param suffixed whether the name requested thinking; the client's explicit fields take precedence
 * @param wanted `max_tokens` of the client; undefined when absent
 */
export function planThinking(
  model: string,
  suffixed: boolean,
  reasoning: Reasoning | undefined,
  wanted: number | undefined,
  settings: ClaudeSettings,
): ThinkingPlan {
  const maxTokens = wanted ?? maxTokensFor(model, settings);
  // Without a limit of the client, the admin's usual limit is the base, so that a call does not think for hours.
  const base = wanted ?? usualMaxTokens(model, settings);
  if (reasoning && hasSettings(reasoning)) return planFor(model, reasoning, maxTokens, base);
  if (!suffixed) return quiet(maxTokens);
  const traits = claudeTraits(model);
  if (traits.thinking === 'adaptive') return { maxTokens, thinking: adaptive(model), active: true, ignored: false };
  return withBudget(maxTokens, Math.floor(Math.max(base, minMaxTokens) * settings.thinkingShare));
}

function planFor(model: string, reasoning: Reasoning, maxTokens: number, base: number): ThinkingPlan {
  const { effort, budget } = reasoning;
  const traits = claudeTraits(model);
  if (traits.thinking === 'none') return { ...quiet(maxTokens), ignored: effort !== 'none' && !reasoning.off };
  if (effort === 'none' || reasoning.off) {
    return traits.alwaysThinks
      ? { ...quiet(maxTokens), effort: 'low', ignored: true }
      : { ...quiet(maxTokens), thinking: { type: 'disabled' } };
  }
  if (traits.thinking === 'adaptive') {
    const level =
      effort === undefined
        ? budget === undefined
          ? undefined
          : effortOfBudget(budget)
        : claudeEffort(effort, traits.extraEffort);
    return {
      maxTokens,
      thinking: adaptive(model),
      ...(level === undefined ? {} : { effort: level }),
      active: true,
      ignored: false,
    };
  }
  if (budget !== undefined) return withBudget(maxTokens, budget);
  return withBudget(maxTokens, Math.floor(base * shares[effort ?? 'medium']));
}

const effortOfBudget = (budget: number): string => (budget <= 2048 ? 'low' : budget <= 8192 ? 'medium' : 'high');

const claudeEffort = (effort: Effort, extra: boolean): string => {
  if (effort === 'minimal') return 'low';
  return effort === 'xhigh' && !extra ? 'high' : effort;
};

const adaptive = (model: string): Json =>
  claudeTraits(model).hidesThoughts ? { type: 'adaptive', display: 'summarized' } : { type: 'adaptive' };

/** Sets a budget of at least 1024 tokens that is below the limit. The limit is raised if it leaves no room. */
function withBudget(maxTokens: number, budget: number): ThinkingPlan {
  const limit = Math.max(maxTokens, minMaxTokens);
  const given = Math.min(Math.max(budget, minBudget), limit - 1);
  return { maxTokens: limit, thinking: { type: 'enabled', budget_tokens: given }, active: true, ignored: false };
}
