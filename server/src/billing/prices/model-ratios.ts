import { builtInCard } from './built-in-prices.js';
import { ratiosOfCard } from './card-ratios.js';

/** A completion ratio by rule. `locked` means that the CompletionRatio setting cannot change it. */
export interface RuledRatio {
  readonly ratio: number;
  readonly locked: boolean;
}

interface Rule extends RuledRatio {
  matches(model: string): boolean;
}

const exactly =
  (...names: string[]) =>
  (model: string): boolean =>
    names.includes(model);
export const startsWith =
  (...prefixes: string[]) =>
  (model: string): boolean =>
    prefixes.some((prefix) => model.startsWith(prefix));
const contains =
  (...parts: string[]) =>
  (model: string): boolean =>
    parts.some((part) => model.includes(part));

const rule = (matches: Rule['matches'], ratio: number, lock: 'locked' | 'open'): Rule => ({
  matches,
  ratio,
  locked: lock === 'locked',
});

/** `gpt-4…` names, except the reverse-engineered `-all` models and the gizmo entries, which only the setting prices. */
const gpt4 =
  (matches: Rule['matches']) =>
  (model: string): boolean =>
    !model.endsWith('-all') && !model.endsWith('-gizmo-*') && matches(model);

/**
 * The first match wins (docs/reference/relay/prices.md#completion-ratio). Fractions are written as fractions, so that
 * they are rounded to a double once.
 */
const completionRules: readonly Rule[] = [
  rule(exactly('gpt-4o-2024-05-13'), 3, 'locked'),
  rule(gpt4(startsWith('gpt-4o')), 4, 'locked'),
  rule(gpt4(startsWith('gpt-4.5-preview')), 2, 'locked'),
  rule(gpt4(startsWith('gpt-4-turbo')), 3, 'locked'),
  rule(
    gpt4((model) => model.startsWith('gpt-4') && /gpt-4-110[56]$/.test(model)),
    3,
    'locked',
  ),
  rule(gpt4(startsWith('gpt-4')), 2, 'open'),
  rule(startsWith('gpt-5.'), 6, 'open'),
  rule(startsWith('gpt-5'), 8, 'open'),
  rule(startsWith('o1', 'o3'), 4, 'locked'),
  rule(exactly('chatgpt-4o-latest'), 3, 'locked'),
  rule(contains('claude-3', 'claude-sonnet-4', 'claude-opus-4'), 5, 'locked'),
  rule(contains('claude-instant-1', 'claude-2'), 3, 'locked'),
  rule(contains('claude-'), 5, 'open'),
  rule((model) => model === 'gpt-3.5-turbo' || (model.startsWith('gpt-3.5') && model.endsWith('0125')), 3, 'locked'),
  rule((model) => model.startsWith('gpt-3.5') && model.endsWith('1106'), 2, 'locked'),
  rule(startsWith('gpt-3.5'), 4 / 3, 'locked'),
  rule(startsWith('mistral-'), 3, 'locked'),
  rule(startsWith('gemini-1.0-pro', 'gemini-1.5-pro'), 4, 'locked'),
  rule(startsWith('gemini-2.5-pro-preview'), 8, 'locked'),
  rule((model) => model.startsWith('gemini-2.5-flash-preview') && model.endsWith('-nothinking'), 4, 'open'),
  rule(startsWith('gemini-2.5-flash-preview'), 35 / 6, 'open'),
  rule(startsWith('gemini-2.5-flash-lite'), 4, 'open'),
  rule(startsWith('gemini-2.5-flash'), 25 / 3, 'open'),
  rule(startsWith('gemini-2.5-pro'), 8, 'open'),
  rule(startsWith('gemini'), 4, 'open'),
  rule(exactly('command-r'), 3, 'locked'),
  rule(exactly('command-r-plus'), 5, 'locked'),
  rule(exactly('command-r-08-2024', 'command-r-plus-08-2024'), 4, 'locked'),
  rule(startsWith('command'), 4, 'open'),
  rule((model) => exactly('deepseek-chat', 'deepseek-reasoner')(model.toLowerCase()), 4, 'locked'),
  rule(startsWith('ERNIE-Speed-', 'ERNIE-Lite-', 'ERNIE-Character', 'ERNIE-Functions'), 2, 'locked'),
  rule(exactly('llama2-70b-4096'), 1.25, 'locked'),
  rule(exactly('llama3-8b-8192'), 2, 'locked'),
  rule(exactly('llama3-70b-8192'), 79 / 59, 'locked'),
];

const unruled: RuledRatio = { ratio: 1, locked: false };

/**
 * The completion ratio of a model by rule, before the CompletionRatio setting is applied. An open rule stands in for models
 * whose list price is not known.
 */
export function ruledCompletionRatio(model: string): RuledRatio {
  const ruled = completionRules.find((candidate) => candidate.matches(model)) ?? unruled;
  if (ruled.locked) return ruled;
  const listed = builtInCard(model);
  const ratio = listed ? ratiosOfCard(listed.card).completionRatio : 0;
  return ratio > 0 ? { ratio, locked: false } : ruled;
}

/** Ratio of audio input to text input (docs/reference/relay/prices.md#audio-ratios). */
export function audioInputRatio(model: string): number {
  if (model.includes('-realtime')) {
    if (model.endsWith('gpt-4o-realtime-preview-2024-12-17')) return 8;
    return model.includes('mini') ? 50 / 3 : 20;
  }
  if (model.includes('-audio')) {
    if (model.includes('mini')) return 200 / 3;
    // OpenAI sells audio for 40 USD since the snapshot of December 2024, which the name without a date stands for.
    return model.includes('gpt-4o-audio-preview') && !model.endsWith('-2024-10-01') ? 16 : 40;
  }
  return 20;
}

/** Ratio of audio output to audio input. */
export const audioOutputRatio = 2;

/** Ratio of tokens written to a provider's prompt cache, the same for every model. */
export const cacheWriteRatio = 1.25;
