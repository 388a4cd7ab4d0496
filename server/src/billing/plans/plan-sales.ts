import { type EntityManager, MoreThan } from 'typeorm';
import { User } from '../accounts/index.js';
import { wholeSecond } from '../../shared/clock.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { pick } from '../../shared/snake-case.js';
import { ConflictError, InvalidInputError, NotFoundError } from '../../shared/errors.js';
import { Budget, readBudgetStates } from '../budgets/index.js';
import type { PostEntry } from '../ledger/index.js';
import { recordPlanEvent } from './plan-events.js';
import { Plan, planTermNames, type PlanTerms } from './plan.entity.js';
import { periodEnd } from './plan-terms.js';
import { upgradeReceipt } from './proration.js';
import { type PlanReceipt, Subscription, type SubscriptionOrigin } from './subscription.entity.js';

/** A subscription that begins. */
interface Opening
  extends
    Readonly<Pick<Subscription, 'accountId' | 'planId' | 'terms' | 'origin' | 'startsAt' | 'receipt' | 'paid'>>,
    Readonly<Partial<Pick<Subscription, 'renews' | 'renewsBy' | 'previousId' | 'orderId' | 'note'>>> {
  /** The admin who grants it. Absent: the account itself. */
  readonly actorId?: number;
}

/** The longest time after the end of a subscription for which its renewal begins at that end, and not later. */
const unbrokenMilliseconds = 3_600_000;

/**
 * Opens and ends subscriptions. Every method runs inside the caller's transaction, and the caller announces the account
 * after the commit. What a balance pays is one ledger entry with the source `plan:<subscription>`.
 *
 * Accounts are locked before subscriptions, everywhere: an order locks the balances of its buyer and inviter first, and
 * with two orders of locks two transactions could wait for each other.
 */
export class PlanSales {
  constructor(private readonly postEntry: PostEntry) {}

  /** @throws AppError CONFLICT while the account has this plan, or had it for free in this period, INSUFFICIENT_QUOTA */
  async buy(
    manager: EntityManager,
    plan: Plan,
    accountId: number,
    now: number,
    renews: boolean,
  ): Promise<Subscription> {
    await lockAccount(manager, accountId);
    if (plan.price === 0) await this.assertPeriodIsOver(manager, plan.id, accountId, now);
    return this.sell(manager, plan, accountId, now, { origin: 'purchase', paid: plan.price, renews });
  }

  /**
   * Buys a plan from the credit of an order.
   * @throws AppError CONFLICT while the account has this plan, INSUFFICIENT_QUOTA
   */
  buyOrdered(manager: EntityManager, plan: Plan, order: PlanOrder, now: number): Promise<Subscription> {
    const sale = { origin: 'order', paid: plan.price, orderId: order.id } as const;
    const renewal = order.savesCard ? ({ renews: true, renewsBy: 'card' } as const) : {};
    return this.sell(manager, plan, order.userId, now, { ...sale, ...renewal });
  }

  /**
   * Renews an ended subscription, which is locked, from the credit of an order that the saved card paid.
   * @throws AppError CONFLICT while the account has this plan, or when the subscription was refunded, INSUFFICIENT_QUOTA
   */
  async renewOrdered(
    manager: EntityManager,
    old: Subscription,
    plan: Plan,
    order: PlanOrder,
    now: number,
  ): Promise<Subscription> {
    if (old.state !== 'ended') throw new ConflictError('The subscription was refunded', 'id');
    await this.endOverdue(manager, plan.id, old.accountId, now);
    const payer = { renews: old.renews, renewsBy: 'card', orderId: order.id } as const;
    const renewal = await this.renew(manager, old, plan, now, payer);
    await manager.update(Subscription, { id: old.id }, { renewalProblem: '' });
    return renewal;
  }

  /**
   * Opens a subscription that the balance does not pay for.
   * @throws AppError CONFLICT while the account has this plan
   */
  give(
    manager: EntityManager,
    plan: Plan,
    accountId: number,
    now: number,
    given: { readonly origin: SubscriptionOrigin; readonly actorId?: number; readonly note?: string },
  ): Promise<Subscription> {
    return this.sell(manager, plan, accountId, now, { ...given, paid: 0 });
  }

  private async sell(
    manager: EntityManager,
    plan: Plan,
    accountId: number,
    now: number,
    sale: Pick<Opening, 'origin' | 'paid' | 'orderId' | 'renews' | 'renewsBy' | 'actorId' | 'note'>,
  ): Promise<Subscription> {
    // Two openings of one plan wait for the account, and not each for what the other has locked.
    await lockAccount(manager, accountId);
    await this.endOverdue(manager, plan.id, accountId, now);
    const receipt = { price: plan.price, credit: 0, formula: '' };
    return this.open(manager, { ...opening(plan, accountId), ...sale, startsAt: new Date(now), receipt });
  }

  /**
   * Computes what an upgrade costs now.
   * @throws AppError INVALID_INPUT for a plan that does not cost more
   */
  async quote(manager: EntityManager, old: Subscription, plan: Plan, now: number): Promise<PlanReceipt> {
    // Windows begin anew with an upgrade, so upgrades to and fro between plans of one price would never end.
    if (plan.price <= old.terms.price) throw new InvalidInputError('An upgrade is to a plan that costs more', 'planId');
    const budgets = await windowsOf(manager, [old.id]);
    const states = await readBudgetStates(manager, budgets, now);
    const windows = budgets.map((budget) => ({ budget, state: states.get(budget.id) ?? null }));
    const { startsAt, endsAt } = old;
    return upgradeReceipt(plan.price, { paid: paidFor(old), startsAt, endsAt, windows }, now);
  }

  /**
   * Replaces a running subscription by one of another plan, whose whole period begins now.
   * @throws AppError NOT_FOUND, CONFLICT, INVALID_INPUT for the same plan, INSUFFICIENT_QUOTA
   */
  async upgrade(manager: EntityManager, id: number, accountId: number, plan: Plan, now: number): Promise<Subscription> {
    // A call that reserves after the quote finds the subscription upgraded.
    const old = await this.lock(manager, id, accountId);
    if (old.state !== 'active' || now >= old.endsAt.getTime())
      throw new ConflictError('The subscription has ended', 'id');
    if (old.planId === plan.id) throw new InvalidInputError('The account has this plan already', 'planId');
    await this.endOverdue(manager, plan.id, accountId, now);
    const receipt = await this.quote(manager, old, plan, now);
    await manager.update(Subscription, { id }, { state: 'upgraded', stoppedAt: new Date(now), renews: false });
    return this.open(manager, {
      ...opening(plan, accountId),
      origin: 'upgrade',
      startsAt: new Date(now),
      receipt,
      paid: receipt.price - receipt.credit,
      renews: old.renews,
      renewsBy: old.renewsBy,
      previousId: id,
      orderId: old.orderId,
    });
  }

  /**
   * Ends a subscription whose time is over, which is locked, and opens its renewal. A renewal that the balance cannot pay, or whose plan
   * is not sold at the old price any more, is left out, and the subscription says why. One by card is left to the caller.
   */
  async finish(manager: EntityManager, old: Subscription, now: number): Promise<Finished> {
    const plan = old.renews ? await manager.findOneBy(Plan, { id: old.planId }) : null;
    const problem = old.renews ? await this.renewalProblem(manager, old, plan) : '';
    await manager.update(Subscription, { id: old.id }, { state: 'ended', renewalProblem: problem });
    if (!plan || problem !== '') {
      await recordPlanEvent(manager, 'plan.ended', old.id);
      return { renewal: null, problem, charged: null };
    }
    if (old.renewsBy === 'card') return { renewal: null, problem, charged: plan };
    const renewal = await this.renew(manager, old, plan, now, { renews: true });
    return { renewal, problem, charged: null };
  }

  private renew(
    manager: EntityManager,
    old: Subscription,
    plan: Plan,
    now: number,
    payer: Pick<Opening, 'renews' | 'renewsBy' | 'orderId'>,
  ): Promise<Subscription> {
    const isUnbroken = now - old.endsAt.getTime() < unbrokenMilliseconds;
    return this.open(manager, {
      ...opening(plan, old.accountId),
      ...payer,
      origin: 'renewal',
      startsAt: isUnbroken ? old.endsAt : new Date(now),
      receipt: { price: plan.price, credit: 0, formula: '' },
      paid: plan.price,
      previousId: old.id,
    });
  }

  /** Stores why the card did not pay the renewal of an ended subscription. Its end is an event the first time. */
  async failRenewal(manager: EntityManager, old: Subscription, problem: string): Promise<void> {
    await manager.update(Subscription, { id: old.id }, { renewalProblem: problem });
    if (old.renewalProblem === '') await recordPlanEvent(manager, 'plan.ended', old.id);
  }

  /**
   * Returns what was paid for a subscription, or a part of it. A running one stops; calls that run are still paid by it.
   * @param amount null for all that was paid
   * @throws AppError NOT_FOUND, CONFLICT when it was refunded or upgraded, INVALID_INPUT for more than was paid
   */
  async refund(
    manager: EntityManager,
    id: number,
    { amount, actorId, note, now }: RefundInput,
  ): Promise<{ readonly before: Subscription; readonly refunded: number }> {
    const before = await this.lock(manager, id);
    if (before.state === 'refunded') throw new ConflictError('The subscription was refunded', 'id');
    if (before.state === 'upgraded') throw new ConflictError('The rest of the subscription paid for an upgrade', 'id');
    const paid = paidFor(before);
    const refunded = amount ?? paid;
    if (!Number.isSafeInteger(refunded) || refunded < 0 || refunded > paid) {
      throw new InvalidInputError('At most what was paid can be refunded', 'amount');
    }
    const stoppedAt = before.state === 'active' && now < before.endsAt.getTime() ? new Date(now) : null;
    await manager.update(Subscription, { id }, { state: 'refunded', refunded, note, stoppedAt, renews: false });
    if (refunded > 0) {
      const source = `plan:${id}:refund`;
      await this.postEntry(manager, {
        source,
        kind: 'plan',
        userId: before.accountId,
        amount: refunded,
        actorId,
        note,
      });
    }
    await recordPlanEvent(manager, 'plan.refunded', id);
    return { before, refunded };
  }

  /** Returns why a subscription, which is locked, cannot be renewed now: an error code, or empty. */
  async renewalProblem(manager: EntityManager, old: Subscription, plan: Plan | null): Promise<string> {
    if (!plan?.onSale) return 'NOT_SOLD';
    if (plan.price > old.terms.price) return 'PRICE_RAISED';
    const account = await manager.findOneBy(User, { id: old.accountId });
    if (account && account.status !== 'enabled') return 'USER_BANNED';
    if (account && old.renewsBy === 'card') return '';
    return account && account.quota >= plan.price ? '' : 'INSUFFICIENT_QUOTA';
  }

  /**
   * Locks a subscription, after its account.
   * @param accountId the account that must have it; absent: any
   * @throws AppError NOT_FOUND
   */
  async lock(manager: EntityManager, id: number, accountId?: number): Promise<Subscription> {
    const found = await manager.findOneBy(Subscription, omitUndefined({ id, accountId }));
    if (!found) throw new NotFoundError('Subscription', id);
    await lockAccount(manager, found.accountId);
    return manager.findOneOrFail(Subscription, { where: { id }, lock: { mode: 'for_no_key_update' } });
  }

  /** @throws AppError CONFLICT before the end of the last subscription of the account to a plan, whatever its state */
  private async assertPeriodIsOver(
    manager: EntityManager,
    planId: number,
    accountId: number,
    now: number,
  ): Promise<void> {
    const where = { accountId, planId, endsAt: MoreThan(new Date(now)) };
    const last = await manager.findOne(Subscription, { where, order: { endsAt: 'DESC' } });
    if (!last) return;
    throw new ConflictError(`A free plan can be had again from ${last.endsAt.toISOString()}`, 'planId');
  }

  /** Ends a subscription whose time is over and that the periodic work has not ended yet. */
  private async endOverdue(manager: EntityManager, planId: number, accountId: number, now: number): Promise<void> {
    const [ended] = await manager.query<[Array<{ id: number }>, number]>(
      `UPDATE subscriptions SET state = 'ended'
        WHERE account_id = $1 AND plan_id = $2 AND state = 'active' AND NOT renews AND ends_at <= $3 RETURNING id`,
      [accountId, planId, new Date(now)],
    );
    for (const { id } of ended) await recordPlanEvent(manager, 'plan.ended', id);
  }

  private async open(manager: EntityManager, opened: Opening): Promise<Subscription> {
    const { accountId, terms, startsAt, paid, actorId, note = '' } = opened;
    const start = wholeSecond(startsAt.getTime());
    const endsAt = periodEnd(start, terms);
    const [row] = await manager.query<Array<{ id: number }>>(
      `INSERT INTO subscriptions (account_id, plan_id, terms, state, starts_at, ends_at, origin, paid, receipt, renews,
                                  previous_id, order_id, note, renews_by)
       VALUES ($1, $2, $3, 'active', $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT DO NOTHING RETURNING id`,
      [
        ...[accountId, opened.planId, terms, start, endsAt, opened.origin, paid, opened.receipt],
        ...[
          opened.renews ?? false,
          opened.previousId ?? null,
          opened.orderId ?? null,
          note,
          opened.renewsBy ?? 'balance',
        ],
      ],
    );
    if (!row) throw new ConflictError('The account has this plan already', 'planId');
    const { id } = row;
    await manager.query('INSERT INTO subscription_use (subscription_id, account_id) VALUES ($1, $2)', [id, accountId]);
    await manager.query(
      `INSERT INTO budgets (level, subject_id, kind, amount, span, starts_at, ends_at, created_by, by_admin)
       SELECT 'plan', $1, w.kind, w.amount, w.span, $3, $4, $5, true
         FROM jsonb_to_recordset($2) AS w(span text, kind text, amount bigint)`,
      [id, JSON.stringify(terms.windows), start, endsAt, actorId ?? accountId],
    );
    if (paid > 0) {
      const posting = { source: `plan:${id}`, kind: 'plan' as const, userId: accountId, amount: -paid, floor: 0 };
      await this.postEntry(manager, { ...posting, note: terms.name, ...(actorId === undefined ? {} : { actorId }) });
    }
    await recordPlanEvent(manager, opened.origin === 'renewal' ? 'plan.renewed' : 'plan.bought', id);
    return manager.findOneByOrFail(Subscription, { id });
  }
}

/** Locks an account, so that none of its calls reserves and none of its other plans begins until the commit. */
const lockAccount = (manager: EntityManager, id: number): Promise<unknown> =>
  manager.query('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [id]);

/** The end of a subscription. */
export interface Finished {
  readonly renewal: Subscription | null;
  /** Why there is no renewal. Empty when no renewal was wanted, or when the card is to be charged. */
  readonly problem: string;
  /** The plan for whose renewal the card is to be charged. */
  readonly charged: Plan | null;
}

/** A paid order of a plan. */
export interface PlanOrder {
  readonly id: number;
  readonly userId: number;
  readonly savesCard: boolean;
}

export interface RefundInput {
  readonly amount: number | null;
  readonly actorId: number;
  readonly note: string;
  /** Unix milliseconds. */
  readonly now: number;
}

/** Reads the windows of subscriptions, in order. */
export const windowsOf = (manager: EntityManager, ids: readonly number[]): Promise<Budget[]> =>
  manager
    .createQueryBuilder(Budget, 'budget')
    .where("budget.level = 'plan' AND budget.subjectId = ANY (:ids)", { ids })
    .orderBy('budget.id')
    .getMany();

const opening = (plan: Plan, accountId: number): Pick<Opening, 'accountId' | 'planId' | 'terms'> => ({
  accountId,
  planId: plan.id,
  terms: termsOf(plan),
});

/** Returns the terms of a plan as they are now. */
const termsOf = (plan: Plan): PlanTerms => pick(plan, planTermNames);

/** Returns all that was paid for a subscription: from the balance, and by the rest of the one that it replaced. */
export const paidFor = ({ paid, receipt }: Subscription): number => paid + receipt.credit;
