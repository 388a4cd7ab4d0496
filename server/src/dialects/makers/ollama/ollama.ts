import type { Adapter } from '../../contract.js';
import { asFields, asFieldsList, asList, someText } from '../../neutral/fields.js';
import { toCount } from '../../languages/openai/usage.js';
import { embeddingTexts } from '../openai-compatible/embedding-texts.js';
import { bearerIfGiven } from '../openai-compatible/address.js';
import type { OpenAiVariant } from '../openai-compatible/variant.js';
import { usageFields } from '../../languages/openai/one-shot-usage.js';
import { oneShot, othersThan } from '../openai-compatible/one-shot.js';
import { openAICompatible } from '../openai-compatible/openai-compatible.js';
import { ollamaChat } from './ollama-chat.js';

/** Reasoning has other field names here (docs/reference/providers/own-protocols.md#ollama). */
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

const variant: OpenAiVariant = {
  credentials: bearerIfGiven,
  capabilities: { completions: true },
  answer: named,
  chunk: named,
};

const options = ['seed', 'temperature', 'top_p', 'frequency_penalty', 'presence_penalty'] as const;

/** `/api/embed`: sampling parameters belong into `options`. */
function embedBody(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { model, input, dimensions } = body;
  const chosen = Object.fromEntries(
    options.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]),
  );
  return {
    model,
    input: embeddingTexts({ input }),
    ...(dimensions === undefined ? {} : { dimensions }),
    ...(Object.keys(chosen).length > 0 ? { options: chosen } : {}),
  };
}

const embeddings = oneShot(variant, '/api/embed', {
  body: embedBody,
  dropped: othersThan('input', 'dimensions', ...options),
  answer: (answer, _request, target) => ({
    object: 'list',
    model: target.requestedModel,
    data: asList(answer['embeddings']).map((embedding, index) => ({ object: 'embedding', index, embedding })),
    ...usageFields(toCount(answer['prompt_eval_count'])),
  }),
});

export const ollama: Adapter = { ...openAICompatible(variant), embeddings };

const { chat: _chat, ...others } = ollama;
/** Chat at `/api/chat`. */
export const ollamaNative: Adapter = { ...others, conversation: ollamaChat };
