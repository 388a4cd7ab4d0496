import { IsNull, Not, type EntityManager } from 'typeorm';
import type { UsageLog } from '../../shared/audit.js';
import { formatQuota, maxQuota } from '../../shared/quota.js';
import { LogType } from '../logs/index.js';
import type { OptionValues } from '../../options/option.service.js';
import type { PostEntry } from '../../billing/ledger/index.js';
import { User } from '../../billing/accounts/index.js';
import { insertUser, type NewUser } from '../users/index.js';

export interface EnrolmentDeps {
  readonly postEntry: PostEntry;
  readonly usageLog: UsageLog;
  readonly options: { readonly values: OptionValues };
}

/** A new user who registers by password or through a provider. */
export interface Newcomer extends Omit<NewUser, 'role' | 'quota' | 'inviterId' | 'group'> {
  /** Code of the inviter. An unknown code is ignored. */
  readonly inviterCode?: string;
}

/**
 * Creates accounts with their bonuses, and rewards the inviter
 * (docs/reference/rest/accounts.md#what-a-new-account-gets). Every amount is a ledger entry.
 */
export class Enrolment {
  constructor(private readonly deps: EnrolmentDeps) {}

  /**
   * Runs in the caller's transaction.
   * @returns the new user
   */
  async enrol(manager: EntityManager, { inviterCode, ...newcomer }: Newcomer): Promise<User> {
    const { QuotaForNewUser, QuotaForInvitee, QuotaForInviter } = this.deps.options.values;
    const inviter = await findInviter(manager, inviterCode);
    const user = await insertUser(manager, this.deps.postEntry, {
      ...newcomer,
      role: 'common',
      inviterId: inviter?.id ?? null,
      quota: QuotaForNewUser,
    });
    await this.logBonus(manager, user, 'New user bonus', QuotaForNewUser);
    if (!inviter) return user;
    const posting = { kind: 'invite', note: 'invite' } as const;
    const forInvitee = Math.min(QuotaForInvitee, maxQuota - QuotaForNewUser);
    if (forInvitee > 0) {
      const source = `invite:${user.id}:invitee`;
      await this.deps.postEntry(manager, { ...posting, source, userId: user.id, amount: forInvitee });
      await this.logBonus(manager, user, 'Bonus for using an invite code', forInvitee);
    }
    if (QuotaForInviter > 0) {
      const amount = Math.min(QuotaForInviter, await earningsRoom(manager, inviter.id));
      const source = `invite:${user.id}:inviter`;
      // An entry of 0 counts the invited user.
      await this.deps.postEntry(manager, { ...posting, source, userId: inviter.id, amount, account: 'affiliate' });
      // Earnings are credited to the balance only when they are transferred.
      await this.logBonus(manager, inviter, `Bonus for inviting ${user.username}`, amount, 0);
      const left = `Beyond the maximum of invite earnings, not credited for inviting ${user.username}`;
      await this.logBonus(manager, inviter, left, QuotaForInviter - amount, 0);
    }
    return user;
  }

  private async logBonus(
    manager: EntityManager,
    user: Pick<User, 'id' | 'username'>,
    what: string,
    amount: number,
    quota = amount,
  ): Promise<void> {
    if (amount <= 0) return;
    const text = formatQuota(amount, this.deps.options.values);
    const row = { type: LogType.system, userId: user.id, username: user.username };
    await this.deps.usageLog.record(manager, { ...row, content: `${what} ${text}`, quota });
  }
}

/**
 * Returns the room in the invite earnings, which are locked. An inviter without room must not prevent the registration.
 */
async function earningsRoom(manager: EntityManager, inviterId: number): Promise<number> {
  const [row] = await manager.query<Array<{ taken: string }>>(
    'SELECT greatest(aff_quota, aff_history_quota) AS taken FROM users WHERE id = $1 FOR NO KEY UPDATE',
    [inviterId],
  );
  return maxQuota - Number(row?.taken ?? maxQuota);
}

/** @returns null for an unknown code, and for a deleted or banned inviter */
async function findInviter(manager: EntityManager, code: string | undefined): Promise<User | null> {
  const affCode = code?.trim() ?? '';
  if (!/^[0-9A-Za-z]{1,32}$/.test(affCode)) return null;
  return manager.findOneBy(User, { affCode, status: Not('banned'), deletedAt: IsNull() });
}
