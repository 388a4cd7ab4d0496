import type { Repository, SelectQueryBuilder } from 'typeorm';
import { andAmong, andBetween } from '../../platform/db/conditions.js';
import { milliseconds, type SortKeys } from '../../platform/db/keyset.js';
import type { TimeRange } from '../../shared/time-range.js';
import { paymentMethodIds } from './providers/all.js';
import type { TopUpOrder } from './top-up-order.entity.js';
import type { TopUpReversal } from './top-up-reversal.entity.js';

/** Stands for all methods of imported orders that no provider has. */
export const otherMethod = 'other';

/** @returns the id of a method of a provider, or `other` */
export const methodOf = ({ paymentMethod }: Pick<TopUpOrder, 'paymentMethod'>): string =>
  paymentMethodIds.includes(paymentMethod) ? paymentMethod : otherMethod;
/** SQL of `methodOf` for an order `one`. */
export const methodSql = `CASE WHEN one.payment_method IN (${paymentMethodIds.map((id) => `'${id}'`).join(', ')})
  THEN one.payment_method ELSE '${otherMethod}' END`;

export type OrderStatus = 'pending' | 'success' | 'expired';

/** Conditions on orders. Absent fields do not restrict; an empty list matches nothing. */
export interface OrderFilter {
  readonly ids?: readonly number[];
  readonly statuses?: readonly OrderStatus[];
  readonly userIds?: readonly number[];
  readonly methods?: readonly string[];
  readonly tradeNo?: string;
  readonly created?: TimeRange;
  readonly paid?: TimeRange;
  /** Orders with a refund or a dispute that meets all of these. */
  readonly reversed?: {
    readonly at?: TimeRange | undefined;
    readonly kinds?: ReadonlyArray<TopUpReversal['kind']> | undefined;
    readonly states?: ReadonlyArray<TopUpReversal['state']> | undefined;
  };
}

export type OrderSortField = 'id' | 'createdAt' | 'paidAt' | 'quota' | 'money' | 'status';

/** Totals of all orders that match a filter. */
export interface OrderSums {
  readonly orders: number;
  readonly quota: number;
  /** Minor units by currency, currencies in alphabetical order: to pay, and the part of it that went back or is disputed. */
  readonly money: ReadonlyArray<{ readonly currency: string; readonly minor: number; readonly refunded: number }>;
}

/**
 * Orders that match a filter, as `one`.
 * @param oldestPending unpaid orders that are older are expired
 */
export function ordersBy(
  orders: Repository<TopUpOrder>,
  filter: OrderFilter,
  oldestPending: Date,
): SelectQueryBuilder<TopUpOrder> {
  const query = orders.createQueryBuilder('one');
  andAmong(query, 'one.id', filter.ids);
  andAmong(query, 'one.user_id', filter.userIds);
  andAmong(query, methodSql, filter.methods);
  andAmong(query, 'one.trade_no', filter.tradeNo === undefined ? undefined : [filter.tradeNo]);
  query.setParameter('oldestPending', oldestPending);
  andAmong(query, statusSql, filter.statuses);
  andBetween(query, 'one.created_at', filter.created);
  andBetween(query, 'one.paid_at', filter.paid);
  if (filter.reversed) {
    const { at, kinds, states } = filter.reversed;
    const back = query.subQuery().select('back.order_id').from('top_up_reversals', 'back');
    andBetween(back, 'back.created_at', at);
    andAmong(back, 'back.kind', kinds);
    andAmong(back, 'back.state', states);
    query.andWhere(`one.id IN ${back.getQuery()}`, back.getParameters());
  }
  return query;
}

/** A pending order that is too old is expired. @param oldestPending as of `ordersBy` */
export const statusAt = ({ status, createdAt }: TopUpOrder, oldestPending: Date): OrderStatus =>
  status === 'pending' && createdAt < oldestPending ? 'expired' : status;
/** SQL of `statusAt` for an order `one`. */
const statusSql = `CASE WHEN one.status = 'pending' AND one.created_at < :oldestPending THEN 'expired' ELSE one.status END`;

/** @param oldestPending as of `ordersBy` */
export const sortKeysAt = (oldestPending: Date): SortKeys<TopUpOrder, OrderSortField> => ({
  id: { sql: 'one.id', value: ({ id }) => id },
  createdAt: { sql: milliseconds('one.created_at'), value: ({ createdAt }) => createdAt },
  paidAt: { sql: milliseconds('one.paid_at'), value: ({ paidAt }) => paidAt, nullable: true },
  quota: { sql: 'one.quota', value: ({ quota }) => quota },
  money: { sql: 'one.money', value: ({ money }) => money },
  status: { sql: statusSql, value: (order) => statusAt(order, oldestPending) },
});

/** Totals of the orders of a query. */
export async function sumsOf(query: SelectQueryBuilder<TopUpOrder>): Promise<OrderSums> {
  const rows = await query
    .select('one.currency', 'currency')
    .addSelect('sum(one.money)', 'minor')
    .addSelect('sum(one.refunded)', 'refunded')
    .addSelect('sum(one.quota)', 'quota')
    .addSelect('count(*)', 'orders')
    .groupBy('one.currency')
    .orderBy('one.currency')
    .getRawMany<Record<'currency' | 'minor' | 'refunded' | 'quota' | 'orders', string>>();
  return {
    orders: rows.reduce((sum, { orders }) => sum + Number(orders), 0),
    quota: rows.reduce((sum, { quota }) => sum + Number(quota), 0),
    money: rows.map(({ currency, minor, refunded }) => ({
      currency,
      minor: Number(minor),
      refunded: Number(refunded),
    })),
  };
}
