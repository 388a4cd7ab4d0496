import { exitCode, runCommand, withDatabase, type ExitCode } from '../../platform/db/command.js';
import { createLogger } from '../../platform/observability/logger.js';
import { checkDatabase } from './database-check.js';

/** `npm run database-check`: checks whether the configured database has all features that the gateway needs. */
async function main(parameters: string[]): Promise<ExitCode> {
  if (parameters.length > 0) {
    console.error('usage: npm run database-check (it has no parameters; the database is that of the environment)');
    return exitCode.usage;
  }
  return withDatabase(process.env, 'tollgate-check', async (_client, config, directUrl) => {
    const results = await checkDatabase({
      directUrl,
      url: config.databaseUrl ?? directUrl,
      preparedStatements: config.databasePreparedStatements,
      logger: createLogger('warn', { write: (line: string) => void process.stderr.write(line) }),
    });
    for (const { status, code, text } of results) console.log(`${status.padEnd(8)} ${code.padEnd(18)} ${text}`);
    const missing = results.filter(({ status }) => status === 'missing').length;
    console.log(missing === 0 ? 'The database has everything.' : `The database lacks ${missing} of ${results.length}.`);
    return missing === 0 ? exitCode.ok : exitCode.differs;
  });
}

await runCommand(() => main(process.argv.slice(2)));
