import type { DataSource } from 'typeorm';

const rowsPerStep = 5000;
const lockNotAvailable = '55P03';

interface Partition {
  readonly name: string;
  /** The first second after the partition. */
  readonly end: number;
}

/**
 * Deletes log rows of any type older than a moment: whole months by dropping their partition, the rest in small steps,
 * so that no statement locks the table for long. Hourly usage is kept, so dashboards keep their history.
 * @param before Unix seconds
 * @returns the number of deleted rows
 */
export async function trimLogs(database: DataSource, before: number): Promise<number> {
  // Announced first, so that no reader expects rows that may be deleted from now on.
  await database.query('UPDATE log_state SET trimmed_before = greatest(trimmed_before, $1)', [before]);
  let deleted = 0;
  for (const partition of await listPartitions(database)) {
    if (partition.end <= before) deleted += await dropPartition(database, partition.name);
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
    const end = /TO \('?(\d+)'?\)/.exec(bounds)?.[1];
    return end === undefined ? [] : [{ name, end: Number(end) }];
  });
}

/** @returns the number of its rows, or 0 when the lock is not available: the rows are then deleted in steps */
async function dropPartition(database: DataSource, name: string): Promise<number> {
  const table = `"${name.replaceAll('"', '""')}"`;
  try {
    return await database.transaction(async (manager) => {
      await manager.query("SET LOCAL lock_timeout = '3s'");
      // Counting a hundred million rows takes longer than the limit for other statements.
      await manager.query('SET LOCAL statement_timeout = 0');
      const [row] = await manager.query<Array<{ rows: string }>>(`SELECT count(*)::text AS rows FROM ${table}`);
      await manager.query(`DROP TABLE ${table}`);
      return Number(row?.rows ?? 0);
    });
  } catch (error) {
    if ((error as { code?: string }).code === lockNotAvailable) return 0;
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
