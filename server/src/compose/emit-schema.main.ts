import 'reflect-metadata';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { printAnnotatedSchema } from '../platform/graphql/print-schema.js';
import { composeSchema } from './resolvers.js';

const { schema } = await composeSchema();

/** Output file: the first argument, or the committed schema. */
const target = process.argv[2] ?? 'schema/schema.graphql';
await mkdir(dirname(target), { recursive: true });
await writeFile(target, printAnnotatedSchema(schema));
