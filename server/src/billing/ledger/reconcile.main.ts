import { join } from 'node:path';
import type pg from 'pg';
import { exitCode, runCommand, withDatabase, type ExitCode } from '../../platform/db/command.js';
import { reconcile, type Drift } from './reconcile.js';
import { readSpool } from './spool-status.js';

/**
 * `npm run reconcile`: verifies the ledger of the configured database, with or without a running server, and counts
 * the settlements in this machine's `DATA_DIR` that are not in the ledger.
 */
async function main(parameters: string[]): Promise<ExitCode> {
  if (parameters.length > 0) {
    console.error('usage: npm run reconcile (it has no parameters; the database is that of the environment)');
    return exitCode.usage;
  }
  return withDatabase(process.env, 'tollgate-reconcile', async (client, config) => {
    const drifts = await readDrifts(client);
    for (const drift of drifts) console.log(describe(drift));
    console.log(drifts.length === 0 ? 'The ledger is consistent.' : `${drifts.length} accounts are inconsistent.`);
    const { waiting, rejected } = await readSpool(join(config.dataDir, 'spool'));
    if (waiting > 0) console.log(`${waiting} settlements in ${config.dataDir}/spool wait for the database.`);
    if (rejected > 0) {
      console.log(
        `${rejected} settlements in ${config.dataDir}/spool/rejected.jsonl were refused and are not charged.`,
      );
    }
    if (drifts.length > 0) return exitCode.differs;
    return rejected > 0 ? exitCode.attention : exitCode.ok;
  });
}

/** Runs all checks in one snapshot, so that a running server does not disturb them. */
async function readDrifts(client: pg.Client): Promise<Drift[]> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  return await reconcile(client);
}

const describe = ({ account, id, name, expected, found }: Drift): string =>
  `${account} ${id}${name ? ` (${name})` : ''}: expected ${expected}, found ${found}, off by ${found - expected}`;

await runCommand(() => main(process.argv.slice(2)));
