import { codegen } from '@graphql-codegen/core';
import nearOperationFile from '@graphql-codegen/near-operation-file-preset';
import * as typedDocumentNode from '@graphql-codegen/typed-document-node';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import { buildASTSchema, parse } from 'graphql';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './build.mjs';
import { iconsOf } from './icons.mjs';

// `npm run codegen` writes what the console's code imports and git does not keep: its icons, and beside each `.graphql` file
// the typed documents in it, from the committed schema. The command line program of the generator would do the same with 130
// packages more.

const schema = parse(readFileSync(join(root, 'schema/schema.graphql'), 'utf8'));
const source = join(root, 'client/src');
const files = readdirSync(source, { recursive: true })
  .map((path) => join(source, path))
  .sort();
const documents = files
  .filter((path) => path.endsWith('.graphql'))
  .map((location) => {
    const rawSDL = readFileSync(location, 'utf8');
    return { location, rawSDL, document: parse(rawSDL) };
  });

const sections = await nearOperationFile.buildGeneratesSection({
  baseOutputDir: source,
  schema,
  schemaAst: buildASTSchema(schema),
  documents,
  presetConfig: { cwd: root, extension: '.generated.ts' },
  pluginMap: { 'typescript-operations': typescriptOperations, 'typed-document-node': typedDocumentNode },
  plugins: [{ 'typescript-operations': {} }, { 'typed-document-node': {} }],
  config: {
    useTypeImports: true,
    enumsAsTypes: true,
    strictScalars: true,
    skipTypename: true,
    // Apollo Client throws where a field failed, so the console reads such fields as non-null.
    nullability: { errorHandlingClient: true },
    scalars: {
      DateTime: 'string',
      Decimal: 'string',
      JSON: 'unknown',
      Quota: 'number',
      SafeInt: 'number',
      TimeZone: 'string',
    },
  },
});

const generated = await Promise.all(
  sections.map(async (section) => ({ path: section.filename, text: await codegen(section) })),
);
generated.push(...iconsOf(files.filter((path) => /\.tsx?$/.test(path))));

for (const { path, text } of generated) {
  // A file that keeps its time is not compiled again by a running development server.
  if (existsSync(path) && readFileSync(path, 'utf8') === text) continue;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
const current = new Set(generated.map(({ path }) => path));
for (const path of files) if (path.endsWith('.generated.ts') && !current.has(path)) rmSync(path);
