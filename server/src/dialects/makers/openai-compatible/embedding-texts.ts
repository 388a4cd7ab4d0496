import { unsupported } from '../../neutral/field-name.js';
import type { Fields } from '../../neutral/fields.js';

/**
 * Returns the texts of an embeddings call, for providers that accept only texts.
 * @throws AppError UNSUPPORTED_BY_CHANNEL for lists of tokens, which another channel may take
 */
export function embeddingTexts({ input }: Fields): string[] {
  const given = Array.isArray(input) ? (input as unknown[]) : [input];
  return given.map((text) => {
    if (typeof text !== 'string') throw unsupported('input', 'it accepts text, not tokens');
    return text;
  });
}
