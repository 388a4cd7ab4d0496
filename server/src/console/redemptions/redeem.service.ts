import type { EntityManager } from 'typeorm';
import type { SharedState } from '../../platform/cache/shared-state.js';
import { personOf, requireAccount, type Actor, type MaybeActor } from '../../shared/actor.js';
import type { Clock } from '../../shared/clock.js';
import { AppError, InvalidInputError, NotFoundError } from '../../shared/errors.js';
import type { Secrets } from '../../shared/secrets.js';
import type { Idempotency } from '../../platform/idempotency/idempotency.js';
import type { CreditService } from '../../billing/payments/index.js';
import { Plan, type PlanSales } from '../../billing/plans/index.js';
import type { UsageLog } from '../../shared/audit.js';
import { LogType } from '../../shared/log-type.js';
import { Redemption } from './redemption.entity.js';

export interface Redeemed {
  /** Added to the balance; 0 for a code that gives a plan. */
  readonly quota: number;
  /** The name of the plan that began; null for other codes. */
  readonly plan: string | null;
  readonly isGift: boolean;
  /** True when an earlier call with the same idempotency key redeemed the code. */
  readonly replayed: boolean;
}

export interface RedeemDeps {
  readonly idempotency: Pick<Idempotency, 'once'>;
  readonly secrets: Secrets;
  readonly state: Pick<SharedState, 'hit'>;
  readonly credit: CreditService;
  readonly sales: PlanSales;
  readonly usageLog: UsageLog;
  readonly clock: Clock;
}

/** Why a code credits nothing to this user. */
export type RedeemRefusal =
  ('UNKNOWN' | 'DISABLED' | 'NOT_YET_VALID' | 'EXPIRED') | ('USED' | 'USED_UP' | 'USED_BY_YOU');

/** An ordinary refusal: the code is unknown, or this user cannot redeem it. */
export class RedeemRefusedError extends InvalidInputError {
  constructor(
    readonly refusal: RedeemRefusal,
    reason: string,
  ) {
    super(`Redemption failed, ${reason}`, 'key');
  }
}

/**
 * Maximum number of attempts. Attempts are counted, not failures, so that parallel guesses cannot pass between the
 * check and the count.
 */
const triesPerWindow = 120;
const windowSeconds = 600;
const maxKeyLength = 128;

/** Redeems codes (docs/reference/rest/tokens-and-wallet.md#redeeming-a-code). */
export class RedeemService {
  constructor(private readonly deps: RedeemDeps) {}

  /**
   * One transaction. It locks the code's row first, so that concurrent users cannot redeem it more often than allowed.
   * The table of uses and the source of the ledger entry ensure the same.
   * @param idempotencyKey a retry with the same key credits nothing and returns the result of the first call
   * @throws RedeemRefusedError when the code cannot be redeemed; AppError INVALID_INPUT for an empty code, RATE_LIMITED,
   * CONFLICT
   */
  async redeem(actor: MaybeActor, given: string, idempotencyKey?: string | null): Promise<Redeemed> {
    const user = requireAccount(actor, 'wallet');
    const key = given.trim();
    if (key === '') throw new InvalidInputError('No redemption code provided', 'key');
    await this.limit(user);
    if (key.length > maxKeyLength) throw new RedeemRefusedError('UNKNOWN', 'Invalid redemption code');
    let moved: number[] = [];
    // The code itself is a secret: only its keyed hash is stored.
    const input = { code: this.deps.secrets.hash(key).toString('hex') };
    const { result, replayed } = await this.deps.idempotency.once(
      user,
      { operation: 'redeem', key: idempotencyKey, input },
      async (manager) => {
        const code = await this.lock(manager, key);
        await this.use(manager, code, user);
        if (code.planId !== null) {
          moved = [user.id];
          return { quota: 0, plan: await this.give(manager, code, code.planId, user), isGift: code.isGift };
        }
        moved = await this.post(manager, code, user);
        return { quota: code.quota, plan: null, isGift: code.isGift };
      },
    );
    await this.deps.credit.announce(moved);
    return { ...result, replayed };
  }

  private async limit(user: Actor): Promise<void> {
    const { allowed, retryAfterSeconds } = await this.deps.state.hit(
      `redeem:${personOf(user).id}`,
      triesPerWindow,
      windowSeconds,
    );
    if (!allowed) throw new AppError('RATE_LIMITED', 'Too frequent, try later', { retryAfterSeconds });
  }

  private async post(manager: EntityManager, code: Redemption, user: Actor): Promise<number[]> {
    const moved = await this.deps.credit.post(manager, {
      source: `redemption:${code.id}:${user.id}`,
      kind: 'redemption',
      user,
      quota: code.quota,
      describe: (amount) => `Top-up by ${code.isGift ? 'gift code' : 'code'} ${amount}, code id ${code.id}`,
    });
    if (moved.length === 0) throw alreadyUsed(code);
    return moved;
  }

  /**
   * Opens the plan of a code.
   * @returns the name of the plan
   * @throws AppError NOT_FOUND, CONFLICT while the user has this plan; the code stays unused
   */
  private async give(manager: EntityManager, { id }: Redemption, planId: number, user: Actor): Promise<string> {
    const plan = await manager.findOneBy(Plan, { id: planId });
    if (!plan) throw new NotFoundError('Plan', planId);
    const { sales, clock, usageLog } = this.deps;
    await sales.give(manager, plan, user.id, clock.now(), { origin: 'code', note: `code id ${id}` });
    const content = `Redeemed the plan ${plan.name}, code id ${id}`;
    await usageLog.record(manager, { type: LogType.system, userId: user.id, username: user.username, content });
    return plan.name;
  }

  private async lock(manager: EntityManager, key: string): Promise<Redemption> {
    const code = await manager.findOne(Redemption, {
      where: { keyHash: this.deps.secrets.hash(key) },
      lock: { mode: 'for_no_key_update' },
    });
    if (!code) throw new RedeemRefusedError('UNKNOWN', 'Invalid redemption code');
    const now = new Date(this.deps.clock.now());
    if (code.validFrom && now < code.validFrom) throw new RedeemRefusedError('NOT_YET_VALID', 'Code not yet valid');
    if (code.validUntil && now >= code.validUntil) throw new RedeemRefusedError('EXPIRED', 'Code expired');
    return code;
  }

  private async use(manager: EntityManager, code: Redemption, user: Actor): Promise<void> {
    if (code.status === 'disabled') throw new RedeemRefusedError('DISABLED', 'Invalid redemption code');
    if (!code.isGift && code.status === 'used') throw new RedeemRefusedError('USED', 'Code already used');
    const isUsedUp = code.maxUses !== null && code.usedCount >= code.maxUses;
    if (code.isGift && (isUsedUp || code.status === 'used')) {
      throw new RedeemRefusedError('USED_UP', 'Gift code reached its maximum uses');
    }
    const now = new Date(this.deps.clock.now());
    const used = await manager.query<unknown[]>(
      `INSERT INTO redemption_uses (redemption_id, user_id, used_at, quota) VALUES ($1, $2, $3, $4)
       ON CONFLICT DO NOTHING RETURNING 1`,
      // A gift code is for a person, who may own any number of organisations.
      [code.id, personOf(user).id, now, code.quota],
    );
    if (used.length === 0) throw alreadyUsed(code);
    await manager.update(Redemption, { id: code.id }, code.isGift ? giftUse(code) : normalUse(user, now));
  }
}

const normalUse = ({ id }: Actor, now: Date): Partial<Redemption> => ({
  status: 'used',
  usedUserId: id,
  redeemedAt: now,
});

function giftUse({ usedCount, maxUses }: Redemption): Partial<Redemption> {
  const next = usedCount + 1;
  return { usedCount: next, ...(next === maxUses ? { status: 'used' } : {}) };
}

const alreadyUsed = ({ isGift }: Redemption): RedeemRefusedError =>
  new RedeemRefusedError('USED_BY_YOU', isGift ? 'You already used this gift code' : 'Code already used');
