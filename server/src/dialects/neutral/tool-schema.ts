import { asFields, asList, asText, type Fields, type Json } from './fields.js';

const depthLimit = 64;
const unions = ['anyOf', 'oneOf'] as const;
/** Keywords that providers refuse at the root of a tool's parameters. */
const refused = new Set<string>([...unions, 'allOf', 'not', 'enum', 'const']);

/**
 * Merges parameters of a tool into one object, for providers that refuse a choice between several objects at the root.
 * The object has the properties of all of them, and requires those that each one requires.
 * @returns the same schema if its root is already one object
 */
export function oneObject(given: Fields): Fields {
  const { $ref: reference, ...beside } = given;
  const schema = reference === undefined ? given : { ...beside, ...referred(given, given) };
  if (!Object.keys(schema).some((name) => refused.has(name))) return given;
  const root = Object.fromEntries(Object.entries(schema).filter(([name]) => !refused.has(name)));
  const every = [root, ...objectsIn(schema['allOf'], schema)];
  const required = every.flatMap((each) => asList(each['required']));
  for (const name of unions) {
    const options = objectsIn(schema[name], schema);
    const [first, ...others] = options.map((option) => asList(option['required']));
    required.push(...(first ?? []).filter((field) => others.every((other) => other.includes(field))));
    every.push(...options);
  }
  const properties: Record<string, unknown[]> = {};
  for (const each of every) {
    for (const [name, field] of Object.entries(asFields(each['properties']) ?? {})) {
      const known = Object.hasOwn(properties, name) ? (properties[name] ?? []) : [];
      if (!known.some((other) => JSON.stringify(other) === JSON.stringify(field))) known.push(field);
      Object.defineProperty(properties, name, { value: known, enumerable: true, configurable: true });
    }
  }
  return {
    ...root,
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, fields]) => [name, fields.length === 1 ? fields[0] : { anyOf: fields }]),
    ),
    ...(required.length > 0 ? { required: [...new Set(required)] } : {}),
  };
}

/** Returns the options that are objects, with references resolved. */
function objectsIn(options: unknown, root: Fields): Fields[] {
  return asList(options).flatMap((option): Fields[] => {
    const given = asFields(option);
    const schema = given ? referred(given, root) : null;
    if (!schema || (schema['type'] !== undefined && schema['type'] !== 'object')) return [];
    return [oneObject({ $defs: root['$defs'], definitions: root['definitions'], ...schema })];
  });
}

/** Returns the schema that a reference inside its root points to, one step deep. */
function referred(schema: Fields, root: Fields): Fields | null {
  const [, holder = '', name = ''] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(asText(schema['$ref'])) ?? [];
  return name === '' ? schema : asFields(asFields(root[holder])?.[name]);
}

/** Returns a schema in which every list has a schema for its elements. OpenAI refuses lists without one. */
export function withItems(schema: Fields, depth = 0): Json {
  if (depth > depthLimit) return { ...schema };
  const inner = (value: unknown): unknown => {
    const fields = asFields(value);
    return fields ? withItems(fields, depth + 1) : value;
  };
  const out: Json = {};
  for (const [name, value] of Object.entries(schema)) {
    const fields = asFields(value);
    if (named.has(name) && fields) {
      out[name] = Object.fromEntries(Object.entries(fields).map(([key, each]) => [key, inner(each)]));
    } else if (lists.has(name) && Array.isArray(value)) out[name] = value.map(inner);
    else out[name] = single.has(name) ? inner(value) : value;
  }
  const { type } = schema;
  const isList = type === 'array' || (Array.isArray(type) && type.includes('array'));
  if (isList && schema['items'] === undefined) out['items'] = {};
  return out;
}

const named = new Set(['properties', '$defs', 'definitions', 'patternProperties']);
const lists = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const single = new Set(['items', 'additionalProperties', 'not']);
