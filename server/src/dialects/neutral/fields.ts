import type { Fields, Json } from '../../shared/json.js';

export {
  asFields,
  asFieldsList,
  asList,
  asText,
  either,
  parseFields,
  parseJson,
  someNumber,
  someText,
  type Fields,
  type Json,
} from '../../shared/json.js';
export { always, areShared, checkEachTurn, isEmpty, ofEachPart, replaceInParts, someTurn } from '../../shared/turns.js';

// Object.fromEntries copies a client's field `__proto__` as a field. An assignment would make it the prototype of the copy,
// which would then have fields that no check of the client's object has found.

/** The fields that are not among `names`. */
export const without = (fields: Fields, names: ReadonlySet<string>): Json =>
  Object.fromEntries(Object.entries(fields).filter(([name, value]) => !names.has(name) && value !== undefined));

/** The fields that are among `names`. */
export const only = (fields: Fields, names: ReadonlySet<string>): Json =>
  Object.fromEntries(Object.entries(fields).filter(([name, value]) => names.has(name) && value !== undefined));

/**
 * Returns a name as parsers read it that compare names without regard to case. Go's also reads the long s as s, and the
 * Kelvin sign as k (https://pkg.go.dev/encoding/json#Unmarshal, November 2026).
 */
export const foldedName = (name: string): string => name.toUpperCase().toLowerCase();
