import type { Logger } from 'pino';
import type { EntityManager, Repository } from 'typeorm';
import type { SharedState } from '../../cache/shared-state.js';
import { requireActor, requireRole, type Actor, type MaybeActor } from '../../shared/actor.js';
import { seconds, type Clock } from '../../shared/clock.js';
import { AppError, InvalidInputError, UnavailableError } from '../../shared/errors.js';
import { randomAlphanumeric } from '../../shared/ids.js';
import type { Page, PageQuery } from '../../shared/page.js';
import { isUniqueViolation } from '../../shared/postgres-error.js';
import type { OptionValues } from '../options/option.service.js';
import type { CreditService } from './credit.service.js';
import { epayForm, isSignedBy, type EpayParameters } from './epay.js';
import { TopUpOrder } from './top-up-order.entity.js';
import { formatMoney, parseMoney, priceTopUp } from './top-up-price.js';

export interface OrderFilter {
  readonly status?: string;
  readonly userId?: number;
  readonly tradeNo?: string;
}

/** A form for the buyer's browser, and the address to post it to. */
export interface StartedPayment {
  readonly tradeNo: string;
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
}

export interface WalletDeps {
  readonly orders: Repository<TopUpOrder>;
  readonly options: { readonly values: OptionValues };
  readonly credit: CreditService;
  readonly state: Pick<SharedState, 'hit'>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

const provider = 'epay';
/** The protocol has no field for it. */
const currency = 'CNY';
const methods: Readonly<Record<string, string>> = { zfb: 'alipay', wx: 'wxpay' };
const defaultServerAddress = 'http://localhost:3000';
const [ordersPerWindow, windowSeconds] = [30, 600];

/** Online top-up by the Epay protocol (docs/reference/rest/tokens-and-wallet.md#online-top-up). */
export class WalletService {
  constructor(private readonly deps: WalletDeps) {}

  /** The money for this amount, for example `73.00`. @throws AppError INVALID_INPUT */
  payable(actor: MaybeActor, amount: number): string {
    const { money } = priceTopUp(amount, requireActor(actor).group, this.deps.options.values);
    if (money <= 1) throw new InvalidInputError('Amount too low', 'amount');
    return formatMoney(money);
  }

  /**
   * @param method `zfb` or `wx`
   * @throws AppError INVALID_INPUT, NOT_IMPLEMENTED without a gateway, RATE_LIMITED, SERVICE_UNAVAILABLE
   */
  async pay(actor: MaybeActor, amount: number, method: string): Promise<StartedPayment> {
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
    await this.keep({
      ...{ userId: user.id, tradeNo, provider, merchantId, paymentMethod, quota, money, currency, createdTime },
    });
    const ourAddress = options.ServerAddress || defaultServerAddress;
    const fields = epayForm(
      {
        ...{ merchantId, paymentMethod, tradeNo },
        notifyUrl: `${options.CustomCallbackAddress || ourAddress}/api/user/epay/notify`,
        returnUrl: `${ourAddress}/log`,
        name: `TUC${amount}`,
        money: formatMoney(money),
      },
      options.EpayKey,
    );
    return { tradeNo, url: `${options.PayAddress}/submit.php`, fields };
  }

  /**
   * Handles a payment callback. Returns true only after the commit, because the gateway repeats after a failure. Never
   * throws. A repeated callback changes nothing.
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
      if (isRefused) this.deps.logger.warn({ tradeNo, reason: (error as Error).message }, 'payment callback refused');
      else this.deps.logger.error({ err: error, tradeNo }, 'payment could not be booked');
      return false;
    }
  }

  /** Own orders, the newest first unless sorted. */
  async listOwn(actor: MaybeActor, filter: OrderFilter, page: PageQuery): Promise<Page<TopUpOrder>> {
    return this.readPage({ ...filter, userId: requireActor(actor).id }, page);
  }

  /** @throws AppError INSUFFICIENT_PRIVILEGES below admin */
  async list(actor: MaybeActor, filter: OrderFilter, page: PageQuery): Promise<Page<TopUpOrder>> {
    requireRole(actor, 'admin');
    return this.readPage(filter, page);
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
    if (order.status === 'success') return [];
    await manager.update(
      TopUpOrder,
      { id: order.id },
      { status: 'success', paidTime: seconds(this.deps.clock), providerTradeNo: parameters['trade_no'] || null },
    );
    const [user] = await manager.query<Array<{ id: number; username: string }>>(
      'SELECT id, username FROM users WHERE id = $1',
      [order.userId],
    );
    if (!user) throw new PaymentRefused('the buyer is gone');
    return this.deps.credit.book(manager, {
      source: `${provider}:${order.tradeNo}`,
      kind: 'top_up',
      user,
      quota: order.quota,
      describe: (amount) => `Online top-up ${amount}, paid ${formatMoney(order.money)}`,
    });
  }

  private async keep(order: Partial<TopUpOrder>): Promise<void> {
    try {
      await this.deps.orders.insert(order);
    } catch (error) {
      this.deps.logger.error({ err: error, tradeNo: order.tradeNo }, 'order could not be stored');
      throw new UnavailableError('Failed to create order', { cause: error });
    }
  }

  private async limit({ id }: Actor): Promise<void> {
    const { allowed, retryAfterSeconds } = await this.deps.state.hit(`pay:${id}`, ordersPerWindow, windowSeconds);
    if (!allowed) throw new AppError('RATE_LIMITED', 'Too many orders, try later', { retryAfterSeconds });
  }

  private async readPage({ status, userId, tradeNo }: OrderFilter, page: PageQuery): Promise<Page<TopUpOrder>> {
    const query = this.deps.orders.createQueryBuilder('one');
    if (userId !== undefined) query.andWhere('one.userId = :userId', { userId });
    if (status !== undefined) query.andWhere('one.status = :status', { status: status.replaceAll('\0', '') });
    if (tradeNo !== undefined) query.andWhere('one.tradeNo = :tradeNo', { tradeNo: tradeNo.replaceAll('\0', '') });
    const field = page.sort ? sortable.find((name) => name === page.sort?.field) : 'id';
    if (!field) throw new InvalidInputError('Orders cannot be sorted by this field', 'sort');
    query.orderBy(`one.${field}`, page.sort?.direction ?? 'DESC');
    if (field !== 'id') query.addOrderBy('one.id', 'DESC');
    const [items, totalCount] = await query
      .skip(page.page * page.pageSize)
      .take(page.pageSize)
      .getManyAndCount();
    return { items, totalCount };
  }
}

const sortable = ['id', 'createdTime', 'paidTime', 'quota', 'money', 'status'] as const;

class PaymentRefused extends Error {}

const isSetUp = ({ PayAddress, EpayId, EpayKey }: OptionValues): boolean =>
  PayAddress !== '' && EpayId !== '' && EpayKey !== '';

/** A valid signature is not enough: order, merchant, money and currency must match. */
function assertMatches(order: TopUpOrder, parameters: EpayParameters, merchantId: string): void {
  if (order.provider !== provider) throw new PaymentRefused('the order belongs to another gateway');
  if (parameters['pid'] !== order.merchantId || merchantId !== order.merchantId) {
    throw new PaymentRefused('paid to another merchant');
  }
  if (parseMoney(parameters['money'] ?? '') !== order.money) throw new PaymentRefused('another amount was paid');
  const paidIn = parameters['currency'] || currency;
  if (paidIn !== order.currency) throw new PaymentRefused('paid in another currency');
}
