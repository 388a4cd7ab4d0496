import { anthropicCards } from './built-in-cards/anthropic.js';
import type { BuiltInCards } from './built-in-cards/built-in-card.js';
import { doubaoCards, minimaxCards, moonshotCards, qwenCards, zhipuCards } from './built-in-cards/chinese.js';
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
]);

/** Models of a provider that have a list price; none for channel types that are not a provider's own. */
export const currentModels = (channelType: number): readonly string[] =>
  (byType.get(channelType)?.cards ?? [])
    .flatMap(({ names }) => names.split(' '))
    .filter((name) => !name.endsWith('*'))
    .sort();
