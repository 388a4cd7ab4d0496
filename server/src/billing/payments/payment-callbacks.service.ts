import type { Logger } from 'pino';
import type { DataSource, EntityManager } from 'typeorm';
import type { Clock } from '../../shared/clock.js';
import { isUniqueViolation } from '../../shared/postgres-error.js';
import type { OptionValues } from '../../options/option.service.js';
import type { CreditService } from './credit.service.js';
import { formatMoney } from './money.js';
import type { CallbackReply, Payment, PaymentProvider, RawCallback } from './provider.js';
import { TopUpOrder } from './top-up-order.entity.js';

export interface PaymentCallbacksDeps {
  readonly database: Pick<DataSource, 'transaction'>;
  readonly options: { readonly values: OptionValues };
  readonly credit: CreditService;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

/** Credits the payments that providers report (docs/reference/rest/tokens-and-wallet.md#payment-callback). */
export class PaymentCallbacks {
  constructor(private readonly deps: PaymentCallbacksDeps) {}

  /**
   * Accepts a callback only after the commit; otherwise the provider repeats it. Never throws. Repeated callbacks change
   * nothing; a second payment of an order is logged.
   */
  async take(provider: PaymentProvider, raw: RawCallback): Promise<CallbackReply> {
    return provider.replyTo(await this.accept(provider, raw));
  }

  private async accept(provider: PaymentProvider, raw: RawCallback): Promise<boolean> {
    const settings = this.deps.options.values;
    if (!provider.isConfigured(settings)) return false;
    const reading = provider.readCallback(raw, settings);
    return reading.kind === 'paid' ? this.credit(provider, reading.payment) : reading.kind === 'nothing';
  }

  private async credit(provider: PaymentProvider, payment: Payment): Promise<boolean> {
    const { tradeNo } = payment;
    try {
      const credited = await this.deps.database.transaction((manager) => this.settle(manager, provider, payment));
      await this.deps.credit.announce(credited);
      return true;
    } catch (error) {
      const isRefused = error instanceof PaymentRefused || isUniqueViolation(error, 'top_up_orders_payment');
      if (isRefused) this.deps.logger.warn({ tradeNo, reason: (error as Error).message }, 'payment refused');
      else this.deps.logger.error({ err: error, tradeNo }, 'payment could not be credited');
      return false;
    }
  }

  /** @returns ids of users whose balance changed; none when the order was paid before */
  private async settle(manager: EntityManager, provider: PaymentProvider, payment: Payment): Promise<number[]> {
    const { tradeNo } = payment;
    const order = await manager.findOne(TopUpOrder, { where: { tradeNo }, lock: { mode: 'for_no_key_update' } });
    if (!order) throw new PaymentRefused('no such order');
    assertMatches(order, provider, payment, this.deps.options.values);
    if (order.status === 'success') {
      const paidBy = order.providerTradeNo;
      if (paidBy !== null && payment.id !== null && payment.id !== paidBy) {
        this.deps.logger.warn(
          { tradeNo, paidBy, payment: payment.id },
          'order was paid again: refund the second payment',
        );
      }
      return [];
    }
    await manager.update(
      TopUpOrder,
      { id: order.id },
      { status: 'success', paidAt: new Date(this.deps.clock.now()), providerTradeNo: payment.id },
    );
    const [user] = await manager.query<Array<{ id: number; username: string }>>(
      'SELECT id, username FROM users WHERE id = $1',
      [order.userId],
    );
    if (!user) throw new PaymentRefused('the buyer was deleted');
    return this.deps.credit.post(manager, {
      source: `${provider.name}:${tradeNo}`,
      kind: 'top_up',
      user,
      quota: order.quota,
      describe: (amount) => `Online top-up ${amount}, paid ${formatMoney(order.money, order.currency)}`,
    });
  }
}

class PaymentRefused extends Error {}

/** A valid signature is not enough: the payment must be for this order, to our account and of this amount. */
function assertMatches(order: TopUpOrder, provider: PaymentProvider, payment: Payment, settings: OptionValues): void {
  if (order.provider !== provider.name) throw new PaymentRefused('the order belongs to another gateway');
  if (payment.account !== order.merchantId || provider.account(settings) !== order.merchantId) {
    throw new PaymentRefused('paid to another merchant');
  }
  if (payment.money !== order.money) throw new PaymentRefused('another amount was paid');
  if (payment.currency !== order.currency) throw new PaymentRefused('paid in another currency');
}
