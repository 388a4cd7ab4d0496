type Fields = Readonly<Record<string, unknown>>;

/** Fields that hold pictures, sound and files as text: not words. */
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
 * Everything in a value that reads as text, whatever the dialect: at least what a person wrote, for the list of words
 * nobody may send and for estimates. Names of roles and types are among it; media are not.
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
