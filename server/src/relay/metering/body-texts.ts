import type { Fields } from '../neutral/fields.js';

/** Fields that contain encoded images, audio and files instead of text. */
const media = new Set([
  'data',
  'image_url',
  'file_data',
  'b64_json',
  'url',
  'signature',
  'thoughtSignature',
  'encrypted_content',
]);
const maxDepth = 32;

/**
 * All text in a value, for any dialect, as input for the list of blocked words and for estimates. Includes at least
 * everything the user wrote, also names of roles and types, but no media.
 */
export function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  collect(value, texts, 0);
  return texts;
}

function collect(value: unknown, texts: string[], depth: number): void {
  if (typeof value === 'string') {
    if (value !== '') texts.push(value);
    return;
  }
  if (typeof value !== 'object' || value === null || depth > maxDepth) return;
  if (Array.isArray(value)) {
    for (const entry of value as unknown[]) collect(entry, texts, depth + 1);
    return;
  }
  const fields = value as Fields;
  for (const name in fields) if (!media.has(name)) collect(fields[name], texts, depth + 1);
}
