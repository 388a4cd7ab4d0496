import pg from 'pg';

/** The database of this site, over one connection. */
export interface Target {
  query<Row extends object = Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Runs `work` in a transaction, which is rolled back if `work` throws. Transactions are not nested. */
  transaction<Result>(work: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** Another process imports into this database. */
export class BusyError extends Error {
  override readonly name = 'BusyError';
}

/** Id of the advisory lock that admits one import at a time. */
const importLock = 7_305_121;

/**
 * Connects and takes the advisory lock of imports, which the connection holds until it ends.
 * @throws BusyError when another process imports into this database
 */
export async function openTarget(url: string): Promise<Target> {
  const client = new pg.Client({ connectionString: url, application_name: 'tollgate-import' });
  // A lost connection surfaces as a failure of the next statement.
  client.on('error', () => undefined);
  await client.connect();
  const query = async <Row extends object>(text: string, values?: unknown[]): Promise<Row[]> => {
    const { rows } = await client.query<Row>(text, values);
    return rows;
  };
  const [lock] = await query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [importLock]);
  if (!lock?.taken) {
    await client.end();
    throw new BusyError('Another process is importing into this database. Wait until it has ended.');
  }
  // A batch that a crash loses is imported again, so no commit has to wait for the disk.
  // Imported rows describe another site: they are no events of this one.
  await query('SET synchronous_commit = off; SET statement_timeout = 0; SET tollgate.events = off');
  return {
    query,
    async transaction(work) {
      await query('BEGIN');
      try {
        const result = await work();
        await query('COMMIT');
        return result;
      } catch (error) {
        await query('ROLLBACK').catch(() => undefined);
        throw error;
      }
    },
    close: () => client.end(),
  };
}
