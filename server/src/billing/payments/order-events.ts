import type { Queries } from '../../platform/db/queries.js';

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

/** Entries of one order after which those that change nothing are not kept: a gateway may repeat a callback for days. */
const maxEvents = 100;
const changing: readonly OrderEventKind[] = orderEventKinds.filter(
  (kind) => !['repeated', 'paid_again', 'refused', 'failed'].includes(kind),
);

/** Writes an entry in the history of the order with this number, if there is one. */
export async function recordOrderEvent(
  database: Queries,
  tradeNo: string,
  { at, kind, detail, payment, actorId, actorName }: OrderEvent,
): Promise<void> {
  await database.query(
    `INSERT INTO top_up_events (order_id, at, kind, detail, payment, actor_id, actor_name)
     SELECT id, $2, $3, $4, $5, $6, $7 FROM top_up_orders one
      WHERE trade_no = $1 AND ($8 OR (SELECT count(*) FROM top_up_events WHERE order_id = one.id) < ${maxEvents})`,
    [tradeNo, at, kind, detail, payment, actorId, actorName, changing.includes(kind)],
  );
}

/** Returns the history of an order, oldest first. */
export const readOrderEvents = async (database: Queries, orderId: number): Promise<OrderEvent[]> =>
  (await database.query(
    `SELECT at, kind, detail, payment, actor_id AS "actorId", actor_name AS "actorName"
       FROM top_up_events WHERE order_id = $1 ORDER BY id`,
    [orderId],
  )) as OrderEvent[];
