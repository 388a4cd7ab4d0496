import { omitUndefined } from '../../../shared/omit-undefined.js';
import type { Dropped } from '../../neutral/field-name.js';
import { asFields, asFieldsList, either, type Fields, type Json } from '../../neutral/fields.js';

/** Fields of Google's own API in a chat request. */
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

/** Fields of a chat request that contain `google`. Google's documentation names both. */
export const googleHolders: ReadonlySet<string> = new Set(['extra_body', 'google']);

/**
 * Reads Google's own fields from `extra_body.google`, as its OpenAI-compatible API does, or from `google`, because
 * OpenAI's library merges `extra_body` into the request
 * (docs/reference/providers/gemini-and-vertex.md#chat-to-generatecontent).
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

/**
 * Combines two settings of thinking. Whether to show thoughts applies together with an effort from another field; a
 * budget replaces the effort.
 */
export function withThinking(given: Fields | undefined, usual: Fields | undefined): Fields | undefined {
  const hasAmount = given?.['thinkingBudget'] !== undefined || given?.['thinkingLevel'] !== undefined;
  return given && usual && !hasAmount ? { ...usual, ...given } : (given ?? usual);
}

/** Combines safety settings. The client's setting of a category replaces the site's. */
export function withSafety(usual: readonly Fields[], given: readonly Fields[]): Fields[] {
  const categories = new Set(given.map(({ category }) => category));
  return [...usual.filter(({ category }) => !categories.has(category)), ...given];
}

/** Returns the fields that have a counterpart. The others are dropped, and reported by name. */
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

/** Converts `max_output_tokens` to `maxOutputTokens`. Values are not changed, because a schema has its own names. */
export const camelCased = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.replace(/(?<=[a-z])_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
