import pg from 'pg';

/** Stops what `global-setup.mjs` started. In a database that stays, removes what this run prepared. */
export default async function globalTeardown() {
  const postgres = globalThis.testPostgres;
  if (!postgres) return dropPrepared(process.env.TEST_DATABASE_URL, process.env.TEST_RUN);
  globalThis.testPostgres = undefined;
  delete process.env.TEST_DATABASE_URL;
  await postgres.stop();
}

/** Drops the databases of `createPreparedDatabase`. */
async function dropPrepared(url, run) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('SELECT datname FROM pg_database WHERE datname ~ $1', [
    `^tollgate_[a-z]+_${run}$`,
  ]);
  for (const { datname } of rows) await client.query(`DROP DATABASE IF EXISTS "${datname}" WITH (FORCE)`);
  await client.end();
}
