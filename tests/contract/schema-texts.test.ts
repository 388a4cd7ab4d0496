import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildSchema,
  getNamedType,
  isInterfaceType,
  isNonNullType,
  isObjectType,
  type GraphQLField,
  type GraphQLObjectType,
} from 'graphql';

/* The texts of the schema, which authors of dashboards read instead of the code. */

const schema = buildSchema(readFileSync(join(import.meta.dirname, '../../schema/schema.graphql'), 'utf8'), {
  assumeValid: true,
});
const types = Object.values(schema.getTypeMap()).filter(
  (type): type is GraphQLObjectType =>
    (isObjectType(type) || isInterfaceType(type)) && !type.name.startsWith('__') && !type.name.endsWith('Payload'),
);
const fields = types.flatMap((type) =>
  Object.values(type.getFields()).map((field) => ({ path: `${type.name}.${field.name}`, field })),
);
const pathsOf = (isWrong: (field: GraphQLField<unknown, unknown>) => boolean): string[] =>
  fields.filter(({ field }) => isWrong(field)).map(({ path }) => path);

it('every field that may be null says when, or what it is', () => {
  expect(pathsOf(({ type, description }) => !isNonNullType(type) && !description)).toEqual([]);
});

it('every amount, duration, share and number of tokens says its unit, or what it counts', () => {
  const isMeasure = (field: GraphQLField<unknown, unknown>): boolean =>
    ['Float', 'Quota'].includes(getNamedType(field.type).name) ||
    /(Ms|[sS]econds|milliseconds|Tokens|Share|Rate|Usd)$/.test(field.name);
  expect(pathsOf((field) => isMeasure(field) && !field.description)).toEqual([]);
});

it('every list says what it costs, and what becomes of a page size out of bounds', () => {
  const sizeOf = ({ args }: GraphQLField<unknown, unknown>) => args.find(({ name }) => name === 'pageSize');
  const lists = fields.filter(({ field }) => sizeOf(field));
  expect(lists.length).toBeGreaterThan(20);
  expect(
    pathsOf((field) => sizeOf(field) !== undefined && !/Costs \d+, and pageSize/.test(field.description ?? '')),
  ).toEqual([]);
  const bounds =
    /^1 to 100, (10|all) when absent\. More than 100 is 100, less than 1 is absent\.$|^1 to 2000\. Others are refused\.$/;
  expect(pathsOf((field) => sizeOf(field) !== undefined && !bounds.test(sizeOf(field)?.description ?? ''))).toEqual([]);
});
