import type { DataSource } from 'typeorm';
import type { Actor } from '../../shared/actor.js';

/**
 * Reads the super admin, in whose name jobs without a caller act.
 * @returns null before setup is complete
 */
export async function findRoot(database: Pick<DataSource, 'query'>): Promise<Actor | null> {
  const [root] = await database.query<Actor[]>(
    `SELECT id, username, role, status, "group" FROM users WHERE role = 'root' AND deleted_at IS NULL`,
  );
  return root ?? null;
}
