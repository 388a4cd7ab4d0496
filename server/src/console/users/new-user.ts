import type { EntityManager } from 'typeorm';
import { randomAlphanumeric } from '../../shared/ids.js';
import { isUniqueViolation } from '../../shared/postgres-error.js';
import type { PostEntry } from '../../billing/ledger/index.js';
import { User } from '../../billing/accounts/index.js';
import { claimUsername } from './username.js';

/** Ids of a user at sign-in providers. */
export type Identities = Partial<Pick<User, 'githubId' | 'oidcId' | 'wechatId' | 'telegramId' | 'linuxDoId'>>;

/** The quota is posted as the opening entry of the user's account. */
export type NewUser = Readonly<
  Pick<User, 'username' | 'displayName' | 'passwordHash' | 'role' | 'quota'> &
    Partial<Pick<User, 'group' | 'email' | 'externalId' | 'inviterId'>> &
    Identities
>;

export const affiliateCodeLength = 6;

/**
 * Inserts a user with an invite code and posts the opening balance, in the caller's transaction.
 * @throws UsernameTakenError
 */
export async function insertUser(manager: EntityManager, postEntry: PostEntry, user: NewUser): Promise<User> {
  const { quota, ...columns } = user;
  await claimUsername(manager, user.username);
  const inserted = await manager.insert(User, { ...columns, affCode: randomAlphanumeric(affiliateCodeLength) });
  const id = inserted.identifiers[0]?.['id'] as number;
  await postEntry(manager, {
    source: `opening:user:${id}`,
    kind: 'opening',
    userId: id,
    amount: quota,
    note: 'start quota',
  });
  return manager.findOneByOrFail(User, { id });
}

/** Repeats the transaction when the random invite code is taken. */
export async function withFreshAffiliateCode<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt >= 5 || !isUniqueViolation(error, 'users_aff_code')) throw error;
    }
  }
}
