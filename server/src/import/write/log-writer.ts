import type { Findings } from '../findings.js';
import type { Family } from '../family.js';
import { logColumns, mapLog, type LogChange, type MovedLog } from '../map/logs.js';
import { BadRecord, Fields } from '../source/fields.js';
import type { SourceDatabase } from '../source/source.js';
import type { Target } from './target.js';
import { addRecentUsage, addUsage, usageOfLogs } from './usage-writer.js';

/** Rows per transaction: large enough that commits cost little, and small enough that a resumed run repeats little. */
const batchSize = 5_000;
/** Partitions are created for months from this one on. Older rows are in the default partition. */
const oldestMonth = Date.UTC(2020, 0, 1) / 1000;

/** Counts of all batches so far, which are stored with the cursor. */
export interface LogCounts {
  moved: number;
  refused: number;
  retyped: number;
  stripped: number;
  cut: number;
  /** Sum of the quota of consume rows. */
  quota: number;
}

export const noLogCounts = (): LogCounts => ({ moved: 0, refused: 0, retyped: 0, stripped: 0, cut: 0, quota: 0 });

export interface LogMove {
  readonly run: string;
  readonly family: Family;
  readonly withContent: boolean;
  /** Unix seconds. Older rows are not imported. */
  readonly since: number;
  readonly cursor: number;
  readonly counts: LogCounts;
  readonly findings: Findings;
  readonly now: number;
  readonly signal: AbortSignal;
  /** @param rows number of rows in the batch */
  onBatch(rows: number): void;
}

/** Imports log rows by id. Each batch, its usage and the cursor are one transaction, so every row is counted once. */
export async function moveLogs(target: Target, source: SourceDatabase, move: LogMove): Promise<LogCounts> {
  const counts = { ...noLogCounts(), ...move.counts };
  const months = new Set<string>();
  let after = move.cursor;
  let next = read(source, after, move.since);
  for (;;) {
    const rows = await next;
    const last = rows.at(-1);
    if (!last) return counts;
    move.signal.throwIfAborted();
    after = Number(last['id']);
    // The source is read while the last batch is written.
    next = read(source, after, move.since);
    next.catch(() => undefined);
    const logs = mapAll(rows, move, counts);
    await ensureMonths(target, logs, months, move.now);
    await target.transaction(async () => {
      await insertLogs(target, logs);
      await addUsage(target, usageOfLogs(logs));
      await addRecentUsage(target, logs, move.now);
      await target.query('UPDATE import_runs SET log_cursor = $2, log_counts = $3 WHERE source = $1', [
        move.run,
        after,
        JSON.stringify(counts),
      ]);
    });
    move.onBatch(rows.length);
  }
}

const read = (
  source: SourceDatabase,
  after: number,
  since: number,
): Promise<Array<Readonly<Record<string, unknown>>>> =>
  source.page('logs', { after, limit: batchSize, columns: logColumns, ...(since > 0 ? { since } : {}) });

function mapAll(rows: Array<Readonly<Record<string, unknown>>>, move: LogMove, counts: LogCounts): MovedLog[] {
  const { family, withContent, findings } = move;
  const onChange = (code: LogChange): void => {
    if (code === 'log-type') counts.retyped++;
    else if (code === 'log-content') counts.stripped++;
    else counts.cut++;
  };
  return rows.flatMap((row) => {
    try {
      const log = mapLog(new Fields(row), { family, withContent, onChange });
      counts.moved++;
      if (log.type === 2) counts.quota += log.quota;
      return [log];
    } catch (error) {
      if (!(error instanceof BadRecord)) throw error;
      counts.refused++;
      findings.add('log-refused', 'logs', String(row['id']), error.message);
      return [];
    }
  });
}

async function ensureMonths(
  target: Target,
  logs: readonly MovedLog[],
  months: Set<string>,
  now: number,
): Promise<void> {
  for (const { createdAt } of logs) {
    if (createdAt < oldestMonth || createdAt > now + 86_400) continue;
    const month = new Date(createdAt * 1000).toISOString().slice(0, 7);
    if (months.has(month)) continue;
    months.add(month);
    await target.query('SELECT logs_ensure_partitions($1, 0)', [`${month}-01T00:00:00Z`]);
  }
}

/** Inserts rows with one array parameter per column, the fastest form without the COPY protocol. */
async function insertLogs(target: Target, logs: readonly MovedLog[]): Promise<void> {
  const columns: Array<readonly [string, string, (log: MovedLog) => unknown]> = [
    ['created_at', 'bigint', (log) => log.createdAt],
    ['request_id', 'text', (log) => log.requestId],
    ['type', 'smallint', (log) => log.type],
    ['user_id', 'integer', (log) => log.userId],
    ['username', 'text', (log) => log.username],
    ['token_id', 'integer', (log) => log.tokenId],
    ['token_name', 'text', (log) => log.tokenName],
    ['channel_id', 'integer', (log) => log.channelId],
    ['model_name', 'text', (log) => log.modelName],
    ['"group"', 'text', (log) => log.group],
    ['quota', 'bigint', (log) => log.quota],
    ['prompt_tokens', 'integer', (log) => log.promptTokens],
    ['completion_tokens', 'integer', (log) => log.completionTokens],
    ['use_time', 'integer', (log) => log.useTime],
    ['is_stream', 'boolean', (log) => log.isStream],
    ['content', 'text', (log) => log.content],
    ['other', 'text', (log) => log.other],
  ];
  await target.query(
    `INSERT INTO logs (${columns.map(([name]) => name).join(', ')})
     SELECT * FROM unnest(${columns.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ')})`,
    columns.map(([, , valueOf]) => logs.map(valueOf)),
  );
}
