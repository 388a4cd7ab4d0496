import type { EntityManager } from 'typeorm';
import { recordSiteEvent, type SiteEventKind } from '../../shared/site-events.js';
import { formatMoney } from './money.js';
import { type OrderEvent, type OrderEventKind, orderEventKinds } from './order-event.entity.js';
import { TopUpOrder } from './top-up-order.entity.js';

/**
 * Maximum number of entries of one order. Beyond it, only entries that change something are kept: a gateway may repeat a callback
 * for days.
 */
const maxEvents = 100;
const changing: readonly OrderEventKind[] = orderEventKinds.filter(
  (kind) => !['repeated', 'paid_again', 'refused', 'failed'].includes(kind),
);

/** Entries that systems of the operator learn of. */
const announced: Partial<Record<OrderEventKind, Extract<SiteEventKind, `payment.${string}`>>> = {
  credited: 'payment.paid',
  marked_paid: 'payment.paid',
  failed: 'payment.failed',
  refunded: 'payment.refunded',
  refund_failed: 'payment.refund_failed',
  disputed: 'payment.disputed',
  dispute_won: 'payment.dispute_won',
  dispute_lost: 'payment.dispute_lost',
};

/** Writes an entry in the history of the order with this number, if there is one, and the event for systems of the operator, if the kind has one. */
export async function recordOrderEvent(
  manager: EntityManager,
  tradeNo: string,
  { at, kind, detail, payment, actorId, actorName }: Omit<OrderEvent, 'id' | 'orderId'>,
): Promise<void> {
  await manager.query(
    `INSERT INTO top_up_events (order_id, at, kind, detail, payment, actor_id, actor_name)
     SELECT id, $2, $3, $4, $5, $6, $7 FROM top_up_orders o
      WHERE trade_no = $1 AND ($8 OR (SELECT count(*) FROM top_up_events WHERE order_id = o.id) < ${maxEvents})`,
    [tradeNo, at, kind, detail, payment, actorId, actorName, changing.includes(kind)],
  );
  const event = announced[kind];
  if (event) await announce(manager, event, tradeNo, detail);
}

async function announce(
  manager: EntityManager,
  kind: Extract<SiteEventKind, `payment.${string}`>,
  tradeNo: string,
  detail: string,
): Promise<void> {
  const where = { tradeNo };
  const order = await manager.findOne(TopUpOrder, { where, relations: { user: true }, withDeleted: true });
  if (!order) return;
  const { id, provider, currency, quota, userId, user } = order;
  await recordSiteEvent(manager, kind, {
    user: { id: userId, username: user?.username ?? null, external_id: user?.externalId ?? null },
    order: {
      id,
      provider,
      method: order.paymentMethod,
      currency,
      quota,
      payment: order.providerTradeNo,
      number: tradeNo,
      amount: formatMoney(order.money, currency),
      refunded: formatMoney(order.refunded, currency),
    },
    detail,
  });
}
