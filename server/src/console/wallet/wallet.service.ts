import type { Logger } from 'pino';
import type { Repository, SelectQueryBuilder } from 'typeorm';
import type { SharedState } from '../../platform/cache/shared-state.js';
import { readSlice, readSlicesByOwner } from '../../platform/db/keyset.js';
import { requireAccount, requirePermission, visibleUsers, type Actor, type MaybeActor } from '../../shared/actor.js';
import { dateOf, seconds, type Clock } from '../../shared/clock.js';
import {
  AppError,
  ConflictError,
  InvalidInputError,
  isAppError,
  NotFoundError,
  UnavailableError,
} from '../../shared/errors.js';
import { randomAlphanumeric } from '../../shared/ids.js';
import type { ListQuery, Slice } from '../../shared/page.js';
import type { TimeRange } from '../../shared/time-range.js';
import type { Idempotency, OnceRequest } from '../../platform/idempotency/idempotency.js';
import type { OptionValues } from '../../options/option.service.js';
import { assertTimeZone, bucketEnd, bucketStarts, type TimeBucket } from '../usage/index.js';
import { Plan, Subscription } from '../../billing/plans/index.js';
import {
  type Checkout,
  formatMoney,
  methodSql,
  type OrderFilter,
  ordersBy,
  type OrderSortField,
  type OrderStatus,
  type OrderSums,
  type PaymentProviders,
  pricePlan,
  priceTopUp,
  type ProviderMethod,
  sortKeysAt,
  statusAt,
  sumsOf,
  TopUpOrder,
  type TopUpPrice,
} from '../../billing/payments/index.js';

/** Payments and refunds of one period, method and currency. */
export interface Revenue {
  readonly time: Date;
  readonly until: Date;
  /** Id of a method, or `other`. */
  readonly method: string;
  readonly currency: string;
  /** Minor units that were paid, and those that went back: refunds and disputes that were begun in the period. */
  readonly paid: number;
  readonly refunded: number;
  readonly orders: number;
  /** Added to balances, less what refunds and disputes took back. */
  readonly quota: number;
}

export type RevenueBucket = Extract<TimeBucket, 'DAY' | 'WEEK' | 'MONTH'>;

/** An order and the page where it is paid. */
export interface StartedPayment {
  readonly checkout: Checkout;
  readonly order: TopUpOrder;
  /** True when an earlier call with the same idempotency key created the order. */
  readonly replayed: boolean;
}

/** An amount of money as text, such as `73.00`. */
export interface PayableAmount {
  readonly amount: string;
  readonly currency: string;
}

/** The goods of an order. */
interface Goods extends TopUpPrice {
  /** The amount that the buyer asked for: USD, or quota if the site shows quota. */
  readonly amount: number;
  readonly topUpCode: string;
  /** Null: a top-up only. */
  readonly planId: number | null;
  readonly savesCard: boolean;
}

export interface WalletDeps {
  readonly orders: Repository<TopUpOrder>;
  readonly options: { readonly values: OptionValues };
  readonly providers: PaymentProviders;
  readonly idempotency: Pick<Idempotency, 'once'>;
  readonly state: Pick<SharedState, 'hit'>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'error'>;
}

const maxCodeLength = 64;
const [ordersPerWindow, windowSeconds] = [30, 600];
/** Milliseconds after which an unpaid order counts as expired. A later payment is still credited. */
const orderLifetime = 86_400_000;

/**
 * What was paid and what went back between $1 and $2. Refunds and disputes of an order together are no more than its amount:
 * the later one counts for the rest.
 */
const movementsSql = `
  SELECT one.paid_at AS at, ${methodSql} AS method, one.currency, one.money AS paid, 0::bigint AS refunded, one.quota, 1 AS orders
    FROM top_up_orders one
   WHERE one.status = 'success' AND one.paid_at >= coalesce($1::timestamptz, '-infinity')
     AND one.paid_at < coalesce($2::timestamptz, 'infinity')
   UNION ALL
  SELECT back.created_at, ${methodSql}, one.currency, 0, least(one.money, back.sum) - least(one.money, back.sum - back.money),
         -back.taken, 0
    FROM (SELECT *, sum(money) OVER (PARTITION BY order_id ORDER BY id) AS sum FROM top_up_reversals
           WHERE state <> 'undone') back
    JOIN top_up_orders one ON one.id = back.order_id
   WHERE back.created_at >= coalesce($1::timestamptz, '-infinity')
     AND back.created_at < coalesce($2::timestamptz, 'infinity')`;

/** Online top-up and its orders (docs/reference/rest/tokens-and-wallet.md#online-top-up). */
export class WalletService {
  constructor(private readonly deps: WalletDeps) {}

  /** The methods of payment, offered methods first. */
  methods(actor: MaybeActor): ProviderMethod[] {
    requireAccount(actor, 'wallet');
    return this.deps.providers.methods();
  }

  /** The ways to pay that are offered, and the smallest top-up in USD. */
  offer(actor: MaybeActor): { readonly methods: readonly ProviderMethod[]; readonly minTopUp: number } {
    const methods = this.methods(actor).filter(({ isOffered }) => isOffered);
    return { methods, minTopUp: this.deps.options.values.MinTopUp };
  }

  /**
   * The amount due for a top-up.
   * @param method id or another name of a method; the default one unless it is given
   * @throws AppError INVALID_INPUT
   */
  payable(actor: MaybeActor, amount: number, method?: string | null): PayableAmount {
    const { group } = requireAccount(actor, 'wallet');
    const { method: chosen } = method == null ? this.deps.providers.defaultMethod() : this.choose(method);
    const { money } = priceTopUp(amount, group, this.deps.options.values, chosen);
    return { amount: formatMoney(money, chosen.currency), currency: chosen.currency };
  }

  /**
   * @param method id or another name of a method
   * @param idempotencyKey a retry with the same key returns the order of the first call
   * @param code is stored with the order, for the operator; it does not change the price
   * @throws AppError INVALID_INPUT, NOT_IMPLEMENTED (the provider is not configured), RATE_LIMITED, SERVICE_UNAVAILABLE,
   * CONFLICT (same key, other input; or the order of the first call is paid, or
   * is for another account)
   */
  async pay(
    actor: MaybeActor,
    amount: number,
    method: string,
    idempotencyKey?: string | null,
    code?: string | null,
  ): Promise<StartedPayment> {
    const user = requireAccount(actor, 'wallet');
    const topUpCode = (code ?? '').trim();
    if (topUpCode.length > maxCodeLength || topUpCode.includes('\0')) {
      throw new InvalidInputError(`A top-up code has at most ${maxCodeLength} characters`, 'topUpCode');
    }
    const { provider, method: chosen, isOffered } = this.choose(method);
    const price = priceTopUp(amount, user.group, this.deps.options.values, chosen);
    const goods = { ...price, amount, topUpCode, planId: null, savesCard: false };
    const input = { amount, method: chosen.id };
    const request = { operation: 'startTopUp', key: idempotencyKey ?? null, input };
    return this.start(user, { provider, method: chosen, isOffered }, goods, request);
  }

  /**
   * Starts a payment whose credit buys a plan. Like `pay`.
   * @param renews the card of the payment is saved, and pays the renewals
   * @throws AppError INVALID_INPUT for a payment method that saves no card, NOT_FOUND for a plan that is not on sale, CONFLICT while the caller has it
   */
  async payForPlan(
    actor: MaybeActor,
    planId: number,
    method: string,
    idempotencyKey?: string | null,
    renews = false,
  ): Promise<StartedPayment> {
    const user = requireAccount(actor, 'wallet');
    const { manager } = this.deps.orders;
    const plan = await manager.findOneBy(Plan, { id: planId, onSale: true });
    if (!plan) throw new NotFoundError('Plan', planId);
    if (await manager.existsBy(Subscription, { accountId: user.id, planId, state: 'active' })) {
      throw new ConflictError('The account has this plan already', 'planId');
    }
    const chosen = this.choose(method);
    if (renews && !chosen.provider.cards) {
      throw new InvalidInputError('This way to pay cannot be charged again for renewals', 'renews');
    }
    const price = pricePlan(plan.price, user.group, this.deps.options.values, chosen.method);
    const input = { planId, method: chosen.method.id, ...(renews && { renews }) };
    const request = { operation: 'startPlanPayment', key: idempotencyKey ?? null, input };
    return this.start(user, chosen, { ...price, topUpCode: '', planId, savesCard: renews }, request);
  }

  private async start(
    user: Actor,
    { provider, method: chosen, isOffered }: Pick<ProviderMethod, 'provider' | 'method' | 'isOffered'>,
    { quota, money, amount, topUpCode, planId, savesCard }: Goods,
    request: OnceRequest,
  ): Promise<StartedPayment> {
    if (!isOffered) throw new AppError('NOT_IMPLEMENTED', 'Payment is not configured');
    await this.limit(user);
    const { order, replayed } = await this.create(
      user,
      {
        userId: user.id,
        tradeNo: `USR${user.id}NO${randomAlphanumeric(6)}${seconds(this.deps.clock)}`,
        provider: provider.name,
        merchantId: provider.account(this.deps.options.values),
        paymentMethod: chosen.id,
        quota,
        money,
        currency: chosen.currency,
        topUpCode,
        planId,
        savesCard,
        createdAt: new Date(this.deps.clock.now()),
      },
      request,
    );
    // A payment of this order to another account would be refused.
    if (order.merchantId !== provider.account(this.deps.options.values)) {
      throw new ConflictError('This order is for another account of the gateway', 'idempotencyKey');
    }
    // A second payment of the order would credit nothing.
    if (order.status === 'success') throw new ConflictError('This order is paid already', 'idempotencyKey');
    const returnPath = order.planId === null ? undefined : '/my-plans';
    const checkout = await provider.start(
      order,
      amount,
      this.deps.providers.contextOf(provider, undefined, returnPath),
    );
    const { providerOrderId } = checkout;
    if (providerOrderId !== undefined) await this.deps.orders.update({ id: order.id }, { providerOrderId });
    return { checkout, order, replayed };
  }

  private choose(name: string): ProviderMethod {
    const chosen = this.deps.providers.find(name);
    if (!chosen) throw new InvalidInputError('Invalid parameter', 'paymentMethod');
    return chosen;
  }

  /** The caller's orders, newest first unless sorted. */
  async listOwn(actor: MaybeActor, filter: OrderFilter, query: ListQuery<OrderSortField>): Promise<Slice<TopUpOrder>> {
    return this.readPage({ ...filter, userIds: [requireAccount(actor, 'wallet').id] }, query);
  }

  /** @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin */
  async list(actor: MaybeActor, filter: OrderFilter, query: ListQuery<OrderSortField>): Promise<Slice<TopUpOrder>> {
    requirePermission(actor, 'payments');
    return this.readPage(filter, query);
  }

  /** The orders of each of these users: admins read those of all users, others their own. */
  async listOf(
    actor: MaybeActor,
    userIds: readonly number[],
    filter: OrderFilter,
    query: ListQuery<OrderSortField>,
  ): Promise<Map<number, Slice<TopUpOrder>>> {
    const owners = {
      sql: 'one.user_id',
      of: ({ userId }: TopUpOrder) => userId,
      ids: visibleUsers(actor, userIds, 'payments'),
    };
    return readSlicesByOwner<TopUpOrder, OrderSortField>(
      this.query(filter),
      query,
      sortKeysAt(this.oldestPending()),
      owners,
    );
  }

  async sumsOwn(actor: MaybeActor, filter: OrderFilter): Promise<OrderSums> {
    return sumsOf(this.query({ ...filter, userIds: [requireAccount(actor, 'wallet').id] }));
  }

  /** @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin */
  async sums(actor: MaybeActor, filter: OrderFilter): Promise<OrderSums> {
    requirePermission(actor, 'payments');
    return sumsOf(this.query(filter));
  }

  /**
   * Payments and refunds per period of the time zone, method and currency, oldest period first. Periods without either are
   * absent. A refund counts when it was ordered, until it fails.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin; INVALID_INPUT for an unknown zone, or for too many periods
   */
  async revenue(
    actor: MaybeActor,
    { from, until }: TimeRange,
    bucket: RevenueBucket,
    timeZone: string,
  ): Promise<Revenue[]> {
    requirePermission(actor, 'payments');
    assertTimeZone(timeZone);
    const database = this.deps.orders.manager;
    const range = [from, until];
    const [bounds] = await database.query<[Record<'first' | 'last', string | null>]>(
      `SELECT extract(epoch FROM min(at)) AS first, extract(epoch FROM max(at)) AS last FROM (${movementsSql}) moved`,
      range,
    );
    if (bounds.first === null || bounds.last === null) return [];
    const [first, last] = [Math.floor(Number(bounds.first)), Math.floor(Number(bounds.last))];
    // Postgres reads some names of zones differently, such as CET.
    const starts = bucketStarts({ from: first, end: last + 1 }, bucket, timeZone);
    const rows = await database.query<
      Array<
        Pick<Revenue, 'method' | 'currency'> & { period: number } & Record<
            'paid' | 'refunded' | 'quota' | 'orders',
            string
          >
      >
    >(
      `SELECT width_bucket(extract(epoch FROM at), $3::numeric[]) - 1 AS period, method, currency, sum(paid) AS paid,
              sum(refunded) AS refunded, sum(quota) AS quota, sum(orders) AS orders
         FROM (${movementsSql}) moved WHERE at < to_timestamp($4)
        GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
      [...range, starts, last + 1],
    );
    return rows.map(({ period, method, currency, paid, refunded, quota, orders }) => {
      const time = starts[period] ?? first;
      return {
        method,
        currency,
        time: dateOf(time),
        until: dateOf(bucketEnd(time, bucket, timeZone)),
        paid: Number(paid),
        refunded: Number(refunded),
        quota: Number(quota),
        orders: Number(orders),
      };
    });
  }

  /** Quota of 1 USD. */
  get quotaPerUnit(): number {
    return this.deps.options.values.QuotaPerUnit;
  }

  statusOf(order: TopUpOrder): OrderStatus {
    return statusAt(order, this.oldestPending());
  }

  private oldestPending(): Date {
    return new Date(this.deps.clock.now() - orderLifetime);
  }

  private async create(
    user: Actor,
    order: Partial<TopUpOrder>,
    request: OnceRequest,
  ): Promise<{ order: TopUpOrder; replayed: boolean }> {
    try {
      const { result: id, replayed } = await this.deps.idempotency.once(user, request, async (manager) => {
        const { identifiers } = await manager.insert(TopUpOrder, order);
        return (identifiers[0] as { id: number }).id;
      });
      return { order: await this.deps.orders.findOneByOrFail({ id }), replayed };
    } catch (error) {
      if (isAppError(error)) throw error;
      this.deps.logger.error({ err: error, tradeNo: order.tradeNo }, 'order could not be stored');
      throw new UnavailableError('Failed to create order', { cause: error });
    }
  }

  private async limit({ id }: Actor): Promise<void> {
    const { allowed, retryAfterSeconds } = await this.deps.state.hit(`pay:${id}`, ordersPerWindow, windowSeconds);
    if (!allowed) throw new AppError('RATE_LIMITED', 'Too many orders, try later', { retryAfterSeconds });
  }

  private readPage(filter: OrderFilter, query: ListQuery<OrderSortField>): Promise<Slice<TopUpOrder>> {
    return readSlice<TopUpOrder, OrderSortField>(this.query(filter), query, sortKeysAt(this.oldestPending()));
  }

  /** Orders that match a filter, as `one`. Checks no permission. */
  query(filter: OrderFilter): SelectQueryBuilder<TopUpOrder> {
    return ordersBy(this.deps.orders, filter, this.oldestPending());
  }
}
