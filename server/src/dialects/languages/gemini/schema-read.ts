import { asFields, asList, type Fields, type Json } from '../../neutral/fields.js';

const depthLimit = 64;

/**
 * Converts Google's schema dialect to JSON schema: types in lower case, and `nullable` as a type. Enums of numbers that
 * Google writes as text stay text. JSON schema stays unchanged.
 */
export function toJsonSchema(schema: Fields, depth = 0): Json {
  if (depth > depthLimit) return {};
  const { nullable, propertyOrdering: _order, example: _example, ...rest } = schema;
  const out: Json = rest;
  const inner = (value: unknown): unknown => (asFields(value) ? toJsonSchema(asFields(value) ?? {}, depth + 1) : value);
  if (typeof schema['type'] === 'string') out['type'] = schema['type'].toLowerCase();
  // Google writes 64-bit numbers as text.
  for (const name of ['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties']) {
    if (typeof out[name] === 'string') out[name] = Number(out[name]);
  }
  if (out['format'] === 'enum') delete out['format'];
  const properties = asFields(schema['properties']);
  if (properties)
    out['properties'] = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, inner(field)]));
  if (schema['items'] !== undefined) out['items'] = inner(schema['items']);
  for (const name of ['anyOf', 'oneOf', 'allOf'])
    if (schema[name] !== undefined) out[name] = asList(schema[name]).map(inner);
  if (nullable !== true) return out;
  if (typeof out['type'] === 'string') {
    out['type'] = [out['type'], 'null'];
    if (Array.isArray(out['enum'])) out['enum'] = [...(out['enum'] as unknown[]), null];
  } else if (Array.isArray(out['anyOf'])) out['anyOf'] = [...(out['anyOf'] as unknown[]), { type: 'null' }];
  return out;
}
