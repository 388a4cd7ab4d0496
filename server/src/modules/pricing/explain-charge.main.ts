import pg from 'pg';
import { ConfigError, parseConfig } from '../../config.js';
import { joinEmbeddedPostgres } from '../../db/embedded/embedded-postgres.js';
import { createLogger } from '../../observability/logger.js';
import { explainCharge, type ChargedRow } from './explain-charge.service.js';

/**
 * `npm run explain-charge -- <request id>`: the formula of a charge with its numbers, recomputed from the log row
 * alone. Exit code 0 when both agree, 1 when they differ or there is no such row, 2 when the log could not be read.
 */
async function main(requestId: string | undefined): Promise<number> {
  if (!requestId) {
    console.error('usage: npm run explain-charge -- <request id>');
    return 2;
  }
  const config = parseConfig(process.env);
  const logger = createLogger('warn', { write: (line: string) => void process.stderr.write(line) });
  const embedded = config.databaseUrl ? undefined : await joinEmbeddedPostgres(config, logger);
  try {
    const row = await readRow(config.databaseUrl ?? embedded?.url ?? '', requestId);
    if (!row) {
      console.log(`No charge of request ${requestId} is in the log.`);
      return 1;
    }
    return tell(row);
  } finally {
    await embedded?.stop();
  }
}

interface FoundRow extends ChargedRow {
  readonly model: string;
  readonly username: string;
}

async function readRow(url: string, requestId: string): Promise<FoundRow | null> {
  const client = new pg.Client({ connectionString: url, application_name: 'tollgate-explain-charge' });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, string | number>>(
      `SELECT quota, prompt_tokens, completion_tokens, model_name, username, other
       FROM logs WHERE request_id = $1 AND type = 2`,
      [requestId],
    );
    const [row] = rows;
    if (!row) return null;
    return {
      quota: Number(row['quota']),
      promptTokens: Number(row['prompt_tokens']),
      completionTokens: Number(row['completion_tokens']),
      other: JSON.parse(String(row['other']) || '{}') as Record<string, unknown>,
      model: String(row['model_name']),
      username: String(row['username']),
    };
  } finally {
    await client.end();
  }
}

function tell(row: FoundRow): number {
  const { formula, text, quota } = explainCharge(row);
  console.log(`${row.model}, called by ${row.username}`);
  console.log(`${formula}: ${text} = ${quota}`);
  console.log(quota === row.quota ? `Charged: ${row.quota}` : `Charged: ${row.quota}, which is not the same`);
  return quota === row.quota ? 0 : 1;
}

function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.problems.join('; ');
  return error instanceof Error ? error.message : String(error);
}

try {
  process.exitCode = await main(process.argv[2]);
} catch (error) {
  console.error(`tollgate: ${explain(error)}`);
  process.exitCode = 2;
}
