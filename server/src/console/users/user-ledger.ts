import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { Actor } from '../../shared/actor.js';
import type { AuditChange, UsageLog, AuditLog } from '../../shared/audit.js';
import { InvalidInputError } from '../../shared/errors.js';
import { formatQuota, isQuota } from '../../shared/quota.js';
import { LogType } from '../logs/index.js';
import type { OptionValues } from '../../options/option.service.js';
import type { PostEntry } from '../../billing/ledger/index.js';
import type { User } from '../../billing/accounts/index.js';

export interface UserLedgerDeps {
  readonly postEntry: PostEntry;
  readonly usageLog: UsageLog;
  readonly auditLog: AuditLog;
  readonly options: { readonly values: OptionValues };
}

/** Records an admin's changes of users in the ledger, the log and the audit log, inside the caller's transaction. */
export class UserLedger {
  constructor(private readonly deps: UserLedgerDeps) {}

  get postEntry(): PostEntry {
    return this.deps.postEntry;
  }

  /** Adds an amount to a balance. A negative amount deducts. */
  async grant(manager: EntityManager, actor: Actor, user: User, amount: number, note = ''): Promise<void> {
    if (amount === 0) return;
    const after = await this.deps.postEntry(manager, {
      source: `admin_grant:${user.id}:${randomUUID()}`,
      kind: 'admin_grant',
      userId: user.id,
      amount,
      actorId: actor.id,
      note,
    });
    const balance = after ?? 0;
    const [was, now] = [balance - amount, balance].map((quota) => formatQuota(quota, this.deps.options.values));
    const text = `Administrator changed quota from ${was} to ${now}`;
    await this.log(manager, actor, user, note === '' ? text : `${text}: ${note}`, amount);
    await this.audit(manager, actor, user.id, 'grant', { quota: balance - amount }, { quota: balance });
  }

  /** Writes an audit entry with the changed fields. */
  audit(
    manager: EntityManager,
    actor: Actor,
    userId: number,
    action: string,
    before: AuditChange['before'],
    after: AuditChange['after'],
  ): Promise<void> {
    return this.deps.auditLog.write(manager, actor, { action, subject: 'user', id: userId, before, after });
  }

  /**
   * Sets a balance: posts the difference to the current value, under the row's lock.
   * @param ungranted the balance without the actor's grants when `quota` was read: then the difference is posted to that
   *   and the actor's grants, so that what was spent and credited since stays. Saving twice posts once.
   * @throws InvalidInputError for a difference out of range
   */
  async moveTo(manager: EntityManager, actor: Actor, user: User, quota: number, ungranted?: number): Promise<void> {
    const rows = await manager.query<Array<{ quota: string }>>(
      'SELECT quota FROM users WHERE id = $1 FOR NO KEY UPDATE',
      [user.id],
    );
    const granted = ungranted === undefined ? 0 : ((await grantedBy(manager, actor.id, [user.id])).get(user.id) ?? 0);
    const amount = quota - (ungranted === undefined ? Number(rows[0]?.quota ?? 0) : ungranted + granted);
    if (!isQuota(amount)) throw new InvalidInputError('The quota is out of range', 'quota');
    await this.grant(manager, actor, user, amount);
  }

  /**
   * Writes a row of the user's log. Only admins see who acted.
   * @param granted what the balance changed by. A credit is stored as the quota of the row, a deduction among its details
   */
  log(
    manager: EntityManager,
    actor: Actor,
    user: Pick<User, 'id' | 'username'>,
    content: string,
    granted = 0,
  ): Promise<void> {
    return this.deps.usageLog.record(manager, {
      type: LogType.manage,
      userId: user.id,
      username: user.username,
      content,
      quota: Math.max(0, granted),
      other: {
        ...(granted < 0 ? { deducted_quota: -granted } : {}),
        admin_info: { admin_id: actor.id, admin_username: actor.username },
      },
    });
  }

  /** Writes the log row of a new user's bonus, if any. */
  async logBonus(manager: EntityManager, user: User): Promise<void> {
    if (user.quota <= 0) return;
    await this.deps.usageLog.record(manager, {
      type: LogType.system,
      userId: user.id,
      username: user.username,
      content: `New user bonus ${formatQuota(user.quota, this.deps.options.values)}`,
      quota: user.quota,
    });
  }
}

/** Sums of the grants of an admin, by user; users without grants are absent. */
export async function grantedBy(
  manager: Pick<EntityManager, 'query'>,
  actorId: number,
  userIds: readonly number[],
): Promise<Map<number, number>> {
  const rows = await manager.query<Array<{ userId: number; granted: string }>>(
    `SELECT user_id AS "userId", sum(amount) AS granted FROM ledger_entries
     WHERE user_id = ANY($1) AND account = 'user' AND kind = 'admin_grant' AND actor_id = $2 GROUP BY user_id`,
    [userIds, actorId],
  );
  return new Map(rows.map(({ userId, granted }) => [userId, Number(granted)]));
}
