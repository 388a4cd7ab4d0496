import { asFieldsList, type Json } from '../../neutral/fields.js';
import type { OpenAiVariant, EndpointPath } from './variant.js';

/**
 * Completion between a prompt and a suffix by legacy completions, which take a `suffix`.
 * @param place the path of legacy completions
 */
export const fimByCompletions = (
  variant: OpenAiVariant,
  place: EndpointPath,
): readonly [OpenAiVariant, EndpointPath] => [
  {
    ...variant,
    rules: undefined,
    answer: (answer, target) =>
      asChat(variant.answer?.(answer, target) ?? answer, 'chat.completion', (content) => ({
        message: { role: 'assistant', content },
      })),
    chunk: (chunk, target) =>
      asChat(variant.chunk?.(chunk, target) ?? chunk, 'chat.completion.chunk', (content) => ({ delta: { content } })),
  },
  typeof place === 'function'
    ? (base, call, target) => place(base, { ...call, path: completionsPath }, target)
    : place === true
      ? completionsPath
      : place,
];

const completionsPath = '/v1/completions';

function asChat(answer: Json, object: string, said: (content: unknown) => Json): Json {
  const choices = asFieldsList(answer['choices']).map(({ text, ...choice }) => ({ ...choice, ...said(text ?? '') }));
  return { ...answer, object, choices };
}
