import pg from 'pg';
import { ConfigError, parseConfig } from '../../config.js';
import { joinEmbeddedPostgres } from '../../db/embedded/embedded-postgres.js';
import { createLogger } from '../../observability/logger.js';
import { reconcile, type Drift } from './reconcile.service.js';

/**
 * `npm run reconcile`: verifies the ledger of the configured database, with or without a running server. Exit code 0
 * when it is consistent, 1 with a list of differences, 2 when it could not be read.
 */
async function main(): Promise<number> {
  const config = parseConfig(process.env);
  const logger = createLogger('warn', { write: (line: string) => void process.stderr.write(line) });
  const embedded = config.databaseUrl ? undefined : await joinEmbeddedPostgres(config, logger);
  try {
    const drifts = await readBooks(config.databaseUrl ?? embedded?.url ?? '');
    for (const drift of drifts) console.log(describe(drift));
    console.log(drifts.length === 0 ? 'The books add up.' : `${drifts.length} accounts do not add up.`);
    return drifts.length === 0 ? 0 : 1;
  } finally {
    await embedded?.stop();
  }
}

/** All checks read one snapshot, so a running server does not disturb them. */
async function readBooks(url: string): Promise<Drift[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'tollgate-reconcile' });
  await client.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    return await reconcile(client);
  } finally {
    await client.end();
  }
}

const describe = ({ account, id, name, expected, found }: Drift): string =>
  `${account} ${id}${name ? ` (${name})` : ''}: expected ${expected}, found ${found}, off by ${found - expected}`;

function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.problems.join('; ');
  return error instanceof Error ? error.message : String(error);
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`tollgate: ${explain(error)}`);
  process.exitCode = 2;
}
