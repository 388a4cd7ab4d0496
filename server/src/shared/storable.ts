/** Text that Postgres can hold: without NUL, and with U+FFFD where half of a surrogate pair stands alone. */
export const storableText = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** JSON.stringify writes exactly what Postgres refuses as escapes; those of pairs it never writes. */
const suspect = /\\u(?:0000|d[89a-f])/;

/**
 * JSON text that Postgres takes as `json` and `jsonb`, whatever somebody named something. Costs one look where nothing is
 * wrong; looks at the values and not at the escapes, because an escaped backslash before `u0000` is a text like any other.
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
