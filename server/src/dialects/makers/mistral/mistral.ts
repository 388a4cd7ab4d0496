import type { Adapter } from '../../contract.js';
import { UpstreamError } from '../../errors/upstream-error.js';
import { withAnsweredResults } from '../../corrections/corrected-turns.js';
import { asFields, asFieldsList, asList, asText, someText, type Fields } from '../../neutral/fields.js';
import { thoughtOf } from '../../languages/openai/chat-read.js';
import { oneShot, without } from '../openai-compatible/one-shot.js';
import type { BodyRules, OpenAiVariant } from '../openai-compatible/variant.js';
import { familyRules, openAICompatible } from '../openai-compatible/openai-compatible.js';

/** Returns the request changes of type 42 (docs/reference/providers/openai-family.md#request-changes). */
function mistralRules(body: Fields, model: string): BodyRules {
  const changes: Record<string, unknown> = {};
  if (body['tool_choice'] === 'required') changes['tool_choice'] = 'any';
  if (body['seed'] !== undefined) {
    changes['seed'] = undefined;
    if (body['seed'] !== null) changes['random_seed'] = body['seed'];
  }
  const limit = body['max_completion_tokens'];
  if (limit !== undefined) {
    changes['max_completion_tokens'] = undefined;
    if (limit !== null) changes['max_tokens'] = body['max_tokens'] ?? limit;
  }
  if (Array.isArray(body['messages'])) {
    const given = body['messages'] as unknown[];
    const messages = asList(withAnsweredResults(given.map(toMessage)));
    if (messages.some((message, index) => message !== given[index])) changes['messages'] = messages;
  }
  if (Array.isArray(body['tools'])) {
    const given = body['tools'] as unknown[];
    const tools = given.map(withParameters);
    if (tools.some((tool, index) => tool !== given[index])) changes['tools'] = tools;
  }
  return { model, changes: Object.keys(changes).length > 0 ? changes : null };
}

/** Mistral refuses a function without parameters. */
function withParameters(given: unknown): unknown {
  const tool = asFields(given);
  const named = asFields(tool?.['function']);
  if (!tool || !named || asFields(named['parameters'])) return given;
  return { ...tool, function: { ...named, parameters: { type: 'object', properties: {} } } };
}

/** @returns the same message when nothing in it has to change */
function toMessage(given: unknown): unknown {
  const message = asFields(given);
  if (!message) return given;
  const changed: Record<string, unknown> = {};
  const parts = message['content'];
  if (Array.isArray(parts) && parts.some((part) => asFields(asFields(part)?.['image_url']))) {
    changed['content'] = (parts as unknown[]).map(plainImage);
  }
  // The maker's own responses contain reasoning in the content.
  if (message['reasoning_content'] !== undefined) changed['reasoning_content'] = undefined;
  if (parts === null && Array.isArray(message['tool_calls'])) changed['content'] = undefined;
  return Object.keys(changed).length > 0 ? { ...message, ...changed } : given;
}

/** Mistral expects the URL itself instead of an object that contains it. */
function plainImage(given: unknown): unknown {
  const part = asFields(given);
  const url = asFields(part?.['image_url'])?.['url'];
  return part && typeof url === 'string' ? { ...part, image_url: url } : given;
}

/** Content in parts becomes text and `reasoning_content`, which clients of the family expect. */
function flatContent(holder: Fields): Fields {
  if (!Array.isArray(holder['content'])) return holder;
  const pieces = asFieldsList(holder['content']);
  const text = pieces.map((piece) => (piece['type'] === 'text' ? asText(piece['text']) : '')).join('');
  const thought = pieces.map((piece) => (piece['type'] === 'thinking' ? thoughtOf(piece['thinking']) : '')).join('');
  const rest = pieces.filter((piece) => piece['type'] !== 'text' && piece['type'] !== 'thinking');
  return {
    ...holder,
    content: rest.length > 0 ? [...(text ? [{ type: 'text', text }] : []), ...rest] : text,
    ...(thought ? { reasoning_content: thought } : {}),
  };
}

function normalize(answer: Record<string, unknown>): Record<string, unknown> {
  if (answer['object'] === 'error') {
    throw new UpstreamError(502, {
      message: someText(answer['message']) ?? 'The provider reported an error',
      type: someText(answer['type']) ?? 'upstream_error',
      code: typeof answer['code'] === 'number' ? answer['code'] : (someText(answer['code']) ?? null),
    });
  }
  const choices = asFieldsList(answer['choices']);
  const changed = choices.map((choice) => {
    const name = choice['message'] === undefined ? 'delta' : 'message';
    const holder = asFields(choice[name]);
    const flat = holder ? flatContent(holder) : null;
    const tooLong = choice['finish_reason'] === 'model_length';
    if (flat === holder && !tooLong) return choice;
    return { ...choice, ...(flat ? { [name]: flat } : {}), ...(tooLong ? { finish_reason: 'length' } : {}) };
  });
  return changed.some((choice, index) => choice !== choices[index]) ? { ...answer, choices: changed } : answer;
}

const variant: OpenAiVariant = {
  capabilities: { fim: '/v1/fim/completions' },
  rules: mistralRules,
  answer: normalize,
  chunk: normalize,
};

/** The length of vectors has another name, and Mistral refuses fields that it does not know. */
const embeddings = oneShot(variant, '/v1/embeddings', {
  ...familyRules.embeddings,
  dropped: without('user').dropped,
  body: ({ dimensions, user: _user, ...rest }) => ({
    ...rest,
    ...(dimensions === undefined ? {} : { output_dimension: dimensions }),
  }),
});

export const mistral: Adapter = { ...openAICompatible(variant), embeddings };
