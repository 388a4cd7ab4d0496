/** Comma lists of channels: models, groups and keys. */

/** Trimmed, without blanks and without duplicates, in the order given. */
export function splitList(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim());
  return [...new Set(parts.filter(Boolean))];
}

export const normaliseList = (text: string): string => splitList(text).join(',');

/** Vertex AI: its key is a JSON document, never a list. */
export const wholeKeyType = 41;

/** The keys of a channel: between commas or on lines of their own; blanks are dropped. */
export function splitKeys(type: number, key: string): string[] {
  if (type === wholeKeyType) return key.trim() === '' ? [] : [key.trim()];
  return key
    .split(/[,\r\n]/)
    .map((part) => part.trim())
    .filter(Boolean);
}
