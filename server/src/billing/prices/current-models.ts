import { anthropicCards } from './built-in-cards/anthropic.js';
import type { BuiltInCards } from './built-in-cards/built-in-card.js';
import {
  doubaoCards,
  klingCards,
  minimaxCards,
  moonshotCards,
  qwenCards,
  viduCards,
  zhipuCards,
} from './built-in-cards/chinese.js';
import { googleCards } from './built-in-cards/google.js';
import { openaiCards } from './built-in-cards/openai.js';
import { cohereCards, deepseekCards, mistralCards, perplexityCards, xaiCards } from './built-in-cards/western.js';

/** Price lists by the channel type of the provider that they are from. */
const byType = new Map<number, BuiltInCards>([
  [1, openaiCards],
  [14, anthropicCards],
  [17, qwenCards],
  [24, googleCards],
  [25, moonshotCards],
  [26, zhipuCards],
  [27, perplexityCards],
  [34, cohereCards],
  [35, minimaxCards],
  [42, mistralCards],
  [43, deepseekCards],
  [45, doubaoCards],
  [48, xaiCards],
  [50, klingCards],
  [52, viduCards],
]);

/**
 * Models that their makers ended until November 2026. They keep their list prices: log rows have them, and other providers may
 * serve them.
 */
const ended: ReadonlySet<string> = new Set([
  ...['gpt-4.1-nano', 'gpt-4.1-nano-2025-04-14', 'gpt-audio-mini-2025-10-06', 'sora-2', 'sora-2-pro'],
  ...['gpt-5-codex', 'gpt-5.1-codex', 'gpt-5.1-codex-max', 'gpt-5.1-codex-mini', 'gpt-5.2-codex'],
  ...['gemini-2.5-flash-native-audio-preview-12-2025', 'gemini-2.5-flash-preview-tts', 'gemini-2.5-pro-preview-tts'],
  ...['gemini-3.1-flash-live-preview', 'gemini-3.1-flash-tts-preview'],
  ...['veo-3.1-generate-preview', 'veo-3.1-fast-generate-preview', 'veo-3.1-lite-generate-preview'],
]);

/** Models of a provider that have a list price and are not ended; none for channel types that are not a provider's own. */
export const currentModels = (channelType: number): readonly string[] =>
  (byType.get(channelType)?.cards ?? [])
    .flatMap(({ names }) => names.split(' '))
    .filter((name) => !name.endsWith('*') && !ended.has(name))
    .sort();
