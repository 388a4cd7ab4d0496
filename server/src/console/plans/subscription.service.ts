import type { EntityManager, Repository, SelectQueryBuilder } from 'typeorm';
import { User } from '../../billing/accounts/index.js';
import type { Changes } from '../../platform/cache/changes.js';
import { andBetween } from '../../platform/db/conditions.js';
import { milliseconds, readSlice, type SortKeys } from '../../platform/db/keyset.js';
import type { Idempotency } from '../../platform/idempotency/idempotency.js';
import { requireAccount, requirePermission, type Actor, type MaybeActor } from '../../shared/actor.js';
import type { AuditLog, UsageLog } from '../../shared/audit.js';
import type { Clock } from '../../shared/clock.js';
import { ConflictError, InvalidInputError, NotFoundError } from '../../shared/errors.js';
import { assertMayActOn } from '../auth/index.js';
import { LogType } from '../../shared/log-type.js';
import type { ListQuery, Slice } from '../../shared/page.js';
import { formatQuota } from '../../shared/quota.js';
import type { TimeRange } from '../../shared/time-range.js';
import type { OptionValues } from '../../options/option.service.js';
import { type Budget, type BudgetState, readBudgetStates } from '../../billing/budgets/index.js';
import {
  Plan,
  type PlanReceipt,
  type PlanSales,
  type RenewalPayer,
  Subscription,
  type SubscriptionState,
  windowsOf,
} from '../../billing/plans/index.js';

/** A window of a subscription with its use now. */
export interface SubscriptionWindow {
  readonly budget: Budget;
  /** Null outside its time. */
  readonly state: BudgetState | null;
}

export interface SubscriptionView {
  readonly subscription: Subscription;
  readonly username: string;
  readonly windows: readonly SubscriptionWindow[];
  /** Quota of all calls that it has paid for. */
  readonly used: number;
  /** The card of its payment was saved. */
  readonly savesCard: boolean;
}

export interface SubscriptionFilter {
  readonly accountId?: number | undefined;
  readonly planId?: number | undefined;
  readonly state?: SubscriptionState | undefined;
  /** When the subscription was bought or granted. */
  readonly created?: TimeRange | undefined;
  readonly ends?: TimeRange | undefined;
  readonly renews?: boolean | undefined;
  /** Whether its renewal failed. */
  readonly failed?: boolean | undefined;
}

export type SubscriptionSortField = 'id' | 'endsAt';

/** Totals of all subscriptions that match a filter, in quota. */
export interface SubscriptionSums {
  readonly subscriptions: number;
  readonly paid: number;
  readonly refunded: number;
  readonly used: number;
}

export interface SubscriptionDeps {
  readonly subscriptions: Repository<Subscription>;
  readonly sales: PlanSales;
  readonly changes: Pick<Changes, 'announce'>;
  readonly idempotency: Pick<Idempotency, 'once'>;
  readonly auditLog: AuditLog;
  readonly usageLog: UsageLog;
  readonly options: { readonly values: Pick<OptionValues, 'QuotaPerUnit' | 'DisplayInCurrencyEnabled'> };
  readonly clock: Clock;
}

/** The result of an operation that is safe to retry. */
export interface Sold {
  readonly view: SubscriptionView;
  readonly replayed: boolean;
}

const maxOwn = 100;
const maxNote = 200;
const sortKeys: SortKeys<Subscription, SubscriptionSortField> = {
  id: { sql: 'subscription.id', value: ({ id }) => id },
  endsAt: { sql: milliseconds('subscription.endsAt'), value: ({ endsAt }) => endsAt },
};

/** Plans of accounts: what they have, buy, change and renew. */
export class SubscriptionService {
  constructor(private readonly deps: SubscriptionDeps) {}

  /** Returns the caller's subscriptions, the newest first. */
  async listOwn(actor: MaybeActor): Promise<SubscriptionView[]> {
    const { id: accountId } = requireAccount(actor, 'wallet');
    return this.viewed(
      await this.deps.subscriptions.find({ where: { accountId }, order: { id: 'DESC' }, take: maxOwn }),
    );
  }

  /** Returns subscriptions of all accounts, the newest first. @throws AppError INSUFFICIENT_PRIVILEGES */
  async list(
    actor: MaybeActor,
    filter: SubscriptionFilter,
    query: ListQuery<SubscriptionSortField>,
  ): Promise<Slice<SubscriptionView>> {
    requirePermission(actor, 'payments');
    const page = await readSlice<Subscription, SubscriptionSortField>(this.selected(filter), query, sortKeys);
    return { ...page, items: await this.viewed(page.items) };
  }

  /** Returns the totals of subscriptions of all accounts. @throws AppError INSUFFICIENT_PRIVILEGES */
  async sums(actor: MaybeActor, filter: SubscriptionFilter): Promise<SubscriptionSums> {
    requirePermission(actor, 'payments');
    const row = await this.selected(filter)
      .leftJoin('subscription_use', 'use', 'use.subscription_id = subscription.id')
      .select('count(*)::float8', 'subscriptions')
      .addSelect('coalesce(sum(subscription.paid), 0)::float8', 'paid')
      .addSelect('coalesce(sum(subscription.refunded), 0)::float8', 'refunded')
      .addSelect('coalesce(sum(use.used), 0)::float8', 'used')
      .getRawOne<SubscriptionSums>();
    return row ?? { subscriptions: 0, paid: 0, refunded: 0, used: 0 };
  }

  private selected(filter: SubscriptionFilter): SelectQueryBuilder<Subscription> {
    const select = this.deps.subscriptions.createQueryBuilder('subscription');
    const { accountId, planId, state, created, ends, renews, failed } = filter;
    if (accountId !== undefined) select.andWhere('subscription.accountId = :accountId', { accountId });
    if (planId !== undefined) select.andWhere('subscription.planId = :planId', { planId });
    if (state !== undefined) select.andWhere('subscription.state = :state', { state });
    andBetween(select, 'subscription.created_at', created);
    andBetween(select, 'subscription.ends_at', ends);
    if (renews !== undefined) select.andWhere('subscription.renews = :renews', { renews });
    if (failed !== undefined) select.andWhere("(subscription.renewal_problem <> '') = :failed", { failed });
    return select;
  }

  /**
   * Buys a plan from the caller's balance.
   * @throws AppError NOT_FOUND, CONFLICT while the caller has this plan, INSUFFICIENT_QUOTA
   */
  buy(
    actor: MaybeActor,
    { planId, renews }: { readonly planId: number; readonly renews: boolean },
    idempotencyKey?: string | null,
  ): Promise<Sold> {
    const buyer = requireAccount(actor, 'wallet');
    const request = { operation: 'buyPlan', key: idempotencyKey ?? null, input: { planId, renews } };
    return this.once(buyer, request, async (manager) => {
      const plan = await onSale(manager, planId);
      const sold = await this.deps.sales.buy(manager, plan, buyer.id, this.deps.clock.now(), renews);
      await this.log(manager, buyer, `Bought the plan ${plan.name} for ${this.amount(sold.paid)}`);
      return sold;
    });
  }

  /** Computes what an upgrade of the caller's subscription costs now. @throws AppError NOT_FOUND, CONFLICT */
  async quote(actor: MaybeActor, id: number, planId: number): Promise<PlanReceipt> {
    const { id: accountId } = requireAccount(actor, 'wallet');
    const { manager } = this.deps.subscriptions;
    const old = await manager.findOneBy(Subscription, { id, accountId });
    if (!old) throw new NotFoundError('Subscription', id);
    if (old.state !== 'active') throw new ConflictError('The subscription has ended', 'id');
    return this.deps.sales.quote(manager, old, await onSale(manager, planId), this.deps.clock.now());
  }

  /**
   * Replaces a running subscription of the caller by one of another plan.
   * @throws AppError NOT_FOUND, CONFLICT, INVALID_INPUT, INSUFFICIENT_QUOTA
   */
  upgrade(actor: MaybeActor, id: number, planId: number, idempotencyKey?: string | null): Promise<Sold> {
    const buyer = requireAccount(actor, 'wallet');
    const request = { operation: 'upgradePlan', key: idempotencyKey ?? null, input: { id, planId } };
    return this.once(buyer, request, async (manager) => {
      const plan = await onSale(manager, planId);
      const sold = await this.deps.sales.upgrade(manager, id, buyer.id, plan, this.deps.clock.now());
      await this.log(manager, buyer, `Upgraded to the plan ${plan.name} for ${this.amount(sold.paid)}`);
      return sold;
    });
  }

  /**
   * Turns the renewal of a subscription of the caller on or off: of a running one, or of one whose card is to be charged.
   * @param by who pays; absent: as before
   * @throws AppError NOT_FOUND, CONFLICT, INVALID_INPUT for a card that was not saved
   */
  async setRenewal(
    actor: MaybeActor,
    id: number,
    renews: boolean,
    by?: RenewalPayer | null,
  ): Promise<SubscriptionView> {
    const { id: accountId } = requireAccount(actor, 'wallet');
    const { subscriptions } = this.deps;
    const found = await subscriptions.findOneBy({ id, accountId });
    if (!found) throw new NotFoundError('Subscription', id);
    const view = await this.view(found);
    if (by === 'card' && !view.savesCard) throw new InvalidInputError('No card was saved for this plan', 'by');
    await updateRenewal(subscriptions.manager, id, renews, by);
    return { ...view, subscription: await subscriptions.findOneByOrFail({ id }) };
  }

  /**
   * Turns off the renewal of a subscription of any account, by the balance or the card. One that is not renewed stays as it is.
   * @throws AppError NOT_FOUND, CONFLICT (it has ended), INSUFFICIENT_PRIVILEGES
   */
  async stopRenewal(actor: MaybeActor, id: number): Promise<SubscriptionView> {
    const admin = requirePermission(actor, 'users.quota');
    const { sales, subscriptions, auditLog } = this.deps;
    await subscriptions.manager.transaction(async (manager) => {
      const { accountId, renews, terms } = await sales.lock(manager, id);
      const account = await this.target(manager, admin, accountId);
      if (!renews) return;
      await updateRenewal(manager, id, false);
      await auditLog.write(manager, admin, {
        action: 'stopPlanRenewal',
        subject: 'user',
        id: accountId,
        before: { renews },
        after: { renews: false, subscription: id },
      });
      await this.log(manager, account, `Administrator stopped the renewal of the plan ${terms.name}`);
    });
    return this.view(await subscriptions.findOneByOrFail({ id }));
  }

  /**
   * Gives a plan to an account for one period.
   * @throws AppError NOT_FOUND, CONFLICT while the account has this plan, INSUFFICIENT_PRIVILEGES
   */
  grant(
    actor: MaybeActor,
    given: { readonly accountId: number; readonly planId: number; readonly note: string },
    idempotencyKey?: string | null,
  ): Promise<Sold> {
    const admin = requirePermission(actor, 'users.quota');
    const { accountId, planId } = given;
    const note = noteOf(given.note);
    const request = { operation: 'grantPlan', key: idempotencyKey ?? null, input: { accountId, planId, note } };
    return this.once(admin, request, async (manager) => {
      const plan = await manager.findOneBy(Plan, { id: planId });
      if (!plan) throw new NotFoundError('Plan', planId);
      const account = await this.target(manager, admin, accountId);
      const terms = { origin: 'grant', actorId: admin.id, note } as const;
      const sold = await this.deps.sales.give(manager, plan, accountId, this.deps.clock.now(), terms);
      await this.deps.auditLog.write(manager, admin, {
        action: 'grantPlan',
        subject: 'user',
        id: accountId,
        before: null,
        after: { subscription: sold.id, plan: plan.name, note },
      });
      await this.log(manager, account, `Administrator granted the plan ${plan.name}`);
      return sold;
    });
  }

  /**
   * Returns what was paid for a subscription, or a part of it, to the balance of its account, and ends it.
   * @param amount null for all that was paid
   * @throws AppError NOT_FOUND, CONFLICT, INVALID_INPUT, INSUFFICIENT_PRIVILEGES
   */
  async refund(
    actor: MaybeActor,
    id: number,
    { amount, note: given }: { readonly amount: number | null; readonly note: string },
  ): Promise<SubscriptionView> {
    const admin = requirePermission(actor, 'users.quota');
    const note = noteOf(given);
    if (note === '') throw new InvalidInputError('A refund needs a reason', 'note');
    const { sales, subscriptions, clock, changes, auditLog } = this.deps;
    const accountId = await subscriptions.manager.transaction(async (manager) => {
      const input = { amount, note, actorId: admin.id, now: clock.now() };
      const sold = await sales.lock(manager, id);
      const account = await this.target(manager, admin, sold.accountId);
      const { before, refunded } = await sales.refund(manager, id, input);
      await auditLog.write(manager, admin, {
        action: 'refundPlan',
        subject: 'user',
        id: before.accountId,
        before: { subscription: id, state: before.state, refunded: 0 },
        after: { subscription: id, state: 'refunded', refunded, note },
      });
      await this.log(manager, account, `Refund of ${this.amount(refunded)} for the plan ${before.terms.name}: ${note}`);
      return before.accountId;
    });
    await changes.announce({ kind: 'user', id: accountId });
    return this.view(await subscriptions.findOneByOrFail({ id }));
  }

  private async once(
    actor: Actor,
    request: { readonly operation: string; readonly key: string | null; readonly input: unknown },
    work: (manager: EntityManager) => Promise<Subscription>,
  ): Promise<Sold> {
    const { result, replayed } = await this.deps.idempotency.once(actor, request, async (manager) => {
      const { id, accountId } = await work(manager);
      return { id, accountId };
    });
    if (!replayed) await this.deps.changes.announce({ kind: 'user', id: result.accountId });
    return { view: await this.view(await this.deps.subscriptions.findOneByOrFail({ id: result.id })), replayed };
  }

  /**
   * Locks the account that an admin acts on, so that its rank stays the same until the commit.
   * @throws AppError NOT_FOUND, INSUFFICIENT_PRIVILEGES
   */
  private async target(manager: EntityManager, admin: Actor, id: number): Promise<User> {
    const account = await manager.findOne(User, { where: { id }, lock: { mode: 'for_no_key_update' } });
    if (!account) throw new NotFoundError('User', id);
    await assertMayActOn(manager, admin, account, 'update');
    return account;
  }

  private log(
    manager: EntityManager,
    { id, username }: { readonly id: number; readonly username: string },
    content: string,
  ): Promise<void> {
    return this.deps.usageLog.record(manager, { type: LogType.system, userId: id, username, content });
  }

  private amount(quota: number): string {
    return formatQuota(quota, this.deps.options.values);
  }

  private async view(subscription: Subscription): Promise<SubscriptionView> {
    const [view] = await this.viewed([subscription]);
    if (!view) throw new NotFoundError('Subscription', subscription.id);
    return view;
  }

  private async viewed(subscriptions: readonly Subscription[]): Promise<SubscriptionView[]> {
    if (subscriptions.length === 0) return [];
    const { manager } = this.deps.subscriptions;
    const ids = subscriptions.map(({ id }) => id);
    const [budgets, rows] = await Promise.all([
      windowsOf(manager, ids),
      manager.query<Array<{ id: number; used: string; username: string | null; savesCard: boolean }>>(
        `SELECT s.subscription_id AS id, s.used, u.username,
                EXISTS (SELECT FROM subscriptions one JOIN top_up_orders paid ON paid.id = one.order_id
                         WHERE one.id = s.subscription_id AND paid.saves_card) AS "savesCard"
           FROM subscription_use s LEFT JOIN users u ON u.id = s.account_id WHERE s.subscription_id = ANY ($1)`,
        [ids],
      ),
    ]);
    const states = await readBudgetStates(manager, budgets, this.deps.clock.now());
    const uses = new Map(rows.map((row) => [row.id, row]));
    return subscriptions.map((subscription) => ({
      subscription,
      username: uses.get(subscription.id)?.username ?? '',
      used: Number(uses.get(subscription.id)?.used ?? 0),
      savesCard: uses.get(subscription.id)?.savesCard ?? false,
      windows: budgets
        .filter(({ subjectId }) => subjectId === subscription.id)
        .map((budget) => ({ budget, state: states.get(budget.id) ?? null })),
    }));
  }
}

/** @throws AppError CONFLICT for a subscription that has ended and whose card is not to be charged */
async function updateRenewal(
  manager: EntityManager,
  id: number,
  renews: boolean,
  by?: RenewalPayer | null,
): Promise<void> {
  const [, count] = await manager.query<[unknown, number]>(
    `UPDATE subscriptions SET renews = $2, renews_by = coalesce($3, renews_by)
      WHERE id = $1 AND (state = 'active' OR NOT $2 AND EXISTS (
        SELECT FROM top_up_orders WHERE renews_id = $1 AND status = 'pending' AND next_charge_at IS NOT NULL))`,
    [id, renews, by ?? null],
  );
  if (count === 0) throw new ConflictError('The subscription has ended', 'id');
}

async function onSale(manager: EntityManager, id: number): Promise<Plan> {
  const plan = await manager.findOneBy(Plan, { id, onSale: true });
  if (!plan) throw new NotFoundError('Plan', id);
  return plan;
}

function noteOf(given: string): string {
  const note = given.trim();
  if (note.length > maxNote || /\p{Cc}/u.test(note)) {
    throw new InvalidInputError(`A note has at most ${maxNote} characters`, 'note');
  }
  return note;
}
