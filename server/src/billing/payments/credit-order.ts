import type { EntityManager } from 'typeorm';
import type { Clock } from '../../shared/clock.js';
import type { CreditService } from './credit.service.js';
import { formatMoney } from './money.js';
import { TopUpOrder } from './top-up-order.entity.js';

export interface OrderCredit {
  readonly credit: CreditService;
  readonly clock: Clock;
}

/**
 * Marks a pending order as paid and credits it, in the caller's transaction, which has locked the order. The source of the
 * ledger entry is the order, so that it is credited once, although the gateway and an admin may both report the payment.
 * @param payment the gateway's number of the payment; null if an admin reports it
 * @param by the admin, and their note
 * @returns ids of users whose balance changed; null when the buyer was deleted
 */
export async function creditOrder(
  manager: EntityManager,
  { credit, clock }: OrderCredit,
  order: TopUpOrder,
  payment: string | null,
  by: { readonly actorId?: number; readonly note?: string } = {},
): Promise<number[] | null> {
  await manager.update(
    TopUpOrder,
    { id: order.id },
    { status: 'success', paidAt: new Date(clock.now()), providerTradeNo: payment },
  );
  const [user] = await manager.query<Array<{ id: number; username: string }>>(
    'SELECT id, username FROM users WHERE id = $1',
    [order.userId],
  );
  if (!user) return null;
  return credit.post(manager, {
    source: `${order.provider}:${order.tradeNo}`,
    kind: 'top_up',
    user,
    quota: order.quota,
    describe: (amount) => `Online top-up ${amount}, paid ${formatMoney(order.money, order.currency)}`,
    ...by,
  });
}
