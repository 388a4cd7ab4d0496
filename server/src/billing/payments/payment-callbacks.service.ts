import type { Logger } from 'pino';
import type { DataSource, EntityManager } from 'typeorm';
import { isUniqueViolation } from '../../shared/postgres-error.js';
import type { OptionValues } from '../../options/option.service.js';
import { creditOrder, type OrderCredit } from './credit-order.js';
import { type OrderEventKind, recordOrderEvent } from './order-events.js';
import type { CallbackReply, Payment, PaymentProvider, RawCallback } from './provider.js';
import { TopUpOrder } from './top-up-order.entity.js';

export interface PaymentCallbacksDeps extends OrderCredit {
  readonly database: Pick<DataSource, 'transaction' | 'query'>;
  readonly options: { readonly values: OptionValues };
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
      if (isRefused) {
        const reason = isUniqueViolation(error) ? 'this payment paid another order' : (error as Error).message;
        this.deps.logger.warn({ tradeNo, reason }, 'payment refused');
        await this.record(this.deps.database, payment, 'refused', reason).catch((failure: unknown) =>
          this.deps.logger.error({ err: failure, tradeNo }, 'refused payment could not be recorded'),
        );
      } else this.deps.logger.error({ err: error, tradeNo }, 'payment could not be credited');
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
        await this.record(manager, payment, 'paid_again');
        return [];
      }
      // An admin marked the order as paid before its callback came. The payment is bound to it, so that it pays no other.
      if (paidBy === null && payment.id !== null) {
        await manager.update(TopUpOrder, { id: order.id }, { providerTradeNo: payment.id });
      }
      await this.record(manager, payment, 'repeated');
      return [];
    }
    const credited = await creditOrder(manager, this.deps, order, payment.id);
    if (credited === null) throw new PaymentRefused('the buyer was deleted');
    await this.record(manager, payment, 'credited');
    return credited;
  }

  private record(
    database: Pick<EntityManager, 'query'>,
    { tradeNo, id }: Payment,
    kind: OrderEventKind,
    detail = '',
  ): Promise<void> {
    const at = new Date(this.deps.clock.now());
    return recordOrderEvent(database, tradeNo, { at, kind, detail, payment: id, actorId: null, actorName: null });
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
