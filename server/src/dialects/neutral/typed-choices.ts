import { parseArguments, writeJson } from '../../shared/exact-json.js';
import { asFields, asList, asText, type Fields } from './fields.js';

/*
 * Google's own schema knows texts alone in an enum, so its models write "1" where a tool's schema has the number 1.
 */

const depthLimit = 64;
/** Maximum number of schemas and choices that are compared with the values of one call: some ten milliseconds. */
const maxCompared = 50_000;
const unions = ['anyOf', 'oneOf', 'allOf'] as const;

const choicesIn = (schema: Fields): readonly unknown[] =>
  schema['const'] === undefined ? asList(schema['enum']) : [schema['const']];

const isTyped = (choice: unknown): boolean => typeof choice === 'number' || typeof choice === 'boolean';

/** The rewriting of tools and the writer for Google ask about the same schema. It is walked once. */
const known = new WeakMap<Fields, boolean>();

/** Whether a schema has a choice between other values than texts, at any depth. */
export function hasTypedChoices(schema: Fields | undefined): boolean {
  if (!schema) return false;
  let has = known.get(schema);
  if (has === undefined) known.set(schema, (has = holdsTypedChoices(schema)));
  return has;
}

function holdsTypedChoices(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const fields = asFields(value);
  return (fields !== null && choicesIn(fields).some(isTyped)) || Object.values(value).some(holdsTypedChoices);
}

/**
 * Arguments with the values of the schema where the model wrote their texts. Truncated arguments stay as they are. A
 * schema that refers to itself again and again is compared up to a limit, after which values stay as they are.
 */
export function withTypedChoices(text: string, schema: Fields): string {
  const given = parseArguments(text);
  const typed = typedValue(given, schema, { root: schema, depth: 0, compared: { count: 0 } });
  return typed === given ? text : writeJson(typed);
}

interface Place {
  readonly root: Fields;
  readonly depth: number;
  readonly compared: { count: number };
}

/** @returns the same value when nothing changes */
function typedValue(value: unknown, schema: Fields | null, { root, depth, compared }: Place): unknown {
  if (!schema || depth > depthLimit || ++compared.count > maxCompared) return value;
  const inner = { root, depth: depth + 1, compared };
  const referred = definitionAt(root, asText(schema['$ref']));
  if (referred) return typedValue(value, referred, inner);
  if (typeof value === 'string') {
    const choices = choicesIn(schema);
    compared.count += choices.length;
    const typed = choices.includes(value) ? undefined : choices.find((each) => isTyped(each) && String(each) === value);
    if (typed !== undefined) return typed;
  }
  const typed = typedChildren(value, schema, inner);
  return unions.reduce((before, name) => typedUnion(before, asList(schema[name]).map(asFields), inner), typed);
}

/** A text that one of the options allows as such stays a text. */
function typedUnion(value: unknown, options: ReadonlyArray<Fields | null>, place: Place): unknown {
  const takesText = (option: Fields | null): boolean => option?.['type'] === 'string' && choicesIn(option).length === 0;
  if (typeof value === 'string' && options.some(takesText)) return value;
  return options.reduce((before, option) => typedValue(before, option, place), value);
}

function typedChildren(value: unknown, schema: Fields, place: Place): unknown {
  if (Array.isArray(value)) {
    const given = value as unknown[];
    const typed = given.map((each) => typedValue(each, asFields(schema['items']), place));
    return typed.some((each, index) => each !== given[index]) ? typed : value;
  }
  const fields = asFields(value);
  const properties = asFields(schema['properties']);
  if (!fields || !properties) return value;
  const typed = Object.entries(fields).map(([name, each]): [string, unknown] => [
    name,
    typedValue(each, asFields(Object.hasOwn(properties, name) ? properties[name] : null), place),
  ]);
  return typed.some(([name, each]) => each !== fields[name]) ? Object.fromEntries(typed) : value;
}

function definitionAt(root: Fields, reference: string): Fields | null {
  const [, holder = '', name = ''] = /^#\/(\$defs|definitions)\/(.+)$/.exec(reference) ?? [];
  return asFields(asFields(root[holder])?.[name]);
}
