import { randomUUID } from 'node:crypto';
import { compileServer } from './compile-server.mjs';
import './typescript.mjs';

/**
 * Runs once before the tests that need services. Under `npm test` they exist already; with `npx jest` alone this starts
 * a database, so that a single file can be run.
 */
export default async function globalSetup() {
  await compileServer();
  process.env.TEST_RUN = randomUUID().slice(0, 8);
  if (process.env.TEST_DATABASE_URL) return;
  const { findPostgres } = await import('./services/postgres.ts');
  globalThis.testPostgres = await findPostgres();
  process.env.TEST_DATABASE_URL = globalThis.testPostgres.url;
}
