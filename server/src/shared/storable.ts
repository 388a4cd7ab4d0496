/** Text that Postgres can store: without NUL, and with U+FFFD in place of lone surrogates. */
export const storableText = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** Escapes that Postgres refuses. JSON.stringify writes them for NUL and lone surrogates only, never for pairs. */
const suspect = /\\u(?:0000|d[89a-f])/;

/**
 * JSON text that Postgres accepts as `json` and `jsonb`, with names and values made storable. Costs one regular expression
 * when nothing has to change. Replaces values instead of escapes, because `\\u0000` is an escaped backslash and text.
 */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  return suspect.test(json) ? JSON.stringify(value, clean) : json;
}

function clean(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [storableText(name), field]));
}
