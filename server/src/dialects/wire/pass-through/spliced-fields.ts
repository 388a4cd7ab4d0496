import { endOfString, hasLongNumbers, writeJson } from '../../../shared/exact-json.js';
import type { Fields } from '../../neutral/fields.js';

/**
 * Sets and removes fields of a JSON object. All other values keep their original text, if parsing could change one.
 * @param text the text of the object
 * @param fields the parsed object
 * @param changes changes by the name of the field; undefined removes one
 */
export const withFields = (text: string, fields: Fields, changes: Readonly<Record<string, unknown>>): string =>
  hasLongNumbers(text) ? splicedFields(text, changes) : JSON.stringify({ ...fields, ...changes });

/** Replaces fields in the text of a body. */
export const splicedFields = (text: string, changes: Readonly<Record<string, unknown>>): string =>
  splicedTexts(
    text,
    Object.fromEntries(
      Object.entries(changes).map(([name, value]) => [name, value === undefined ? undefined : writeJson(value)]),
    ),
  );

/** Replaces fields in a text. The changes are JSON already. */
export function splicedTexts(text: string, changes: Readonly<Record<string, string | undefined>>): string {
  const values = valuesOf(text);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) values.delete(name);
    else values.set(name, value);
  }
  return `{${[...values].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
}

/** Returns the original text of a field's value; undefined if the object has no such field. */
export const fieldText = (text: string, name: string): string | undefined => valuesOf(text).get(name);

/** Returns the values by name. For a name that occurs twice the last value counts, as for `JSON.parse`. */
function valuesOf(text: string): Map<string, string> {
  const values = new Map<string, string>();
  for (let at = skipSpaces(text, text.indexOf('{') + 1); at < text.length && text[at] !== '}';) {
    const nameEnd = endOfString(text, at);
    const start = skipSpaces(text, skipSpaces(text, nameEnd) + 1);
    const end = endOfValue(text, start);
    values.set(JSON.parse(text.slice(at, nameEnd)) as string, text.slice(start, end).trimEnd());
    at = skipSpaces(text, end);
    if (text[at] === ',') at = skipSpaces(text, at + 1);
  }
  return values;
}

function skipSpaces(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++;
  return at;
}

function endOfValue(text: string, from: number): number {
  if (text[from] === '"') return endOfString(text, from);
  let depth = 0;
  for (let at = from; at < text.length;) {
    const letter = text[at];
    if (letter === '"') {
      at = endOfString(text, at);
      continue;
    }
    if (letter === '{' || letter === '[') depth++;
    else if (letter === '}' || letter === ']') {
      if (depth === 0) return at;
      depth--;
      if (depth === 0) return at + 1;
    } else if (letter === ',' && depth === 0) return at;
    at++;
  }
  return text.length;
}
