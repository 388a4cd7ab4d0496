import type { Adapter } from '../../adapter.js';
import { asFields, asFieldsList, someText } from '../../neutral/fields.js';
import { bearerIfGiven } from '../openai-compatible/credentials.js';
import { openAICompatible } from '../openai-compatible/openai-compatible.js';

/** Thoughts stand under other names here (`relay-providers.md` 5.14). */
function named(answer: Record<string, unknown>): Record<string, unknown> {
  const choices = asFieldsList(answer['choices']);
  let changed = false;
  const renamed = choices.map((choice) => {
    const name = choice['message'] === undefined ? 'delta' : 'message';
    const holder = asFields(choice[name]);
    const thought = someText(holder?.['reasoning']) ?? someText(holder?.['thinking']);
    if (!holder || thought === undefined || holder['reasoning_content'] !== undefined) return choice;
    changed = true;
    const { reasoning: _reasoning, thinking: _thinking, ...rest } = holder;
    return { ...choice, [name]: { ...rest, reasoning_content: thought } };
  });
  return changed ? { ...answer, choices: renamed } : answer;
}

export const ollama: Adapter = openAICompatible({
  defaultBaseUrl: 'http://localhost:11434',
  credentials: bearerIfGiven,
  streamUsage: true,
  answer: named,
  chunk: named,
});
