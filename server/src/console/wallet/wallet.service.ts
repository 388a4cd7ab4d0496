import type { Logger } from 'pino';
import type { EntityManager, Repository, SelectQueryBuilder } from 'typeorm';
import type { SharedState } from '../../platform/cache/shared-state.js';
import { readSlice, readSlicesByOwner } from '../../platform/db/keyset.js';
import { requireActor, requirePermission, visibleUsers, type Actor, type MaybeActor } from '../../shared/actor.js';
import { seconds, type Clock } from '../../shared/clock.js';
import { AppError, ConflictError, InvalidInputError, isAppError, UnavailableError } from '../../shared/errors.js';
import { randomAlphanumeric } from '../../shared/ids.js';
import type { ListQuery, Slice } from '../../shared/page.js';
import { isUniqueViolation } from '../../shared/postgres-error.js';
import type { TimeRange } from '../../shared/time-range.js';
import { siteAddress } from '../../shared/site-address.js';
import type { Idempotency } from '../../platform/idempotency/idempotency.js';
import type { OptionValues } from '../../options/option.service.js';
import { assertTimeZone, bucketEnd, bucketStarts, type TimeBucket } from '../usage/index.js';
import {
  type CreditService,
  epayForm,
  type EpayParameters,
  formatMoney,
  isSignedBy,
  methodSql,
  type OrderFilter,
  type OrderMethod,
  ordersBy,
  type OrderSortField,
  type OrderStatus,
  type OrderSums,
  parseMoney,
  priceTopUp,
  sortKeysAt,
  statusAt,
  sumsOf,
  TopUpOrder,
} from '../../billing/payments/index.js';

/** Payments of one period, method and currency. */
export interface Revenue {
  readonly time: Date;
  readonly until: Date;
  readonly method: OrderMethod;
  readonly currency: string;
  readonly hundredths: number;
  readonly orders: number;
  readonly quota: number;
}

export type RevenueBucket = Extract<TimeBucket, 'DAY' | 'WEEK' | 'MONTH'>;

/** A form that the buyer's browser posts to the gateway. */
export interface StartedPayment {
  readonly tradeNo: string;
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly order: TopUpOrder;
  /** True when an earlier call with the same idempotency key created the order. */
  readonly replayed: boolean;
}

export interface WalletDeps {
  readonly orders: Repository<TopUpOrder>;
  readonly options: { readonly values: OptionValues };
  readonly credit: CreditService;
  readonly idempotency: Pick<Idempotency, 'once'>;
  readonly state: Pick<SharedState, 'hit'>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

const provider = 'epay';
/** The protocol has no field for the currency. */
export const currency = 'CNY';
/** Clients of Veloera and of older new-api send the short names, those of newer new-api the gateway's. */
const methods: Readonly<Record<string, string>> = { zfb: 'alipay', wx: 'wxpay', alipay: 'alipay', wxpay: 'wxpay' };
const [ordersPerWindow, windowSeconds] = [30, 600];
/** Seconds after which an unpaid order counts as expired. A later payment is still credited. */
export const orderLifetimeSeconds = 86_400;

/** Online top-up by the Epay protocol (docs/reference/rest/tokens-and-wallet.md#online-top-up). */
export class WalletService {
  constructor(private readonly deps: WalletDeps) {}

  /**
   * The amount due, for example `73.00`.
   * @throws AppError INVALID_INPUT
   */
  payable(actor: MaybeActor, amount: number): string {
    const { money } = priceTopUp(amount, requireActor(actor).group, this.deps.options.values);
    return formatMoney(money);
  }

  /**
   * @param method `zfb` or `alipay`, `wx` or `wxpay`
   * @param idempotencyKey a retry with the same key returns the order of the first call
   * @throws AppError INVALID_INPUT, NOT_IMPLEMENTED (no gateway is configured), RATE_LIMITED, SERVICE_UNAVAILABLE,
   * CONFLICT (same key, other input; or the order of the first call is paid)
   */
  async pay(
    actor: MaybeActor,
    amount: number,
    method: string,
    idempotencyKey?: string | null,
  ): Promise<StartedPayment> {
    const user = requireActor(actor);
    const options = this.deps.options.values;
    const { quota, money } = priceTopUp(amount, user.group, options);
    const paymentMethod = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (paymentMethod === undefined) throw new InvalidInputError('Invalid parameter', 'paymentMethod');
    if (!isSetUp(options)) throw new AppError('NOT_IMPLEMENTED', 'Payment is not configured');
    await this.limit(user);
    const createdTime = seconds(this.deps.clock);
    const tradeNo = `USR${user.id}NO${randomAlphanumeric(6)}${createdTime}`;
    const merchantId = options.EpayId;
    const { order, replayed } = await this.create(
      user,
      { userId: user.id, tradeNo, provider, merchantId, paymentMethod, quota, money, currency, createdTime },
      { amount, method: paymentMethod, idempotencyKey },
    );
    // A second payment of the order would credit nothing.
    if (order.status === 'success') throw new ConflictError('This order is paid already', 'idempotencyKey');
    return { tradeNo: order.tradeNo, ...this.formOf(order, amount), order, replayed };
  }

  private formOf(order: TopUpOrder, amount: number): Pick<StartedPayment, 'url' | 'fields'> {
    const options = this.deps.options.values;
    const ourAddress = siteAddress(options.ServerAddress);
    const { merchantId, paymentMethod, tradeNo, money } = order;
    const fields = epayForm(
      {
        merchantId,
        paymentMethod,
        tradeNo,
        notifyUrl: `${options.CustomCallbackAddress || ourAddress}/api/user/epay/notify`,
        returnUrl: `${ourAddress}/log`,
        name: `TUC${amount}`,
        money: formatMoney(money),
      },
      options.EpayKey,
    );
    return { url: `${options.PayAddress}/submit.php`, fields };
  }

  /**
   * Credits a payment that the gateway reports. Returns true only after the commit; otherwise the gateway repeats its
   * report. Never throws. Repeated reports change nothing; a second payment of an order is logged.
   */
  async notify(parameters: EpayParameters): Promise<boolean> {
    const options = this.deps.options.values;
    if (!isSetUp(options) || !isSignedBy(parameters, options.EpayKey)) return false;
    if (parameters['trade_status'] !== 'TRADE_SUCCESS') return true;
    const tradeNo = parameters['out_trade_no'] ?? '';
    try {
      const moved = await this.deps.orders.manager.transaction((manager) =>
        this.settle(manager, tradeNo, parameters, options.EpayId),
      );
      await this.deps.credit.announce(moved);
      return true;
    } catch (error) {
      const isRefused = error instanceof PaymentRefused || isUniqueViolation(error, 'top_up_orders_payment');
      if (isRefused) this.deps.logger.warn({ tradeNo, reason: (error as Error).message }, 'payment refused');
      else this.deps.logger.error({ err: error, tradeNo }, 'payment could not be credited');
      return false;
    }
  }

  /** The caller's orders, newest first unless sorted. */
  async listOwn(actor: MaybeActor, filter: OrderFilter, query: ListQuery<OrderSortField>): Promise<Slice<TopUpOrder>> {
    return this.readPage({ ...filter, userIds: [requireActor(actor).id] }, query);
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
    return sumsOf(this.query({ ...filter, userIds: [requireActor(actor).id] }));
  }

  /** @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin */
  async sums(actor: MaybeActor, filter: OrderFilter): Promise<OrderSums> {
    requirePermission(actor, 'payments');
    return sumsOf(this.query(filter));
  }

  /**
   * Payments per period of the time zone, method and currency, oldest period first. Periods without payments are
   * absent.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin; INVALID_INPUT for an unknown zone, or for too many periods
   */
  async revenue(actor: MaybeActor, paid: TimeRange, bucket: RevenueBucket, timeZone: string): Promise<Revenue[]> {
    requirePermission(actor, 'payments');
    assertTimeZone(timeZone);
    const payments = this.query({ statuses: ['success'], paid });
    const bounds = await payments
      .clone()
      .select('min(one.paid_time)', 'first')
      .addSelect('max(one.paid_time)', 'last')
      .getRawOne<Record<'first' | 'last', string | null>>();
    if (bounds?.first == null || bounds.last == null) return [];
    const [first, last] = [Number(bounds.first), Number(bounds.last)];
    // Postgres reads some names of zones differently, such as CET.
    const starts = bucketStarts({ from: first, end: last + 1 }, bucket, timeZone);
    const rows = await payments
      .andWhere('one.paid_time BETWEEN :first AND :last', { first, last })
      .select('width_bucket(one.paid_time, :starts::bigint[]) - 1', 'period')
      .addSelect(methodSql, 'method')
      .addSelect('one.currency', 'currency')
      .addSelect('sum(one.money)', 'hundredths')
      .addSelect('sum(one.quota)', 'quota')
      .addSelect('count(*)', 'orders')
      .setParameter('starts', starts)
      .groupBy('period, method, one.currency')
      .orderBy('period')
      .addOrderBy('method')
      .addOrderBy('one.currency')
      .getRawMany<
        Pick<Revenue, 'method' | 'currency'> & { period: number } & Record<'hundredths' | 'quota' | 'orders', string>
      >();
    return rows.map(({ period, hundredths, quota, orders, ...row }) => {
      const start = starts[period] ?? first;
      return {
        ...row,
        time: new Date(start * 1000),
        until: new Date(bucketEnd(start, bucket, timeZone) * 1000),
        hundredths: Number(hundredths),
        quota: Number(quota),
        orders: Number(orders),
      };
    });
  }

  statusOf(order: TopUpOrder): OrderStatus {
    return statusAt(order, this.oldestPending());
  }

  private oldestPending(): number {
    return seconds(this.deps.clock) - orderLifetimeSeconds;
  }

  /** @returns ids of users whose balance changed; none when the order was paid before */
  private async settle(
    manager: EntityManager,
    tradeNo: string,
    parameters: EpayParameters,
    merchantId: string,
  ): Promise<number[]> {
    const order = await manager.findOne(TopUpOrder, { where: { tradeNo }, lock: { mode: 'for_no_key_update' } });
    if (!order) throw new PaymentRefused('no such order');
    assertMatches(order, parameters, merchantId);
    if (order.status === 'success') {
      const [paidBy, payment] = [order.providerTradeNo, parameters['trade_no'] || null];
      if (paidBy !== null && payment !== null && payment !== paidBy) {
        this.deps.logger.warn({ tradeNo, paidBy, payment }, 'order was paid again: refund the second payment');
      }
      return [];
    }
    await manager.update(
      TopUpOrder,
      { id: order.id },
      { status: 'success', paidTime: seconds(this.deps.clock), providerTradeNo: parameters['trade_no'] || null },
    );
    const [user] = await manager.query<Array<{ id: number; username: string }>>(
      'SELECT id, username FROM users WHERE id = $1',
      [order.userId],
    );
    if (!user) throw new PaymentRefused('the buyer was deleted');
    return this.deps.credit.book(manager, {
      source: `${provider}:${order.tradeNo}`,
      kind: 'top_up',
      user,
      quota: order.quota,
      describe: (amount) => `Online top-up ${amount}, paid ${formatMoney(order.money)}`,
    });
  }

  private async create(
    user: Actor,
    order: Partial<TopUpOrder>,
    { idempotencyKey, ...input }: { amount: number; method: string; idempotencyKey?: string | null | undefined },
  ): Promise<{ order: TopUpOrder; replayed: boolean }> {
    try {
      const { result: id, replayed } = await this.deps.idempotency.once(
        user,
        { operation: 'startTopUp', key: idempotencyKey ?? null, input },
        async (manager) => {
          const { identifiers } = await manager.insert(TopUpOrder, order);
          return (identifiers[0] as { id: number }).id;
        },
      );
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

  private query(filter: OrderFilter): SelectQueryBuilder<TopUpOrder> {
    return ordersBy(this.deps.orders, filter, this.oldestPending());
  }
}

class PaymentRefused extends Error {}

const isSetUp = ({ PayAddress, EpayId, EpayKey }: OptionValues): boolean =>
  PayAddress !== '' && EpayId !== '' && EpayKey !== '';

/** A valid signature is not enough: the payment must be for this order, to our account and of this amount. */
function assertMatches(order: TopUpOrder, parameters: EpayParameters, merchantId: string): void {
  if (order.provider !== provider) throw new PaymentRefused('the order belongs to another gateway');
  if (parameters['pid'] !== order.merchantId || merchantId !== order.merchantId) {
    throw new PaymentRefused('paid to another merchant');
  }
  if (parseMoney(parameters['money'] ?? '') !== order.money) throw new PaymentRefused('another amount was paid');
  const paidIn = parameters['currency'] || currency;
  if (paidIn !== order.currency) throw new PaymentRefused('paid in another currency');
}
