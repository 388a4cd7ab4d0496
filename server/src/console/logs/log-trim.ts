import type { DataSource } from 'typeorm';
import { logFrom, type Range, readSnapshot } from '../../billing/rollups/index.js';

const rowsPerStep = 5000;
const lockNotAvailable = '55P03';

/** A month of the log, from its first second to the first second after it. */
interface Partition extends Range {
  readonly name: string;
}

/**
 * Deletes log rows of any type older than a moment: whole months by dropping their partition, the rest in small steps,
 * so that no statement locks the table for long. Hourly usage is kept, so dashboards keep their history.
 * @param before Unix seconds
 * @returns the number of deleted rows
 */
export async function trimLogs(database: DataSource, before: number): Promise<number> {
  const months = (await listPartitions(database)).filter(({ end }) => end <= before);
  const rows = await countRows(database, months);
  // The time is announced before the deletion, so that no reader expects rows that may be deleted from now on.
  await database.query('UPDATE log_state SET trimmed_before = greatest(trimmed_before, $1)', [before]);
  let deleted = 0;
  for (const month of months) {
    if (await dropPartition(database, month.name)) deleted += rows.get(month) ?? 0;
  }
  for (;;) {
    const gone = await deleteStep(database, before);
    deleted += gone;
    if (gone < rowsPerStep) return deleted;
  }
}

async function listPartitions(database: DataSource): Promise<Partition[]> {
  const rows = await database.query<Array<{ name: string; bounds: string }>>(
    `SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bounds
       FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'logs'::regclass ORDER BY c.relname`,
  );
  return rows.flatMap(({ name, bounds }) => {
    const [, from, end] = /FROM \('?(\d+)'?\) TO \('?(\d+)'?\)/.exec(bounds) ?? [];
    return end === undefined ? [] : [{ name, from: Number(from), end: Number(end) }];
  });
}

/**
 * Counts rows before their deletion is announced. The rollups are used, because reading ten million rows takes seconds.
 */
function countRows(database: DataSource, months: readonly Partition[]): Promise<Map<Partition, number>> {
  return readSnapshot(database, async (transaction, state) => {
    // Where rollups are missing, rows are read, which may take longer than the limit of other statements.
    await transaction.query('SET LOCAL statement_timeout = 0');
    const counted = new Map<Partition, number>();
    for (const month of months) {
      const from =
        logFrom({ range: month, columns: [], condition: 'TRUE' }, state) ??
        `${month.name} CROSS JOIN (SELECT 1 AS entries) one`;
      const [row] = await transaction.query<Array<{ rows: string | null }>>(
        `SELECT sum(entries)::text AS rows FROM ${from}`,
      );
      counted.set(month, Number(row?.rows ?? 0));
    }
    return counted;
  });
}

/** @returns false when the lock is not available: the rows are then deleted in steps */
async function dropPartition(database: DataSource, name: string): Promise<boolean> {
  try {
    await database.transaction(async (manager) => {
      await manager.query("SET LOCAL lock_timeout = '3s'");
      await manager.query(`DROP TABLE "${name.replaceAll('"', '""')}"`);
    });
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === lockNotAvailable) return false;
    throw error;
  }
}

async function deleteStep(database: DataSource, before: number): Promise<number> {
  const [row] = await database.query<Array<{ gone: string }>>(
    `WITH doomed AS (
       SELECT created_at, id FROM logs WHERE created_at < $1 ORDER BY created_at, id LIMIT $2
     ), gone AS (
       DELETE FROM logs USING doomed WHERE logs.created_at = doomed.created_at AND logs.id = doomed.id RETURNING 1
     ) SELECT count(*)::text AS gone FROM gone`,
    [before, rowsPerStep],
  );
  return Number(row?.gone ?? 0);
}
