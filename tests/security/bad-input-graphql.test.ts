import {
  buildSchema,
  coerceInputValue,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
} from 'graphql';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anywhere, Site, type Person } from '../contract/site.js';
import { badValues, badValuesFor, leaks, savedState } from '../support/bad-values.js';
import { isFullSuite } from '../support/suite.js';

/**
 * Tests every argument and every input field of the schema. The list is read from the schema, so additions are tested too.
 */
const schema = buildSchema(readFileSync(join(import.meta.dirname, '../../schema/schema.graphql'), 'utf8'));
type Kind = 'query' | 'mutation';
type Field = GraphQLField<unknown, unknown>;
const operations = (kind: Kind): Array<[string, Kind, Field, number]> =>
  Object.values((kind === 'query' ? schema.getQueryType() : schema.getMutationType())?.getFields() ?? {})
    .filter(({ args }) => args.length > 0)
    .map((field, index) => [field.name, kind, field, index]);

let site: Site;
let root: Person;
beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
});
afterAll(() => site.stop());

/** Returns the smallest valid input: unknown ids, texts of one letter. */
function plain(type: GraphQLInputType): unknown {
  const inner = getNullableType(type);
  if (isListType(inner)) return [plain(inner.ofType)];
  if (isInputObjectType(inner)) {
    const required = Object.values(inner.getFields()).filter(({ type: one }) => isNonNullType(one));
    return Object.fromEntries(required.map((field) => [field.name, plain(field.type)]));
  }
  if (isEnumType(inner)) return inner.getValues()[0]?.name;
  switch (inner.name) {
    case 'Boolean':
      return false;
    case 'Float':
      return 1;
    case 'DateTime':
      return '2020-01-01T00:00:00Z';
    case 'String':
      return 'x';
    default:
      return 999_999;
  }
}

/** A value that a caller may set. */
interface Leaf {
  /** The path to the value: `['input', 'username']`. */
  readonly way: readonly string[];
  readonly type: GraphQLInputType;
}

function leavesOf(name: string, type: GraphQLInputType, depth = 0): Leaf[] {
  const inner = getNullableType(type);
  const under = (leaves: Leaf[]): Leaf[] => leaves.map((leaf) => ({ ...leaf, way: [name, ...leaf.way] }));
  if (isListType(inner)) return [{ way: [name], type }, ...under(leavesOf('0', inner.ofType, depth))];
  if (!isInputObjectType(inner)) return [{ way: [name], type }];
  if (depth > 3) return [];
  return under(Object.values(inner.getFields()).flatMap((field) => leavesOf(field.name, field.type, depth + 1)));
}

/**
 * Whether GraphQL itself refuses the value. The schema's own scalars count as accepting, because the server validates their
 * values.
 */
function isRefusedByType(type: GraphQLInputType, value: unknown): boolean {
  let isRefused = false;
  coerceInputValue(value, type, () => (isRefused = true));
  return isRefused;
}

/**
 * Returns values that reach the server's code, and one value that the type refuses. GraphQL refuses the other invalid values
 * in the same way. The full suite returns all values.
 */
function valuesFor(type: GraphQLInputType, ordinal: number): typeof badValues {
  if (isFullSuite) return badValues;
  const refused = badValues.filter(([, value]) => isRefusedByType(type, value));
  const accepted = badValues.filter((one) => !refused.includes(one));
  return [...refused.slice(0, 1), ...badValuesFor(ordinal, accepted)];
}

function withValue(held: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value;
  if (step === '0') return [withValue(Array.isArray(held) ? held[0] : {}, rest, value)];
  const object = typeof held === 'object' && held !== null ? (held as Record<string, unknown>) : {};
  return { ...object, [step]: withValue(object[step], rest, value) };
}

/** Returns a valid selection of the result: its leaves without arguments. */
function selectionOf(field: Field): string {
  const type = getNamedType(field.type);
  if (!isObjectType(type)) return isUnionType(type) ? '{ __typename }' : '';
  const leaf = Object.values(type.getFields()).find(
    (one) => isLeafType(getNamedType(one.type)) && one.args.length === 0,
  );
  return leaf ? `{ ${leaf.name} }` : '{ __typename }';
}

const documentOf = (kind: Kind, field: Field): string => {
  const list = (text: (argument: GraphQLArgument) => string): string => field.args.map(text).join(', ');
  const declared = list(({ name, type }) => `$${name}: ${String(type)}`);
  return `${kind} (${declared}) { ${field.name}(${list(({ name }) => `${name}: $${name}`)}) ${selectionOf(field)} }`;
};

const state = async (): Promise<string> => (await site.query<{ state: string }>(savedState))[0]?.state ?? '';
/** Whether the types of the schema refused the value, before the server's code ran. */
const isTypeError = (codes: readonly string[]): boolean => codes.includes('BAD_USER_INPUT');

it.each([...operations('mutation'), ...operations('query')])('%s (%s)', async (_name, kind, field, index) => {
  const document = documentOf(kind, field);
  const base = Object.fromEntries(
    field.args.filter(({ type }) => isNonNullType(type)).map(({ name, type }) => [name, plain(type)]),
  );
  const ask = (way: readonly string[], value: unknown) =>
    site.graphql(root, document, withValue(base, way, value) as Record<string, unknown>, anywhere());

  const leaves = field.args.flatMap((argument) => leavesOf(argument.name, argument.type));
  let refused: Array<readonly [way: readonly string[], value: unknown]> = [];
  for (const [ordinal, { way, type }] of leaves.entries()) {
    const tryOne = async ([what, value]: readonly [string, unknown]): Promise<void> => {
      const { codes, text } = await ask(way, value);
      const said = { way, what, text };
      expect([said, codes.includes('INTERNAL_ERROR'), codes.includes('GRAPHQL_VALIDATION_FAILED')]).toEqual([
        ...[said, false, false],
      ]);
      expect([said, leaks(text), /"message":""/.test(text)]).toEqual([said, false, false]);
      if (isRefusedByType(type, value)) expect([said, ...new Set(codes)]).toEqual([said, 'BAD_USER_INPUT']);
      if (codes.length > 0 && !isTypeError(codes)) refused.push([way, value]);
    };
    await Promise.all(valuesFor(type, index + ordinal).map(tryOne));
  }
  // Refused values store nothing. They are sent again until none of them is accepted, because an accepted one changes the state.
  while (kind === 'mutation' && refused.length > 0) {
    const before = await state();
    const again = await Promise.all(refused.map(([way, value]) => ask(way, value)));
    const still = refused.filter((_, index) => again[index]?.codes.length !== 0);
    if (still.length === refused.length) {
      expect([refused, await state()]).toEqual([refused, before]);
      break;
    }
    refused = still;
  }
});
