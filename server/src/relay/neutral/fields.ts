/** An untrusted JSON object: every value must be checked before use. */
export type Fields = Readonly<Record<string, unknown>>;

/** @returns null for anything but an object */
export const asFields = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;

/** @returns an empty list for anything but a list */
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

/** The objects of a list; other entries are skipped. */
export const asFieldsList = (value: unknown): Fields[] =>
  asList(value)
    .map(asFields)
    .filter((entry) => entry !== null);

/** @returns '' for anything but text */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** @returns undefined for anything but a non-empty text */
export const someText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** @returns undefined for anything but a finite number */
export const someNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** The value of the first existing key: several providers accept both `snake_case` and `camelCase`. */
export const either = (fields: Fields, ...names: readonly string[]): unknown => {
  for (const name of names) if (fields[name] !== undefined) return fields[name];
  return undefined;
};

/** The fields that are not among `names`. */
export function without(fields: Fields, names: ReadonlySet<string>): Record<string, unknown> {
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (!names.has(name) && value !== undefined) rest[name] = value;
  }
  return rest;
}

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
