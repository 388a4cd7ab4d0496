import type { DataSource } from 'typeorm';
import { Role, type Actor } from '../../shared/actor.js';

/**
 * Reads the super admin, in whose name jobs without a caller act.
 * @returns null before setup is complete
 */
export async function findRoot(database: Pick<DataSource, 'query'>): Promise<Actor | null> {
  const [root] = await database.query<Actor[]>(
    'SELECT id, username, role, status, "group" FROM users WHERE role = $1 AND deleted_at IS NULL',
    [Role.root],
  );
  return root ?? null;
}
