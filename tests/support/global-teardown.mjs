/** Stops what `global-setup.mjs` started. */
export default async function globalTeardown() {
  const postgres = globalThis.testPostgres;
  if (!postgres) return;
  globalThis.testPostgres = undefined;
  delete process.env.TEST_DATABASE_URL;
  await postgres.stop();
}
