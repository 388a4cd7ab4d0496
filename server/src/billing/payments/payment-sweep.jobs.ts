import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import type { SharedState } from '../../platform/cache/shared-state.js';
import type { Clock } from '../../shared/clock.js';
import { ScheduledJob } from '../../shared/scheduled-runs.js';
import type { PaymentCallbacks } from './payment-callbacks.js';
import type { PaymentProviders } from './payment-providers.js';
import type { Refunds } from './refunds.js';
import { TopUpOrder } from './top-up-order.entity.js';

export interface PaymentSweepDeps {
  readonly database: Pick<DataSource, 'query' | 'manager'>;
  readonly callbacks: Pick<PaymentCallbacks, 'resume' | 'takeQueried'>;
  readonly refunds: Pick<Refunds, 'retry'>;
  readonly providers: PaymentProviders;
  readonly state: Pick<SharedState, 'lease'>;
  readonly nodeId: string;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
  readonly intervalMilliseconds: number;
}

/** Milliseconds that the process which stored an event, or ordered a refund, has to finish it. */
const grace = 30_000;
/** Orders, events and refunds of one run. */
const batch = 50;
/** Seconds. A second node that sweeps beside the first one does no harm. */
const leaseSeconds = 60;

/**
 * Finishes payments whose callback was lost: processes stored events, sends refunds again, and asks providers for orders
 * that are not paid. One node does it, by lease.
 */
export class PaymentSweep extends ScheduledJob<PaymentSweepDeps> {
  protected readonly interval = this.deps.intervalMilliseconds;
  protected readonly failure = 'payments could not be swept';
  /** Aborted by `stop`: a gateway that does not respond must not delay the end of the process. */
  private readonly ending = new AbortController();

  /** Ends a running sweep. The outcome of an aborted refund is not known: it stays pending, and is sent again. */
  override stop(): Promise<void> {
    this.ending.abort();
    return super.stop();
  }

  protected async work(): Promise<void> {
    const { state, nodeId, callbacks, refunds, providers, clock } = this.deps;
    if (!(await state.lease('payment-sweep', nodeId, leaseSeconds))) return;
    const before = new Date(clock.now() - grace);
    const { signal } = this.ending;
    const options = { most: batch, isStopped: () => signal.aborted };
    await callbacks.resume(providers.list, before, options);
    if (signal.aborted) return;
    await refunds.retry(before, { most: batch, signal });
    if (signal.aborted) return;
    for (const id of await this.dueOrders()) {
      if (signal.aborted) return;
      await this.ask(id);
    }
  }

  /**
   * Orders to ask for, which are marked as asked. The first time is five minutes after the order, then every five
   * minutes, later after a twelfth of its age, until it is two weeks old: bank transfers take days.
   */
  private async dueOrders(): Promise<number[]> {
    const { database, providers, clock } = this.deps;
    const accounts = providers.list.flatMap((one) => {
      const account = providers.accountOf(one);
      return account === null ? [] : [`${one.name} ${account}`];
    });
    if (accounts.length === 0) return [];
    const rows = await database.query<[Array<{ id: number }>, number]>(
      `UPDATE top_up_orders SET asked_at = $1 WHERE id IN (
         SELECT id FROM top_up_orders
          WHERE status = 'pending' AND created_at BETWEEN $1::timestamptz - interval '14 days' AND $1::timestamptz - interval '5 minutes'
            AND provider || ' ' || merchant_id = ANY ($2)
            AND (asked_at IS NULL OR asked_at < $1::timestamptz - greatest(interval '5 minutes', ($1::timestamptz - created_at) / 12))
          ORDER BY coalesce(asked_at, created_at), id LIMIT ${batch})
       RETURNING id`,
      [new Date(clock.now()), accounts],
    );
    return rows[0].map(({ id }) => id);
  }

  /** An order that cannot be asked for does not keep the others from it. */
  private async ask(id: number): Promise<void> {
    const { database, callbacks, providers, logger } = this.deps;
    const order = await database.manager.findOneBy(TopUpOrder, { id });
    if (!order) return;
    try {
      const provider = providers.named(order.provider);
      const payment = await provider.query(order, providers.contextOf(provider, this.ending.signal));
      if (payment) await callbacks.takeQueried(provider, payment);
    } catch (error) {
      if (this.ending.signal.aborted) return;
      logger.warn({ err: error, tradeNo: order.tradeNo }, 'payment gateway could not be asked for an order');
    }
  }
}
