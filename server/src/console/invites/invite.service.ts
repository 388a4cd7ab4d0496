import { randomUUID } from 'node:crypto';
import { IsNull, type EntityManager, type Repository } from 'typeorm';
import { requireActor, type MaybeActor } from '../../shared/actor.js';
import type { UsageLog } from '../../shared/audit.js';
import { AppError, InvalidInputError, isAppError } from '../../shared/errors.js';
import { randomAlphanumeric } from '../../shared/ids.js';
import { formatQuota, isQuota } from '../../shared/quota.js';
import { LogType } from '../logs/index.js';
import type { Idempotency } from '../../platform/idempotency/idempotency.js';
import type { OptionValues } from '../../options/option.service.js';
import type { PostEntry } from '../../billing/ledger/index.js';
import type { User } from '../../billing/accounts/index.js';
import { affiliateCodeLength, withFreshAffiliateCode } from '../users/index.js';

export interface InviteDeps {
  readonly users: Repository<User>;
  readonly postEntry: PostEntry;
  readonly usageLog: UsageLog;
  readonly idempotency: Pick<Idempotency, 'once'>;
  readonly options: { readonly values: OptionValues };
}

export interface Transfer {
  /** The caller in the state after the transfer. */
  readonly user: User;
  /** Whether an earlier call with the same key moved the quota. */
  readonly replayed: boolean;
}

/** Invite codes and invite earnings (docs/reference/rest/accounts.md#invites-and-rebates). */
export class InviteService {
  constructor(private readonly deps: InviteDeps) {}

  /** Returns the caller's invite code. It is created if missing, which is the case for imported users. */
  async code(actor: MaybeActor): Promise<string> {
    const { id } = requireActor(actor);
    const { users } = this.deps;
    await withFreshAffiliateCode(async () => {
      const affCode = randomAlphanumeric(affiliateCodeLength);
      await users.update({ id, affCode: IsNull() }, { affCode });
      await users.update({ id, affCode: '' }, { affCode });
    });
    const user = await users.findOneOrFail({ where: { id }, select: { id: true, affCode: true } });
    return user.affCode ?? '';
  }

  /**
   * Transfers invite earnings to the balance, as two ledger entries in one transaction. The minimum is one unit (option
   * QuotaPerUnit).
   * @param idempotencyKey a retry with the same key moves nothing
   * @throws AppError INVALID_INPUT, INSUFFICIENT_QUOTA, CONFLICT
   */
  async transfer(actor: MaybeActor, quota: number, idempotencyKey?: string | null): Promise<Transfer> {
    const caller = requireActor(actor);
    const { id, username } = caller;
    if (!isQuota(quota) || quota === 0) throw new InvalidInputError('Invalid parameter', 'quota');
    const { values } = this.deps.options;
    if (quota < values.QuotaPerUnit) {
      throw new InvalidInputError(`Transfer failed, minimum is ${formatQuota(values.QuotaPerUnit, values)}`, 'quota');
    }
    const request = { operation: 'transferInviteQuota', key: idempotencyKey, input: { quota } };
    const { replayed } = await this.deps.idempotency.once(caller, request, async (manager) => {
      await this.post(manager, id, quota);
      const content = `Transferred ${formatQuota(quota, values)} of invite earnings to the balance`;
      await this.deps.usageLog.record(manager, { type: LogType.system, userId: id, username, content, quota });
      return {};
    });
    return { user: await this.deps.users.findOneByOrFail({ id }), replayed };
  }

  private async post(manager: EntityManager, userId: number, quota: number): Promise<void> {
    const source = `transfer:${userId}:${randomUUID()}`;
    const posting = { kind: 'transfer', userId, note: 'invite earnings' } as const;
    try {
      await this.deps.postEntry(manager, {
        ...posting,
        source: `${source}:out`,
        account: 'affiliate',
        amount: -quota,
      });
    } catch (error) {
      if (!isAppError(error) || error.code !== 'INSUFFICIENT_QUOTA') throw error;
      throw new AppError('INSUFFICIENT_QUOTA', 'Transfer failed, insufficient invite quota', { cause: error });
    }
    await this.deps.postEntry(manager, { ...posting, source: `${source}:in`, account: 'user', amount: quota });
  }
}
