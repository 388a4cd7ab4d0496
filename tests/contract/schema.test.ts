import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildClientSchema,
  buildSchema,
  getIntrospectionQuery,
  isNonNullType,
  lexicographicSortSchema,
  printSchema,
  type IntrospectionQuery,
} from 'graphql';
import { Site } from './site.js';

const reviewed = readFileSync(join(import.meta.dirname, '../../schema/schema.graphql'), 'utf8');

it('what the server answers is what was reviewed in schema/schema.graphql', async () => {
  const site = await Site.open();
  const { data } = await site.graphql(null, getIntrospectionQuery({ specifiedByUrl: true }));
  await site.stop();
  const served = printSchema(lexicographicSortSchema(buildClientSchema(data as unknown as IntrospectionQuery)));
  // Introspection shows no applied directives, and `printSchema` prints none.
  expect(served).toBe(printSchema(lexicographicSortSchema(buildSchema(reviewed))));
});

it('every root field is nullable, so that one that fails does not empty the response', () => {
  const schema = buildSchema(reviewed);
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const fields = roots.flatMap((type) => Object.values(type?.getFields() ?? {}));
  expect(fields.length).toBeGreaterThan(100);
  expect(fields.filter((field) => isNonNullType(field.type)).map((field) => field.name)).toEqual([]);
});

it('one root field that fails leaves the others in place', async () => {
  const site = await Site.open();
  const root = await site.setUp();
  const common = await site.invite(root);
  const { data, codes } = await site.graphql(common, '{ me { username } users { totalCount } status { version } }');
  await site.stop();
  expect(data).toMatchObject({
    me: { username: common.username },
    users: null,
    status: { version: expect.any(String) },
  });
  expect(codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
});
