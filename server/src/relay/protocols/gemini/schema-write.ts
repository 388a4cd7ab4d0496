import { InvalidInputError } from '../../../shared/errors.js';
import { omitUndefined } from '../../../shared/omit-undefined.js';
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
const converted = new Set(['type', 'nullable', 'enum', 'items', 'properties', 'anyOf']);
const textFormats = new Set(['enum', 'date-time']);
const depthLimit = 64;

interface Scope {
  readonly definitions: ReadonlyMap<string, unknown>;
  /** The references that are being resolved, to detect cycles. */
  readonly following: readonly string[];
  readonly depth: number;
  readonly at: string;
  /** Tool parameters must not have defaults. */
  readonly forTool: boolean;
}

/**
 * JSON schema in the dialect of Google's older models.
 * @throws AppError INVALID_INPUT for a recursive schema, which that dialect cannot express
 */
export function toGeminiSchema(schema: Fields, at: string, forTool: boolean): Json {
  const definitions = new Map<string, unknown>();
  for (const name of ['$defs', 'definitions']) {
    for (const [key, value] of Object.entries(asFields(schema[name]) ?? {})) definitions.set(`#/${name}/${key}`, value);
  }
  return convert(schema, { definitions, following: [], depth: 0, at, forTool });
}

function convert(value: unknown, outer: Scope): Json {
  if (outer.depth > depthLimit) throw new InvalidInputError(`${outer.at} is nested too deep`, outer.at);
  // `true` and `{}` allow any value, which the dialect expresses as an empty schema.
  const resolved = resolve(asFields(value) ?? {}, outer);
  const scope: Scope = { ...resolved.scope, depth: outer.depth + 1 };
  const schema = merged(resolved.schema);
  const { names, nullable } = typesOf(schema['type']);
  if (names.length > 1) return choiceOfTypes(schema, names, nullable, scope);
  const options = asList(schema['anyOf'] ?? schema['oneOf']);
  if (options.length > 0) return choiceOfSchemas(schema, options, scope);
  const type = names[0];
  return {
    ...plain(schema, scope),
    ...(type === undefined ? {} : { type }),
    ...(nullable || schema['nullable'] === true ? { nullable: true } : {}),
    ...choices(schema),
    ...children(schema, scope),
  };
}

/** Copies every key that needs no conversion. */
function plain(schema: Json, scope: Scope): Json {
  const named = typesOf(schema['type']).names[0] === 'string';
  return Object.fromEntries(
    Object.entries(schema).filter(([name, field]) => {
      if (!kept.has(name) || converted.has(name)) return false;
      if (name === 'default') return !scope.forTool;
      return name !== 'format' || !named || textFormats.has(String(field));
    }),
  );
}

function children(schema: Json, scope: Scope): Json {
  const properties = asFields(schema['properties']);
  const items = Array.isArray(schema['items']) ? (schema['items'][0] as unknown) : schema['items'];
  return {
    ...(properties
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, field]) => [name, convert(field, scope)]),
          ),
        }
      : {}),
    ...(items === undefined ? {} : { items: convert(items, scope) }),
  };
}

function resolve(schema: Fields, scope: Scope): { schema: Fields; scope: Scope } {
  const reference = schema['$ref'];
  if (typeof reference !== 'string') return { schema, scope };
  if (scope.following.includes(reference)) throw new InvalidInputError(`${scope.at} refers to itself`, scope.at);
  if (!scope.definitions.has(reference))
    throw new InvalidInputError(`${scope.at} refers to ${reference}, which does not exist`, scope.at);
  const { $ref: _reference, ...beside } = schema;
  const target = asFields(scope.definitions.get(reference)) ?? {};
  return resolve({ ...target, ...beside }, { ...scope, following: [...scope.following, reference] });
}

/** Merges `allOf` into one object, because the dialect has no `allOf`. */
function merged(schema: Fields): Json {
  const all = asList(schema['allOf']).map((each) => asFields(each) ?? {});
  if (all.length === 0) return { ...schema };
  const out: Json = { ...schema };
  for (const each of all) {
    for (const [name, field] of Object.entries(each)) {
      if (name === 'properties') out[name] = { ...asFields(out[name]), ...asFields(field) };
      else if (name === 'required') out[name] = [...new Set([...asList(out[name]), ...asList(field)])];
      else out[name] ??= field;
    }
  }
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

/** Keys of objects and arrays, which the other types of a choice must not have. */
const shapes = new Set(['properties', 'required', 'items', 'minItems', 'maxItems', 'propertyOrdering']);

function choiceOfTypes(schema: Json, names: readonly string[], nullable: boolean, scope: Scope): Json {
  const { title, description, ...rest } = schema;
  const bare = Object.fromEntries(Object.entries(rest).filter(([name]) => !shapes.has(name)));
  const anyOf = names.map((type) => convert({ ...(type === 'object' || type === 'array' ? rest : bare), type }, scope));
  return { ...omitUndefined({ title, description }), ...(nullable ? { nullable } : {}), anyOf };
}

/** A choice between one schema and null is that schema, made nullable. */
function choiceOfSchemas(schema: Json, options: readonly unknown[], scope: Scope): Json {
  const real = options.filter((option) => asFields(option)?.['type'] !== 'null');
  const nullable = real.length < options.length ? { nullable: true } : {};
  const deps = { ...plain(schema, scope), ...children(schema, scope) };
  if (real.length === 1) return { ...deps, ...convert(real[0], scope), ...nullable };
  return { ...deps, ...nullable, anyOf: real.map((option) => convert(option, scope)) };
}

/** A constant becomes an enum with one value; numbers in enums become text. */
function choices(schema: Json): Json {
  const given = schema['const'] === undefined ? asList(schema['enum']) : [schema['const']];
  if (given.length === 0) return {};
  const real = given.filter((choice) => choice !== null);
  const texts = real.every((choice) => typeof choice === 'string');
  return {
    enum: real.map(String),
    type: 'string',
    ...(texts ? {} : { format: 'enum' }),
    ...(real.length < given.length ? { nullable: true } : {}),
  };
}
