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
export { areShared, ofEachPart, partsOf } from '../../shared/turns.js';

/** The fields that are not among `names`. */
export function without(fields: Fields, names: ReadonlySet<string>): Json {
  const rest: Json = {};
  for (const [name, value] of Object.entries(fields)) {
    if (!names.has(name) && value !== undefined) rest[name] = value;
  }
  return rest;
}

/**
 * Returns a name as parsers read it that compare names without regard to case. Go's also reads the long s as s, and the
 * Kelvin sign as k (https://pkg.go.dev/encoding/json#Unmarshal, November 2026).
 */
export const foldedName = (name: string): string => name.toUpperCase().toLowerCase();
