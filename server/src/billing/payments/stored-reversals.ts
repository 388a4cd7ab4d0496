import type { EntityManager } from 'typeorm';
import type { ReportedReversal } from './provider.js';

/** A refund or a dispute of an order, as stored. */
export interface StoredReversal {
  readonly id: number;
  readonly kind: ReportedReversal['kind'];
  readonly state: ReportedReversal['state'];
  readonly money: number;
  readonly taken: number;
  readonly rebateTaken: number;
  readonly inviterId: number | null;
}

/** A refund or a dispute as admins read it. */
export interface OrderReversal extends Pick<StoredReversal, 'id' | 'kind' | 'state' | 'money'> {
  readonly orderId: number;
  readonly currency: string;
  readonly quotaTaken: number;
  readonly createdAt: Date;
  /** The provider's number of it. */
  readonly payment: string | null;
  readonly actorName: string | null;
  readonly note: string;
}

/** Returns the refunds and disputes of some orders, oldest first. */
export const readReversals = (manager: EntityManager, orderIds: readonly number[]): Promise<OrderReversal[]> =>
  manager.query<OrderReversal[]>(
    `SELECT back.id, back.order_id AS "orderId", back.kind, back.state, back.money::float8 AS money, one.currency, back.taken::float8 AS "quotaTaken",
            back.created_at AS "createdAt", back.provider_id AS payment, admin.username AS "actorName", back.note
       FROM top_up_reversals back JOIN top_up_orders one ON one.id = back.order_id
       LEFT JOIN users admin ON admin.id = back.actor_id
      WHERE back.order_id = ANY ($1) ORDER BY back.id`,
    [orderIds],
  );

export const reversalColumns = `one.id, one.kind, one.state, one.money::float8 AS money, one.taken::float8 AS taken,
  one.rebate_taken::float8 AS "rebateTaken", one.inviter_id AS "inviterId"`;

const keyPrefix = 'reversal-';
/** The key of a refund at its provider. */
export const keyOf = (reversalId: number): string => `${keyPrefix}${reversalId}`;
/** The id in such a key. */
export const reversalOf = (key: string): string | null =>
  key.startsWith(keyPrefix) ? key.slice(keyPrefix.length) : null;
