import type { Logger } from 'pino';
import type { DataSource, EntityManager } from 'typeorm';
import { isUniqueViolation } from '../../shared/postgres-error.js';
import type { OptionValues } from '../../options/option.service.js';
import { creditOrder, type OrderCredit } from './credit-order.js';
import type { OrderEventKind } from './order-event.entity.js';
import { recordOrderEvent } from './order-events.js';
import { finishEvent, openEvents, type StoredEvent, storeEvent } from './payment-events.js';
import type {
  CallbackReply,
  CallbackResult,
  Payment,
  PaymentProvider,
  PaymentReport,
  ProviderEvent,
  RawCallback,
  ReportedReversal,
} from './provider.js';
import type { Reversals } from './reversals.js';
import { TopUpOrder } from './top-up-order.entity.js';

export interface PaymentCallbacksDeps extends OrderCredit {
  readonly database: Pick<DataSource, 'transaction' | 'query' | 'manager'>;
  readonly options: { readonly values: OptionValues };
  readonly reversals: Pick<Reversals, 'report'>;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

/** Milliseconds. A refund may be reported before its payment is, but not this long before. */
const longestAhead = 3 * 86_400_000;

/** Processes the events of payment providers (docs/reference/rest/tokens-and-wallet.md#payment-callback). */
export class PaymentCallbacks {
  constructor(private readonly deps: PaymentCallbacksDeps) {}

  /**
   * Stores a callback, then processes it. It is accepted only after the commit; otherwise the provider repeats it. Never
   * throws. Repeated callbacks change nothing; a second payment of an order is logged.
   */
  async take(provider: PaymentProvider, raw: Omit<RawCallback, 'receivedAt'>): Promise<CallbackReply> {
    return provider.replyTo(await this.accept(provider, { ...raw, receivedAt: this.deps.clock.now() }));
  }

  /** Processes events that were stored before this time, because the process that stored them ended. */
  async resume(
    providers: readonly PaymentProvider[],
    before: Date,
    { most, isStopped }: { readonly most: number; readonly isStopped: () => boolean },
  ): Promise<void> {
    for (const event of await openEvents(this.deps.database, this.now(), before, most)) {
      if (isStopped()) return;
      const provider = providers.find(({ name }) => name === event.provider);
      if (provider) await this.process(provider, () => provider.read(event.body), event);
    }
  }

  /** Credits a payment that a provider reported when it was asked. */
  async takeQueried(provider: PaymentProvider, payment: Payment): Promise<void> {
    await this.process(provider, () => ({ kind: 'paid', payment }), null);
  }

  private async accept(provider: PaymentProvider, raw: RawCallback): Promise<CallbackResult> {
    const { options, database, logger } = this.deps;
    const settings = options.values;
    const event = provider.isConfigured(settings) ? provider.verify(raw, settings) : null;
    if (!event) return 'forged';
    if (isIrrelevant(provider, event)) return 'accepted';
    try {
      const stored = await storeEvent(database, provider.name, event, new Date(raw.receivedAt));
      return await this.process(provider, () => provider.read(event.body), stored);
    } catch (error) {
      logger.error({ err: error, event: event.id }, 'payment event could not be stored');
      return 'failed';
    }
  }

  /**
   * Never throws: an event that cannot be read does not delay the others.
   * @param event the stored event that reports it; null if there is none
   */
  private async process(
    provider: PaymentProvider,
    read: () => PaymentReport | null,
    event: StoredEvent | null,
  ): Promise<CallbackResult> {
    const { database, credit, logger } = this.deps;
    let report: PaymentReport | null = null;
    try {
      report = read();
      const credited = await database.transaction(async (manager) => {
        const changed = report ? await this.apply(manager, provider, report) : [];
        if (event) await finishEvent(manager, event.id, this.now(), '');
        return changed;
      });
      await credit.announce(credited);
      return 'accepted';
    } catch (error) {
      // The payment may be reported later. The event stays open until then.
      if (error instanceof UnknownPayment && event && this.isRecent(event)) return 'accepted';
      const about = { provider: provider.name, event: event?.id, ...nameOf(report) };
      if (!(error instanceof PaymentRefused) && !isUniqueViolation(error, 'top_up_orders_payment')) {
        logger.error({ err: error, ...about }, 'payment could not be credited');
        return 'failed';
      }
      const reason = isUniqueViolation(error) ? 'this payment paid another order' : (error as Error).message;
      logger.warn({ ...about, reason }, 'payment refused');
      await this.refuse(provider, report, event, reason).catch((failure: unknown) =>
        logger.error({ err: failure, ...about }, 'refused payment could not be recorded'),
      );
      return 'refused';
    }
  }

  private isRecent({ receivedAt }: StoredEvent): boolean {
    return this.deps.clock.now() - receivedAt.getTime() < longestAhead;
  }

  private async refuse(
    provider: PaymentProvider,
    report: PaymentReport | null,
    event: StoredEvent | null,
    reason: string,
  ): Promise<void> {
    const { manager } = this.deps.database;
    if (report?.kind === 'paid') await this.record(manager, report.payment, 'refused', reason);
    if (report?.kind === 'reversal') {
      const { kind, id, payment } = report.reversal;
      const order = await manager.findOneBy(TopUpOrder, { provider: provider.name, providerTradeNo: payment });
      if (order) await this.record(manager, { ...order, id }, 'refused', `${kind}: ${reason}`);
    }
    if (event) await finishEvent(manager, event.id, this.now(), reason);
  }

  /** @returns ids of users whose balance changed */
  private apply(manager: EntityManager, provider: PaymentProvider, report: PaymentReport): Promise<number[]> {
    if (report.kind === 'paid') return this.settle(manager, provider, report.payment);
    return report.kind === 'reversal' ? this.reverse(manager, provider, report.reversal) : this.note(manager, report);
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

  private async reverse(
    manager: EntityManager,
    provider: PaymentProvider,
    reversal: ReportedReversal,
  ): Promise<number[]> {
    const order = await manager.findOne(TopUpOrder, {
      where: { provider: provider.name, providerTradeNo: reversal.payment },
      lock: { mode: 'for_no_key_update' },
    });
    if (!order) throw new UnknownPayment('no order was paid by this payment');
    if (reversal.account !== order.merchantId) throw new PaymentRefused('reported by another merchant');
    const { money, currency } = reversal;
    // A bank may dispute in a currency of its own: then all of the payment is disputed.
    const isSameMoney = money !== null && currency === order.currency;
    if (!isSameMoney && reversal.kind === 'refund') throw new PaymentRefused('refunded in another currency');
    return this.deps.reversals.report(manager, order, reversal, isSameMoney ? money : order.money);
  }

  private async note(
    manager: EntityManager,
    { tradeNo, reason }: Extract<PaymentReport, { kind: 'failed' }>,
  ): Promise<number[]> {
    const payment = { tradeNo, id: null };
    const order = await manager.findOneBy(TopUpOrder, { tradeNo });
    if (order?.status === 'pending') await this.record(manager, payment, 'failed', reason);
    return [];
  }

  private record(
    manager: EntityManager,
    { tradeNo, id }: Pick<Payment, 'tradeNo' | 'id'>,
    kind: OrderEventKind,
    detail = '',
  ): Promise<void> {
    const at = this.now();
    return recordOrderEvent(manager, tradeNo, { at, kind, detail, payment: id, actorId: null, actorName: null });
  }

  private now(): Date {
    return new Date(this.deps.clock.now());
  }
}

class PaymentRefused extends Error {}

/** A refund or a dispute of a payment that no order has, or not yet. */
class UnknownPayment extends PaymentRefused {}

/**
 * Whether no order uses the event. It is then not stored, because events contain data about people. An event that cannot be
 * read is stored, because it may be of use later.
 */
function isIrrelevant(provider: PaymentProvider, { body }: ProviderEvent): boolean {
  try {
    return provider.read(body) === null;
  } catch {
    return false;
  }
}

function nameOf(report: PaymentReport | null): Record<string, string> {
  if (report?.kind === 'paid') return { tradeNo: report.payment.tradeNo };
  if (report?.kind === 'reversal') return { payment: report.reversal.payment, reversal: report.reversal.id };
  return report ? { tradeNo: report.tradeNo } : {};
}

/** A valid signature is not enough: the payment must be for this order, to our account and of this amount. */
function assertMatches(order: TopUpOrder, provider: PaymentProvider, payment: Payment, settings: OptionValues): void {
  if (order.provider !== provider.name) throw new PaymentRefused('the order belongs to another gateway');
  if (payment.account !== order.merchantId || provider.account(settings) !== order.merchantId) {
    throw new PaymentRefused('paid to another merchant');
  }
  const { providerOrderId } = payment;
  // The callback may come before the response that numbers the order is stored.
  if (providerOrderId !== undefined && order.providerOrderId !== null && providerOrderId !== order.providerOrderId) {
    throw new PaymentRefused('paid on another page');
  }
  if (payment.money !== order.money) throw new PaymentRefused('another amount was paid');
  if (payment.currency !== order.currency) throw new PaymentRefused('paid in another currency');
}
