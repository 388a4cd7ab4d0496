import type pg from 'pg';
import { exitCode, runCommand, withDatabase, type ExitCode } from '../../platform/db/command.js';
import { LogType } from '../../shared/log-type.js';
import { explainCharge, explainCost, type ChargedRow } from './explain-charge.js';
import { dateOf } from '../../shared/clock.js';

/**
 * `npm run explain-charge -- <request id>`: every log row of a request, each charge with its formula and numbers, recomputed
 * from the row alone.
 */
async function main(parameters: string[]): Promise<ExitCode> {
  const [requestId] = parameters;
  if (!requestId || parameters.length > 1) {
    console.error('usage: npm run explain-charge -- <request id>');
    return exitCode.usage;
  }
  const rows = await withDatabase(process.env, 'tollgate-explain-charge', (client) => readRows(client, requestId));
  const charged = rows.filter((row) => row.type === LogType.consume);
  if (charged.length === 0) console.log(`No charge of request ${requestId} is in the log.`);
  const equal = rows.map((row, index) => {
    if (rows.length > 1) console.log(`${index === 0 ? '' : '\n'}Row ${index + 1} of ${rows.length}`);
    return print(row);
  });
  if (charged.length > 1) {
    const total = charged.reduce((sum, row) => sum + row.quota, 0);
    console.log(`\nCharged in ${charged.length} rows: ${total}`);
  }
  if (charged.length === 0) return exitCode.attention;
  return equal.every(Boolean) ? exitCode.ok : exitCode.differs;
}

interface FoundRow extends ChargedRow {
  readonly type: number;
  readonly time: string;
  readonly model: string;
  readonly username: string;
  readonly content: string;
}

async function readRows(client: pg.Client, requestId: string): Promise<FoundRow[]> {
  const { rows } = await client.query<Record<string, string | number>>(
    `SELECT type, created_at, quota, prompt_tokens, completion_tokens, model_name, username, content, other
     FROM logs WHERE request_id = $1 ORDER BY created_at, id`,
    [requestId],
  );
  return rows.map((row) => ({
    type: Number(row['type']),
    time: dateOf(Number(row['created_at'])).toISOString(),
    quota: Number(row['quota']),
    promptTokens: Number(row['prompt_tokens']),
    completionTokens: Number(row['completion_tokens']),
    other: JSON.parse(String(row['other']) || '{}') as Record<string, unknown>,
    model: String(row['model_name']),
    username: String(row['username']),
    content: String(row['content']),
  }));
}

/** Prints a row. @returns false when its charge is not what its formula comes to */
function print(row: FoundRow): boolean {
  console.log(`${row.model}, called by ${row.username}`);
  if (row.type !== LogType.consume) {
    console.log(`Not a charge (type ${row.type}), ${row.time}: ${row.quota}. ${row.content}`.trimEnd());
    return true;
  }
  const { formula, text, quota } = explainCharge(row);
  console.log(`${formula}: ${text} = ${quota}`);
  console.log(quota === row.quota ? `Charged: ${row.quota}` : `Charged: ${row.quota}, which differs`);
  const cost = explainCost(row);
  if (cost) console.log(cost);
  return quota === row.quota;
}

await runCommand(() => main(process.argv.slice(2)));
