import { asFields, asList, asText, type Fields, type Json } from './fields.js';

const depthLimit = 64;
const unions = ['anyOf', 'oneOf'] as const;
/** Keywords that providers refuse at the root of a tool's parameters. */
const refused = new Set<string>([...unions, 'allOf', 'not', 'enum', 'const']);

/** Maximum number of choices within each other that are merged. Further ones are ignored. */
const maxChoices = 8;

/**
 * Merges parameters of a tool into one object, for providers that refuse a choice between several objects at the root.
 * The object has the properties of all of them, and requires those that each one requires.
 * @returns the same schema if its root is already one object
 */
export function oneObject(given: Fields): Fields {
  return new Merge(given).merged(given, 0);
}

/** A definition is merged once, however often the schema refers to it. */
class Merge {
  /** Definitions by their references; null while a definition is being merged. */
  private readonly definitions = new Map<unknown, Fields | null>();

  constructor(private readonly root: Fields) {}

  merged(given: Fields, depth: number): Fields {
    const { $ref: reference, ...beside } = given;
    const schema = reference === undefined ? given : { ...beside, ...referred(given, this.root) };
    if (!Object.keys(schema).some((name) => refused.has(name))) return given;
    const own = Object.fromEntries(Object.entries(schema).filter(([name]) => !refused.has(name)));
    const every = [own, ...this.objectsIn(schema['allOf'], depth)];
    const required = every.flatMap((each) => asList(each['required']));
    for (const name of unions) {
      const options = this.objectsIn(schema[name], depth);
      const [first, ...others] = options.map((option) => asList(option['required']));
      required.push(...(first ?? []).filter((field) => others.every((other) => other.includes(field))));
      every.push(...options);
    }
    return {
      ...own,
      type: 'object',
      properties: mergedProperties(every),
      ...(required.length > 0 ? { required: [...new Set(required)] } : {}),
    };
  }

  /** Returns the options that are objects, with references resolved. */
  private objectsIn(options: unknown, depth: number): Fields[] {
    return asList(options).flatMap((option): Fields[] => {
      const given = asFields(option);
      const merged = given && this.option(given, depth + 1);
      return merged ? [merged] : [];
    });
  }

  private option(given: Fields, depth: number): Fields | null {
    const { $ref: reference } = given;
    const known = this.definitions.get(reference);
    if (reference !== undefined && known !== undefined) return known;
    const schema = referred(given, this.root);
    if (!schema || depth > maxChoices || (schema['type'] !== undefined && schema['type'] !== 'object')) return null;
    if (reference === undefined) return this.merged(schema, depth);
    this.definitions.set(reference, null);
    const merged = this.merged(schema, depth);
    this.definitions.set(reference, merged);
    return merged;
  }
}

/** A property with several schemas may match any of them. */
function mergedProperties(objects: readonly Fields[]): Fields {
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
