import type { Adapter } from '../../contract.js';
import { asFields, asFieldsList, asList, asText, someText, type Fields } from '../../neutral/fields.js';
import { openAICompatible } from '../openai-compatible/openai-compatible.js';

/**
 * Converts sources, which are next to the choices. Clients of other dialects expect them as annotations of the text.
 */
function withCitations(answer: Record<string, unknown>): Record<string, unknown> {
  const sources = sourcesOf(answer);
  const choices = asFieldsList(answer['choices']);
  const isWhole = choices.some((choice) => choice['finish_reason'] !== null && choice['finish_reason'] !== undefined);
  if (sources.length === 0 || !isWhole) return answer;
  return { ...answer, choices: choices.map((choice) => annotated(choice, sources)) };
}

function sourcesOf(answer: Fields): Fields[] {
  const results = asFieldsList(answer['search_results']);
  const found =
    results.length > 0
      ? results.map(({ url, title }) => ({ url: asText(url), title: asText(title) }))
      : asList(answer['citations']).map((url) => ({ url: asText(url), title: '' }));
  return found
    .filter(({ url }) => url !== '')
    .map(({ url, title }) => ({ type: 'url_citation', url_citation: { url, title: title || url } }));
}

function annotated(choice: Fields, annotations: readonly Fields[]): Fields {
  const name = choice['delta'] === undefined ? 'message' : 'delta';
  const holder = asFields(choice[name]) ?? {};
  return holder['annotations'] === undefined ? { ...choice, [name]: { ...holder, annotations } } : choice;
}

/** Chunks carry both a delta and the message so far, which clients would count twice. */
function chunkOf(chunk: Record<string, unknown>): Record<string, unknown> {
  const choices = asFieldsList(chunk['choices']).map((choice) => {
    const { message: _message, ...rest } = choice;
    return choice['delta'] === undefined ? choice : rest;
  });
  return withCitations({ ...chunk, object: someText(chunk['object']) ?? 'chat.completion.chunk', choices });
}

/** Type 27: the path has no version, and functions cannot be called. */
export const perplexity: Adapter = openAICompatible({
  chat: '/chat/completions',
  answer: withCitations,
  chunk: chunkOf,
});
