import { InvalidInputError } from '../../../shared/errors.js';
import { asFields, asList, type Fields, type Json } from '../../neutral/fields.js';

/** Every key of Google's schema dialect (docs/reference/providers/gemini-and-vertex.md#schemas). */
const kept = new Set([
  'type',
  'format',
  'title',
  'description',
  'nullable',
  'enum',
  'items',
  'minItems',
  'maxItems',
  'properties',
  'required',
  'propertyOrdering',
  'anyOf',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'default',
  'example',
]);
/** Keys that are converted instead of copied. */
const converted = new Set(['type', 'nullable', 'enum', 'items', 'properties', 'required', 'anyOf']);
/** Formats by type. Google refuses all others. A map, because the type is a client's text and may be `constructor`. */
const formats = new Map<string, readonly unknown[]>([
  ['string', ['enum', 'date-time']],
  ['number', ['float', 'double']],
  ['integer', ['int32', 'int64']],
]);
const depthLimit = 64;
/** Maximum number of references that are followed to one schema. */
const maxFollowed = 256;
/** Maximum number of parts that the schemas of one request become. */
const maxParts = 100_000;
/** Maximum number of characters that they become, without the schemas within them. */
const maxCharacters = 8_000_000;

/**
 * Measures the schemas that are written for one request. A small schema becomes a very large one when its definitions
 * refer to each other twice, or when it has lists of types within each other.
 */
export class SchemaSize {
  private parts = 0;
  private characters = 0;

  /** @throws AppError INVALID_INPUT */
  read(schema: Fields, at: string): void {
    this.parts += 1;
    for (const name in schema) this.parts += 1 + (Array.isArray(schema[name]) ? (schema[name] as unknown[]).length : 0);
    if (this.parts > maxParts) throw tooLarge(at);
  }

  /** @throws AppError INVALID_INPUT */
  write(fields: Json, at: string): void {
    this.characters += JSON.stringify(fields).length;
    if (this.characters > maxCharacters) throw tooLarge(at);
  }

  /**
   * Adds the size of a schema that was written before.
   * @throws AppError INVALID_INPUT
   */
  add({ parts, characters }: SchemaSize, at: string): void {
    this.parts += parts;
    this.characters += characters;
    if (this.parts > maxParts || this.characters > maxCharacters) throw tooLarge(at);
  }

  /** Whether the schemas became much larger than this number of characters. */
  exceeds(characters: number): boolean {
    return this.characters > 2 * characters;
  }
}

const tooLarge = (at: string): InvalidInputError =>
  new InvalidInputError(`${at} is too large once all references are followed`, at);

interface Scope {
  readonly definitions: ReadonlyMap<string, unknown>;
  /** The references that are being resolved, to detect cycles. */
  readonly following: readonly string[];
  readonly depth: number;
  readonly at: string;
  /** Tool parameters must not have defaults. */
  readonly forTool: boolean;
  readonly size: SchemaSize;
}

const definitionsOf: readonly string[] = ['$defs', 'definitions'];

/**
 * Converts JSON schema to the dialect of Google's older models. A schema of that dialect cannot refer to itself, so any
 * object is allowed in such a place.
 * @throws AppError INVALID_INPUT for a reference without a target, and when the schema becomes too large
 */
export function toGeminiSchema(schema: Fields, at: string, forTool: boolean, size = new SchemaSize()): Json {
  const definitions = new Map<string, unknown>();
  for (const name of definitionsOf) {
    for (const [key, value] of Object.entries(asFields(schema[name]) ?? {})) definitions.set(`#/${name}/${key}`, value);
  }
  return convert(schema, { definitions, following: [], depth: 0, at, forTool, size });
}

function convert(value: unknown, outer: Scope): Json {
  if (outer.depth > depthLimit) throw new InvalidInputError(`${outer.at} is nested too deep`, outer.at);
  // `true` and `{}` allow any value, which the dialect expresses as an empty schema.
  const resolved = resolve(asFields(value) ?? {}, outer);
  const scope: Scope = { ...resolved.scope, depth: outer.depth + 1 };
  scope.size.read(resolved.schema, scope.at);
  const schema = merged(resolved.schema);
  const { names, nullable } = typesOf(schema['type']);
  if (names.length > 1) return choiceOfTypes(schema, names, nullable, scope);
  const options = asList(schema['anyOf'] ?? schema['oneOf']);
  if (options.length > 0) return choiceOfSchemas(schema, options, scope);
  const type = names[0];
  const own = {
    ...plain(schema, scope),
    ...(type === undefined ? {} : { type }),
    ...(nullable || schema['nullable'] === true ? { nullable: true } : {}),
    ...choices(schema),
  };
  scope.size.write(own, scope.at);
  return { ...own, ...children(schema, scope) };
}

/** Copies every key that needs no conversion. */
function plain(schema: Json, scope: Scope): Json {
  const known = formats.get(typesOf(schema['type']).names[0] ?? '') ?? [];
  return Object.fromEntries(
    Object.entries(schema).filter(([name, field]) => {
      if (!kept.has(name) || converted.has(name)) return false;
      if (name === 'default') return !scope.forTool;
      return name !== 'format' || known.includes(field);
    }),
  );
}

/**
 * Google refuses an object with an empty list of properties, an object that requires other properties than it has, and
 * a list without a schema for its elements.
 */
function children(schema: Json, scope: Scope): Json {
  const [type] = typesOf(schema['type']).names;
  const properties = type === 'array' ? [] : Object.entries(asFields(schema['properties']) ?? {});
  const names = new Set<unknown>(properties.map(([name]) => name));
  const required = asList(schema['required']).filter((name) => names.has(name));
  const given = schema['items'] ?? schema['prefixItems'];
  const holds = type === 'array' || (type === undefined && given !== undefined);
  return {
    ...(properties.length > 0
      ? { properties: Object.fromEntries(properties.map(([name, field]) => [name, convert(field, scope)])) }
      : {}),
    ...(required.length > 0 ? { required } : {}),
    ...(holds ? { items: convert(Array.isArray(given) ? given[0] : given, scope) } : {}),
  };
}

function resolve(schema: Fields, scope: Scope): { schema: Fields; scope: Scope } {
  const reference = schema['$ref'];
  if (typeof reference !== 'string') return { schema, scope };
  if (scope.following.includes(reference)) return { schema: { type: 'object' }, scope };
  if (!scope.definitions.has(reference))
    throw new InvalidInputError(`${scope.at} refers to ${reference}, which does not exist`, scope.at);
  if (scope.following.length === maxFollowed) throw new InvalidInputError(`${scope.at} is nested too deep`, scope.at);
  const { $ref: _reference, ...beside } = schema;
  const target = asFields(scope.definitions.get(reference)) ?? {};
  return resolve({ ...target, ...beside }, { ...scope, following: [...scope.following, reference] });
}

/** Merges `allOf` into one object, because the dialect has no `allOf`. */
function merged(schema: Fields): Json {
  const all = asList(schema['allOf']).map((each) => asFields(each) ?? {});
  if (all.length === 0) return { ...schema };
  const out: Json = { ...schema };
  const properties = new Map<string, unknown>();
  const required = new Set<unknown>();
  for (const each of [schema, ...all]) {
    for (const [name, field] of Object.entries(asFields(each['properties']) ?? {})) properties.set(name, field);
    for (const name of asList(each['required'])) required.add(name);
    for (const name in each) out[name] ??= each[name];
  }
  if (properties.size > 0) out['properties'] = Object.fromEntries(properties);
  if (required.size > 0) out['required'] = [...required];
  return out;
}

/** A list of types is a choice between them, or one nullable type. */
function typesOf(type: unknown): { names: string[]; nullable: boolean } {
  const given = (Array.isArray(type) ? (type as unknown[]) : type === undefined ? [] : [type]).map((name) =>
    String(name).toLowerCase(),
  );
  const names = given.filter((name) => name !== 'null');
  return {
    names: names.length === 0 ? given.slice(0, 1) : names,
    nullable: names.length > 0 && names.length < given.length,
  };
}

/** Keywords of objects and arrays, which the other types of a choice must not have. */
const shapes = new Set(['properties', 'required', 'items', 'prefixItems', 'minItems', 'maxItems', 'propertyOrdering']);

/** Vertex refuses every other keyword next to `anyOf`, so the keywords are copied into each option. */
function choiceOfTypes(schema: Json, names: readonly string[], nullable: boolean, scope: Scope): Json {
  const bare = Object.fromEntries(Object.entries(schema).filter(([name]) => !shapes.has(name)));
  const more = nullable ? { nullable } : {};
  return {
    anyOf: names.map((type) =>
      convert({ ...(type === 'object' || type === 'array' ? schema : bare), ...more, type }, scope),
    ),
  };
}

/** A choice between one schema and null is that schema, made nullable. */
function choiceOfSchemas(schema: Json, options: readonly unknown[], scope: Scope): Json {
  const { anyOf: _any, oneOf: _one, ...beside } = schema;
  const real = options.filter((option) => asFields(option)?.['type'] !== 'null');
  const rest = real.length < options.length ? { ...beside, nullable: true } : beside;
  const written = real.map((option) => {
    const resolved = resolve(asFields(option) ?? {}, scope);
    return convert({ ...resolved.schema, allOf: [...asList(resolved.schema['allOf']), rest] }, resolved.scope);
  });
  return written.length === 1 && written[0] ? written[0] : { anyOf: written };
}

/** A constant becomes an enum with one value; numbers in enums become text. */
function choices(schema: Json): Json {
  const given = schema['const'] === undefined ? asList(schema['enum']) : [schema['const']];
  if (given.length === 0) return {};
  // Google does not allow an empty text as a choice.
  const real = given.filter((choice) => choice !== null && choice !== '');
  const texts = real.every((choice) => typeof choice === 'string');
  return {
    ...(real.length > 0 ? { enum: real.map(String) } : {}),
    type: 'string',
    ...(texts ? {} : { format: 'enum' }),
    ...(given.includes(null) ? { nullable: true } : {}),
  };
}

/** Whether a schema contains a reference to a schema that encloses the reference, or is nested too deep to know. */
export function isRecursive(schema: Fields): boolean {
  const enclosing = new Set<string>();
  const visited = new Set<string>();
  const leadsBack = (reference: string): boolean => {
    if (enclosing.has(reference) || enclosing.size === maxFollowed) return true;
    if (visited.has(reference)) return false;
    visited.add(reference);
    enclosing.add(reference);
    const found = visit(definitionAt(schema, reference));
    enclosing.delete(reference);
    return found;
  };
  const visit = (value: unknown): boolean => {
    if (Array.isArray(value)) return value.some(visit);
    const fields = asFields(value);
    if (!fields) return false;
    const { $ref: reference } = fields;
    if (typeof reference === 'string') return leadsBack(reference);
    return Object.entries(fields).some(
      ([name, each]) => !(fields === schema && definitionsOf.includes(name)) && visit(each),
    );
  };
  return visit(schema);
}

function definitionAt(schema: Fields, reference: string): unknown {
  const [, holder = '', name = ''] = /^#\/(\$defs|definitions)\/(.+)$/.exec(reference) ?? [];
  return asFields(schema[holder])?.[name];
}
