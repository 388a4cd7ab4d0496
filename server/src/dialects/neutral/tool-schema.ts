import { asFields, asList, asText, type Fields, type Json } from './fields.js';

const depthLimit = 64;
const unions = ['anyOf', 'oneOf'] as const;
/** Keywords that providers refuse at the root of a tool's parameters. */
const refused = new Set<string>([...unions, 'allOf', 'not', 'enum', 'const']);

/** Maximum number of choices within each other, and of references to references, that are followed. */
const maxDepth = 8;
/** Maximum number of options and required names that are compared. A property that is not required is harmless. */
const maxCompared = 20_000;

/**
 * Merges parameters of a tool into one object, for providers that refuse a choice between several objects at the root.
 * The object has the properties of all of them, and requires those that each one requires. A definition is read once for
 * its properties, however often the schema refers to it.
 * @returns the same schema if its root is already one object
 */
export function oneObject(given: Fields): Fields {
  const { $ref: reference, ...beside } = given;
  const schema = reference === undefined ? given : { ...beside, ...referred(given, given) };
  if (!Object.keys(schema).some((name) => refused.has(name))) return given;
  const own = Object.fromEntries(Object.entries(schema).filter(([name]) => !refused.has(name)));
  const required = new RequiredNames(given).of(schema, 0);
  return {
    ...own,
    type: 'object',
    properties: mergedProperties(objectsIn(schema, given)),
    ...(required.size > 0 ? { required: [...required] } : {}),
  };
}

/** Returns a schema and all objects among its options, at any depth. */
function objectsIn(schema: Fields, root: Fields): ReadonlySet<Fields> {
  const found = new Set<Fields>();
  const visit = (object: Fields, depth: number): void => {
    if (found.has(object) || depth > maxDepth) return;
    found.add(object);
    for (const name of ['allOf', ...unions]) {
      for (const option of asList(object[name])) {
        const inner = optionOf(option, root);
        if (inner) visit(inner, depth + 1);
      }
    }
  };
  visit(schema, 0);
  return found;
}

/** The names that every value of a schema has. */
class RequiredNames {
  private compared = 0;

  constructor(private readonly root: Fields) {}

  of(schema: Fields, depth: number): Set<unknown> {
    const own = asList(schema['required']);
    this.compared += 1 + own.length;
    if (this.compared > maxCompared || depth > maxDepth) return new Set();
    const names = new Set(own);
    for (const each of this.options(schema['allOf'], depth)) for (const name of each) names.add(name);
    for (const union of unions) {
      const [first = new Set(), ...others] = this.options(schema[union], depth);
      for (const name of first) if (others.every((other) => other.has(name))) names.add(name);
    }
    return names;
  }

  private options(options: unknown, depth: number): Array<Set<unknown>> {
    return asList(options).flatMap((option) => {
      const schema = this.compared > maxCompared ? null : optionOf(option, this.root);
      return schema ? [this.of(schema, depth + 1)] : [];
    });
  }
}

/** Returns the object that an option of a choice is or refers to; null if it is something else. */
function optionOf(option: unknown, root: Fields): Fields | null {
  let schema = asFields(option);
  for (let followed = 0; schema && schema['$ref'] !== undefined; followed++) {
    if (followed === maxDepth) return null;
    schema = referred(schema, root);
  }
  return schema && (schema['type'] === undefined || schema['type'] === 'object') ? schema : null;
}

/** A property with several schemas may match any of them. */
function mergedProperties(objects: Iterable<Fields>): Fields {
  const properties = new Map<string, Map<string, unknown>>();
  for (const each of objects) {
    for (const [name, field] of Object.entries(asFields(each['properties']) ?? {})) {
      const known = properties.get(name) ?? new Map<string, unknown>();
      properties.set(name, known);
      const text = JSON.stringify(field);
      if (!known.has(text)) known.set(text, field);
    }
  }
  return Object.fromEntries(
    [...properties].map(([name, known]) => {
      const [first, ...others] = known.values();
      return [name, others.length === 0 ? first : { anyOf: [first, ...others] }];
    }),
  );
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
  const changed = (name: string, value: unknown): unknown => {
    const fields = asFields(value);
    if (named.has(name) && fields)
      return Object.fromEntries(Object.entries(fields).map(([key, each]) => [key, inner(each)]));
    if (lists.has(name) && Array.isArray(value)) return value.map(inner);
    return single.has(name) ? inner(value) : value;
  };
  const out: Json = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, changed(name, value)]));
  const { type } = schema;
  const isList = type === 'array' || (Array.isArray(type) && type.includes('array'));
  if (isList && schema['items'] === undefined) out['items'] = {};
  return out;
}

const named = new Set(['properties', '$defs', 'definitions', 'patternProperties']);
const lists = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const single = new Set(['items', 'additionalProperties', 'not']);
