import { omitUndefined } from '../../../shared/omit-undefined.js';
import type { Dropped } from '../../neutral/field-name.js';
import { asFields, asFieldsList, either, type Fields, type Json } from '../../neutral/fields.js';

/** The fields of Google's own that a chat request carries. */
export interface GoogleFields {
  /** Top-level fields of `generateContent`. */
  readonly body: Json;
  /** Safety settings, each for one category. */
  readonly safety: readonly Fields[];
  readonly thinking?: Fields;
  readonly image?: Fields;
}

const names = new Set([
  ...['thinking_config', 'thinkingConfig', 'image_config', 'imageConfig'],
  ...['cached_content', 'cachedContent', 'safety_settings', 'safetySettings', 'labels'],
]);

/** Fields of a chat request that hold `google`: Google's documents name both. */
export const googleHolders: ReadonlySet<string> = new Set(['extra_body', 'google']);

/**
 * Google's OpenAI-compatible API takes fields of its own in `extra_body.google`, or in `google`, where OpenAI's library merges
 * its `extra_body` into the request (docs/reference/providers/gemini-and-vertex.md#chat-to-generatecontent).
 */
export function googleFields(extras: Fields, dropped: Dropped): GoogleFields {
  const { google: inner, ...others } = asFields(extras['extra_body']) ?? {};
  for (const name of Object.keys(others)) dropped.add(`extra_body.${name}`);
  const merged = { ...checked(extras['google'], 'google', dropped), ...checked(inner, 'extra_body.google', dropped) };
  const thinking = asFields(either(merged, 'thinkingConfig', 'thinking_config'));
  const image = asFields(either(merged, 'imageConfig', 'image_config'));
  return {
    body: omitUndefined<Json>({
      cachedContent: either(merged, 'cachedContent', 'cached_content'),
      labels: merged['labels'],
    }),
    safety: asFieldsList(either(merged, 'safetySettings', 'safety_settings')),
    ...(thinking ? { thinking: camelCased(thinking) } : {}),
    ...(image ? { image: camelCased(image) } : {}),
  };
}

/** Whether to show thoughts goes with an effort that is named in another field; an amount replaces it. */
export function withThinking(given: Fields | undefined, usual: Fields | undefined): Fields | undefined {
  const hasAmount = given?.['thinkingBudget'] !== undefined || given?.['thinkingLevel'] !== undefined;
  return given && usual && !hasAmount ? { ...usual, ...given } : (given ?? usual);
}

/** The client's setting of a category replaces the site's. */
export function withSafety(usual: readonly Fields[], given: readonly Fields[]): Fields[] {
  const categories = new Set(given.map(({ category }) => category));
  return [...usual.filter(({ category }) => !categories.has(category)), ...given];
}

/** The fields with a counterpart. The others are dropped, by their names. */
function checked(given: unknown, at: string, dropped: Dropped): Fields {
  const fields = asFields(given);
  if (!fields && given !== undefined && given !== null) dropped.add(at);
  const kept: Json = {};
  for (const [name, value] of Object.entries(fields ?? {})) {
    if (value === undefined || value === null) continue;
    if (names.has(name)) kept[name] = value;
    else dropped.add(`${at}.${name}`);
  }
  return kept;
}

/** `max_output_tokens` becomes `maxOutputTokens`. Values are not changed, because a schema has its own names. */
export const camelCased = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.replace(/(?<=[a-z])_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
