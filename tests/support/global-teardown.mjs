/** Stops what `global-setup.mjs` started. */
export default async function globalTeardown() {
  const postgres = globalThis.tollgateTestPostgres;
  if (!postgres) return;
  globalThis.tollgateTestPostgres = undefined;
  delete process.env.TEST_DATABASE_URL;
  await postgres.stop();
}
