import { InvalidInputError } from '../../../shared/errors.js';
import { asFields, asList, type Fields } from '../../neutral/fields.js';

type Json = Record<string, unknown>;

/** Everything Google's schema dialect knows (`relay-providers.md` 3.3). */
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
const textFormats = new Set(['enum', 'date-time']);
const depthLimit = 64;

interface Scope {
  readonly definitions: ReadonlyMap<string, unknown>;
  /** References being followed. */
  readonly following: readonly string[];
  readonly depth: number;
  readonly at: string;
  /** Tool parameters may have no defaults. */
  readonly forTool: boolean;
}

/**
 * JSON schema in the dialect Google's older models take.
 * @throws AppError INVALID_INPUT when it refers to itself, which that dialect cannot express
 */
export function toGeminiSchema(schema: Fields, at: string, forTool: boolean): Json {
  const definitions = new Map<string, unknown>();
  for (const name of ['$defs', 'definitions']) {
    for (const [key, value] of Object.entries(asFields(schema[name]) ?? {})) definitions.set(`#/${name}/${key}`, value);
  }
  return convert(schema, { definitions, following: [], depth: 0, at, forTool });
}

function convert(value: unknown, scope: Scope): Json {
  if (scope.depth > depthLimit) throw new InvalidInputError(`${scope.at} is nested too deep`, scope.at);
  // `true` and `{}` allow anything, which the dialect says by saying nothing.
  const given = resolve(asFields(value) ?? {}, scope);
  const inner: Scope = { ...given.scope, depth: scope.depth + 1 };
  const out: Json = {};
  for (const [name, field] of Object.entries(merged(given.schema))) {
    if (!kept.has(name) || (name === 'default' && scope.forTool)) continue;
    out[name] = field;
  }
  convertType(given.schema, out, inner);
  convertChoices(given.schema, out);
  const properties = asFields(out['properties']);
  if (properties) {
    out['properties'] = Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [name, convert(field, inner)]),
    );
  }
  if (out['items'] !== undefined)
    out['items'] = convert(Array.isArray(out['items']) ? out['items'][0] : out['items'], inner);
  const anyOf = given.schema['anyOf'] ?? given.schema['oneOf'];
  if (anyOf !== undefined && out['anyOf'] === given.schema['anyOf']) convertAnyOf(asList(anyOf), out, inner);
  if (out['type'] === 'string' && !textFormats.has(String(out['format']))) delete out['format'];
  return out;
}

function resolve(schema: Fields, scope: Scope): { schema: Fields; scope: Scope } {
  const reference = schema['$ref'];
  if (typeof reference !== 'string') return { schema, scope };
  if (scope.following.includes(reference)) throw new InvalidInputError(`${scope.at} refers to itself`, scope.at);
  if (!scope.definitions.has(reference))
    throw new InvalidInputError(`${scope.at} refers to ${reference}, which is not there`, scope.at);
  const { $ref: _reference, ...beside } = schema;
  const target = asFields(scope.definitions.get(reference)) ?? {};
  return resolve({ ...target, ...beside }, { ...scope, following: [...scope.following, reference] });
}

/** `allOf` of objects is one object: the dialect has no other word for it. */
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

/** A list of types is a choice between them, or one type that may be null. */
function convertType(schema: Fields, out: Json, scope: Scope): void {
  const type = schema['type'];
  if (typeof type === 'string') {
    out['type'] = type.toLowerCase();
    return;
  }
  if (!Array.isArray(type)) return;
  const names = type.map((name) => String(name).toLowerCase());
  const real = names.filter((name) => name !== 'null');
  if (names.includes('null')) out['nullable'] = true;
  if (real.length <= 1) {
    out['type'] = real[0] ?? 'null';
    return;
  }
  delete out['type'];
  const { properties: _properties, required: _required, items: _items, ...plain } = schema;
  out['anyOf'] = real.map((name) =>
    convert(name === 'object' || name === 'array' ? { ...schema, type: name } : { ...plain, type: name }, scope),
  );
  for (const name of ['properties', 'required', 'items', 'enum']) delete out[name];
}

/** A constant is a choice of one; numbers are chosen as text. */
function convertChoices(schema: Fields, out: Json): void {
  const choices = schema['const'] === undefined ? asList(schema['enum']) : [schema['const']];
  if (choices.length === 0 || out['anyOf'] !== undefined) return;
  const real = choices.filter((choice) => choice !== null);
  if (real.length < choices.length) out['nullable'] = true;
  out['enum'] = real.map(String);
  if (real.some((choice) => typeof choice !== 'string')) {
    out['type'] = 'string';
    out['format'] = 'enum';
  } else out['type'] ??= 'string';
}

/** A choice between one thing and null is that thing, which may be null. */
function convertAnyOf(options: readonly unknown[], out: Json, scope: Scope): void {
  const real = options.filter((option) => asFields(option)?.['type'] !== 'null');
  if (real.length < options.length) out['nullable'] = true;
  if (real.length === 1) {
    delete out['anyOf'];
    Object.assign(out, { ...convert(real[0], scope), ...(out['nullable'] ? { nullable: true } : {}) });
  } else out['anyOf'] = real.map((option) => convert(option, scope));
}
