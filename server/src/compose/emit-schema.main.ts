import 'reflect-metadata';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { printAnnotatedSchema } from '../platform/graphql/print-schema.js';
import { openApiDocument } from '../platform/http/openapi/document.js';
import { apiSections } from './api-sections.js';
import { firstPageDashboards } from './first-page.js';
import { withOptionTables } from './option-tables.js';
import { withRequestTables } from './request-tables.js';
import { composeSchema } from './resolvers.js';
import { withTables } from './rest-tables.js';

/** Writes the GraphQL schema, the dashboards of the first page and the tables of the REST reference. The first argument names another folder. */
const folder = process.argv[2] ?? '.';
const reference = 'docs/reference/rest';

async function emit(file: string, text: string): Promise<void> {
  const target = join(folder, file);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, text);
}

const { schema } = await composeSchema();
await emit('schema/schema.graphql', printAnnotatedSchema(schema));
await emit('schema/dashboards.json', firstPageDashboards(schema));
const document = openApiDocument(apiSections, { version: '', server: '' });
for (const name of await readdir(reference)) {
  const file = `${reference}/${name}`;
  const text = withRequestTables(withTables(await readFile(file, 'utf8'), document), document);
  await emit(file, name === 'options.md' ? withOptionTables(text) : text);
}
