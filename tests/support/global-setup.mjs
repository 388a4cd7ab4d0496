import './typescript.mjs';

/**
 * Runs once before the tests that need a server's surroundings. `npm test` has found everything already; a bare
 * `npx jest` starts a database of its own here, so that a single file can be run.
 */
export default async function globalSetup() {
  if (process.env.TEST_DATABASE_URL) return;
  const { findPostgres } = await import('./services/postgres.ts');
  globalThis.testPostgres = await findPostgres();
  process.env.TEST_DATABASE_URL = globalThis.testPostgres.url;
}
