import pg from 'pg';
import { until } from '../faults/traffic.js';

/** A lock that stops the server's database work at one point. */
export interface Freeze {
  /** Resolves when a connection waits for the lock. */
  reached(): Promise<void>;
  /** Releases the lock. A waiting connection that is still alive continues. */
  release(): Promise<void>;
}

/**
 * Holds a lock that a step of the server needs, so that the step starts and cannot finish: a test can kill the server
 * at exactly that point.
 * @param sql a statement that takes the lock
 */
export async function freeze(url: string, sql: string, values: unknown[] = []): Promise<Freeze> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('BEGIN');
  await client.query(sql, values);
  const waiting = async (): Promise<number> => {
    const { rows } = await client.query<{ count: string }>(
      `SELECT count(*) FROM pg_stat_activity
       WHERE datname = current_database() AND pg_backend_pid() = ANY (pg_blocking_pids(pid))`,
    );
    return Number(rows[0]?.count);
  };
  return {
    reached: () => until(async () => (await waiting()) > 0, 60, 'somebody stands there'),
    async release() {
      await client.query('ROLLBACK');
      await client.end();
    },
  };
}

/** Resolves when no statement of a killed server is running: its connections end one after the other. */
export async function untilAlone(pool: pg.Pool): Promise<void> {
  await until(
    async () => {
      const { rows } = await pool.query<{ count: string }>(
        `SELECT count(*) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`,
      );
      return rows[0]?.count === '0';
    },
    60,
    'nothing of the dead goes on',
  );
}
