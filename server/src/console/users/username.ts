import type { EntityManager } from 'typeorm';
import { advisoryLocks } from '../../platform/db/advisory-locks.js';
import { ConflictError } from '../../shared/errors.js';
import { foldedName } from '../../shared/username.js';

const compositions = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const;

/** The name belongs to another user, possibly a deleted one, in this or another case. */
export class UsernameTakenError extends ConflictError {
  constructor() {
    super('Username exists or has been deactivated', 'username');
  }
}

/**
 * Refuses a name that could be mistaken for that of another user, in the caller's transaction, which then writes it. Of
 * two concurrent claims, one waits for the other. Users who already have such names keep them.
 * @param userId of the user who takes the name; absent for a new user
 * @throws UsernameTakenError
 */
export async function claimUsername(
  manager: Pick<EntityManager, 'query'>,
  username: string,
  userId: number | null = null,
): Promise<void> {
  await manager.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [
    advisoryLocks.usernames,
    foldedName(username),
  ]);
  // Variation selectors and other invisible marks are removed.
  const shown = username.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
  const composed = [username, ...compositions.map((form) => shown.normalize(form))];
  // The name is compared in upper and lower case, because Postgres with the collation C lowers ASCII letters only.
  const alike = composed.flatMap((name) => [name, name.toLowerCase(), name.toUpperCase()]);
  const [taken] = await manager.query<unknown[]>(
    `SELECT FROM users WHERE lower(username) = ANY (SELECT lower(form) FROM unnest($1::text[]) AS form)
       AND ($2::integer IS NULL OR id <> $2) LIMIT 1`,
    [alike, userId],
  );
  if (taken) throw new UsernameTakenError();
}
