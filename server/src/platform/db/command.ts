import pg from 'pg';
import { ConfigError, parseConfig, type Config } from '../config.js';
import { createLogger } from '../observability/logger.js';
import { joinEmbeddedPostgres } from './embedded/embedded-postgres.js';

/**
 * Exit codes of the operator's commands. Node itself exits with 1 when it cannot run a program, so no check result uses
 * 1.
 */
export const exitCode = {
  ok: 0,
  /** The command could not run: invalid configuration, no database, an incomplete installation. */
  failed: 1,
  /** Wrong parameters. */
  usage: 2,
  /** Numbers that must be equal differ. */
  differs: 3,
  /** The check passed, but something needs manual inspection, or the requested object does not exist. */
  attention: 4,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** Runs a command and sets the exit code of this process. An error becomes one line on standard error. */
export async function runCommand(command: () => Promise<ExitCode>): Promise<void> {
  try {
    process.exitCode = await command();
  } catch (error) {
    process.stderr.write(`tollgate: ${describe(error)}\n`);
    process.exitCode = exitCode.failed;
  }
}

/**
 * Connects to the configured database, external or embedded, beside a running server or without one.
 * @param environment usually `process.env`
 * @param name shown by Postgres as the connection's application
 * @param use gets the address of the connection too
 */
export async function withDatabase<Result>(
  environment: NodeJS.ProcessEnv,
  name: string,
  use: (client: pg.Client, config: Config, url: string) => Promise<Result>,
): Promise<Result> {
  const config = parseConfig(environment);
  const logger = createLogger('warn', { write: (line: string) => void process.stderr.write(line) });
  const embedded = config.databaseUrl ? undefined : await joinEmbeddedPostgres(config, logger);
  try {
    const url = config.databaseDirectUrl ?? config.databaseUrl ?? embedded?.url ?? '';
    const client = new pg.Client({ connectionString: url, application_name: name });
    await client.connect();
    try {
      return await use(client, config, url);
    } finally {
      await client.end();
    }
  } finally {
    await embedded?.stop();
  }
}

function describe(error: unknown): string {
  if (error instanceof ConfigError) return error.problems.join('; ');
  return error instanceof Error ? error.message : String(error);
}
