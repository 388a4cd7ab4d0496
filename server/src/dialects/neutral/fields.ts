import { asFields, type Fields, type Json } from '../../shared/json.js';

export { asFields, either, parseFields, parseJson, type Fields, type Json } from '../../shared/json.js';

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

/** The fields that are not among `names`. */
export function without(fields: Fields, names: ReadonlySet<string>): Json {
  const rest: Json = {};
  for (const [name, value] of Object.entries(fields)) {
    if (!names.has(name) && value !== undefined) rest[name] = value;
  }
  return rest;
}
