/** An untrusted JSON object: every value must be checked before use. */
export type Fields = Readonly<Record<string, unknown>>;

/** A JSON object that is being written. */
export type Json = Record<string, unknown>;

/** @returns null for anything but an object */
export const asFields = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;

/** @returns undefined for invalid JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** @returns null for anything but the JSON text of an object */
export const parseFields = (text: string): Fields | null => asFields(parseJson(text));
