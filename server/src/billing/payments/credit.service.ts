import { Decimal } from 'decimal.js';
import type { EntityManager } from 'typeorm';
import { User } from '../accounts/index.js';
import type { Changes } from '../../platform/cache/changes.js';
import type { UsageLog } from '../../shared/audit.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { formatQuota, maxQuota } from '../../shared/quota.js';
import { LogType } from '../../shared/log-type.js';
import type { OptionValues } from '../../options/option.service.js';
import type { PostEntry, Posting } from '../ledger/index.js';

export interface Purchase {
  /** Unique, so that it is posted at most once. */
  readonly source: string;
  readonly kind: Extract<Posting['kind'], 'redemption' | 'top_up'>;
  readonly user: { readonly id: number; readonly username: string };
  readonly quota: number;
  /** The admin who credits it, and why. Absent: the user or a gateway. */
  readonly actorId?: number;
  readonly note?: string;
  /** Text of the user's log row. */
  readonly describe: (amount: string) => string;
}

export interface CreditDeps {
  readonly postEntry: PostEntry;
  readonly usageLog: UsageLog;
  readonly changes: Changes;
  readonly options: {
    readonly values: Pick<
      OptionValues,
      'RebateEnabled' | 'RebatePercentage' | 'QuotaPerUnit' | 'DisplayInCurrencyEnabled'
    >;
  };
}

interface Inviter {
  readonly id: number;
  readonly username: string;
}

/** Credits a redeemed code or a paid order: balance, log row and the inviter's rebate in one transaction. */
export class CreditService {
  constructor(private readonly deps: CreditDeps) {}

  /**
   * Runs inside the caller's transaction.
   * @returns ids of users whose balance changed, for `announce` after the commit; none when this source was posted
   * before
   */
  async post(manager: EntityManager, purchase: Purchase): Promise<number[]> {
    const { user, quota, source, kind, actorId, note } = purchase;
    const inviter = await this.findInviter(manager, user.id, actorId);
    // Locks both rows in id order, like the ledger, so that the two cannot deadlock.
    await manager.query('SELECT 1 FROM users WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE', [
      inviter ? [user.id, inviter.id] : [user.id],
    ]);
    const after = await this.deps.postEntry(manager, {
      ...omitUndefined({ actorId, note }),
      source,
      kind,
      userId: user.id,
      amount: quota,
    });
    if (after === null) return [];
    const content = purchase.describe(formatQuota(quota, this.deps.options.values));
    await this.deps.usageLog.record(manager, {
      type: LogType.topUp,
      userId: user.id,
      username: user.username,
      content,
      quota,
    });
    if (!inviter) return [user.id];
    const rebated = await this.rebate(manager, purchase, inviter, await roomOf(manager, inviter.id));
    return rebated ? [user.id, inviter.id] : [user.id];
  }

  /** Writes the log row of a plan that was bought from a credit, in the caller's transaction. */
  logPlan(manager: EntityManager, user: Purchase['user'], name: string, paid: number): Promise<void> {
    const content = `Bought the plan ${name} for ${formatQuota(paid, this.deps.options.values)}`;
    const { id: userId, username } = user;
    return this.deps.usageLog.record(manager, { type: LogType.system, userId, username, content });
  }

  /** Call after the commit. */
  async announce(userIds: readonly number[]): Promise<void> {
    await this.deps.changes.announce(...userIds.map((id) => ({ kind: 'user' as const, id })));
  }

  /** An inviter gets no rebate for an order that they marked as paid. */
  private async findInviter(manager: EntityManager, userId: number, actorId?: number): Promise<Inviter | null> {
    const { RebateEnabled, RebatePercentage } = this.deps.options.values;
    if (!RebateEnabled || RebatePercentage <= 0) return null;
    const payer = { where: { id: userId }, relations: { inviter: true }, withDeleted: true };
    const inviter = (await manager.findOne(User, payer))?.inviter;
    return inviter && inviter.id !== userId && inviter.id !== actorId ? inviter : null;
  }

  /** @param room what fits into the inviter's balance: the buyer gets what was paid for in any case */
  private async rebate(
    manager: EntityManager,
    { source, user, quota }: Purchase,
    inviter: Inviter,
    room: number,
  ): Promise<boolean> {
    const due = new Decimal(quota).mul(this.deps.options.values.RebatePercentage).div(100).floor().toNumber();
    const share = Math.min(due, room);
    if (share <= 0) return false;
    await this.deps.postEntry(manager, {
      source: `rebate:${source}`,
      kind: 'rebate',
      userId: inviter.id,
      amount: share,
      note: `user ${user.id}`,
    });
    const amount = formatQuota(share, this.deps.options.values);
    const line = (whose: Inviter, content: string, moved?: number): Promise<void> =>
      this.deps.usageLog.record(manager, {
        type: LogType.system,
        userId: whose.id,
        username: whose.username,
        content,
        ...(moved === undefined ? {} : { quota: moved }),
      });
    await line(inviter, `Rebate ${amount} for a top-up of user ${user.id}`, share);
    await line(user, `Your top-up earned your inviter a rebate of ${amount}`);
    return true;
  }
}

/**
 * The room in a balance that is locked, beside the quota that calls in flight may give back. None for a user who is banned
 * or deleted: they earn nothing.
 */
async function roomOf(manager: EntityManager, userId: number): Promise<number> {
  const [row] = await manager.query<Array<{ taken: string }>>(
    `SELECT quota + (SELECT coalesce(sum(amount), 0) FROM reservations WHERE user_id = $1) AS taken
       FROM users WHERE id = $1 AND status <> 'banned' AND deleted_at IS NULL`,
    [userId],
  );
  return maxQuota - Number(row?.taken ?? maxQuota);
}
