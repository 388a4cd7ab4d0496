import type { Queries } from '../../platform/db/queries.js';
import { recordSiteEvent, type SiteEventKind } from '../../shared/site-events.js';
import { formatMoney } from './money.js';

/** Changes of an order, and reports about it that change nothing. */
export const orderEventKinds = [
  ...(['credited', 'repeated', 'paid_again', 'refused', 'marked_paid', 'failed'] as const),
  ...(['refunded', 'refund_failed', 'disputed', 'dispute_won', 'dispute_lost'] as const),
] as const;
export type OrderEventKind = (typeof orderEventKinds)[number];

/** An entry in the history of an order. */
export interface OrderEvent {
  readonly at: Date;
  readonly kind: OrderEventKind;
  /** The reason of a refusal, the amount of a refund or dispute, or the note of the admin. */
  readonly detail: string;
  /** The gateway's number of the payment. */
  readonly payment: string | null;
  /** The admin who did it; null for the gateway. */
  readonly actorId: number | null;
  readonly actorName: string | null;
}

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
  database: Queries,
  tradeNo: string,
  { at, kind, detail, payment, actorId, actorName }: OrderEvent,
): Promise<void> {
  await database.query(
    `INSERT INTO top_up_events (order_id, at, kind, detail, payment, actor_id, actor_name)
     SELECT id, $2, $3, $4, $5, $6, $7 FROM top_up_orders o
      WHERE trade_no = $1 AND ($8 OR (SELECT count(*) FROM top_up_events WHERE order_id = o.id) < ${maxEvents})`,
    [tradeNo, at, kind, detail, payment, actorId, actorName, changing.includes(kind)],
  );
  const event = announced[kind];
  if (event) await announce(database, event, tradeNo, detail);
}

async function announce(
  database: Queries,
  kind: Extract<SiteEventKind, `payment.${string}`>,
  tradeNo: string,
  detail: string,
): Promise<void> {
  const [row] = (await database.query(
    `SELECT one.id, one.provider, one.payment_method AS method, one.money::float8 AS money, one.refunded::float8 AS refunded,
            one.currency, one.quota::float8 AS quota, one.provider_trade_no AS payment, one.user_id AS "userId",
            buyer.username, buyer.external_id AS "externalId"
       FROM top_up_orders one LEFT JOIN users buyer ON buyer.id = one.user_id WHERE one.trade_no = $1`,
    [tradeNo],
  )) as AnnouncedOrder[];
  if (!row) return;
  const { userId, username, externalId, money, refunded, ...order } = row;
  await recordSiteEvent(database, kind, {
    user: { id: userId, username, external_id: externalId },
    order: {
      ...order,
      number: tradeNo,
      amount: formatMoney(money, order.currency),
      refunded: formatMoney(refunded, order.currency),
    },
    detail,
  });
}

interface AnnouncedOrder {
  readonly id: number;
  readonly provider: string;
  readonly method: string;
  readonly money: number;
  readonly refunded: number;
  readonly currency: string;
  readonly quota: number;
  readonly payment: string | null;
  readonly userId: number;
  readonly username: string | null;
  readonly externalId: string | null;
}

/** Returns the history of an order, oldest first. */
export const readOrderEvents = async (database: Queries, orderId: number): Promise<OrderEvent[]> =>
  (await database.query(
    `SELECT at, kind, detail, payment, actor_id AS "actorId", actor_name AS "actorName"
       FROM top_up_events WHERE order_id = $1 ORDER BY id`,
    [orderId],
  )) as OrderEvent[];
