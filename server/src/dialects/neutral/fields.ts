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

/** The fields that are not among `names`. */
export function without(fields: Fields, names: ReadonlySet<string>): Json {
  const rest: Json = {};
  for (const [name, value] of Object.entries(fields)) {
    if (!names.has(name) && value !== undefined) rest[name] = value;
  }
  return rest;
}
