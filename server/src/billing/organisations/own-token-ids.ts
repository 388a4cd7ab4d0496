import type { Queries } from '../../platform/db/queries.js';
import type { Actor } from '../../shared/actor.js';

/**
 * Returns the ids to which reads of calls and usage are restricted: those of the caller's keys, deleted ones too, for a
 * member who may not read the calls of others.
 * @param asked the ids that the caller asked for; absent: all
 * @param seesAll whether the caller may read the rows of all keys of the account
 * @returns undefined when the ids are not restricted
 */
export async function ownTokenIds(
  database: Queries,
  actor: Actor,
  asked: readonly number[] | undefined,
  seesAll: boolean,
): Promise<readonly number[] | undefined> {
  if (seesAll || !actor.membership) return asked;
  const rows = (await database.query('SELECT id FROM tokens WHERE user_id = $1 AND member_id = $2', [
    actor.id,
    actor.membership.id,
  ])) as Array<{ id: number }>;
  const own = rows.map(({ id }) => id);
  return asked ? own.filter((id) => asked.includes(id)) : own;
}
