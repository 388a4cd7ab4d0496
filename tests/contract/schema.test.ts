import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildClientSchema,
  getIntrospectionQuery,
  lexicographicSortSchema,
  printSchema,
  type IntrospectionQuery,
} from 'graphql';
import { Site } from './site.js';

it('what the server answers is what was reviewed in schema/schema.graphql', async () => {
  const site = await Site.open();
  const { data } = await site.graphql(null, getIntrospectionQuery({ specifiedByUrl: true }));
  await site.stop();
  const served = printSchema(lexicographicSortSchema(buildClientSchema(data as unknown as IntrospectionQuery)));
  const reviewed = readFileSync(join(import.meta.dirname, '../../schema/schema.graphql'), 'utf8');
  expect(served.trim()).toBe(reviewed.trim());
});
