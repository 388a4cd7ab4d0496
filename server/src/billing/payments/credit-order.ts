import type { EntityManager } from 'typeorm';
import { User } from '../accounts/index.js';
import { type Finished, Plan, type PlanSales, type Subscription } from '../plans/index.js';
import type { Clock } from '../../shared/clock.js';
import { isAppError } from '../../shared/errors.js';
import type { CreditService, Purchase } from './credit.service.js';
import { formatMoney } from './money.js';
import { TopUpOrder } from './top-up-order.entity.js';

export interface OrderCredit {
  readonly credit: CreditService;
  readonly sales: PlanSales;
  /** Notifies the account that its plan was renewed, in the transaction of the renewal. */
  readonly notifyRenewal: (
    manager: EntityManager,
    ended: Subscription,
    how: Pick<Finished, 'renewal' | 'problem'>,
  ) => Promise<void>;
  readonly clock: Clock;
  readonly logger: { error(details: object, message: string): void };
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
  deps: OrderCredit,
  order: TopUpOrder,
  payment: string | null,
  by: { readonly actorId?: number; readonly note?: string } = {},
): Promise<number[] | null> {
  const { credit, clock } = deps;
  await manager.update(
    TopUpOrder,
    { id: order.id },
    { nextChargeAt: null, status: 'success', paidAt: new Date(clock.now()), providerTradeNo: payment },
  );
  const user = await manager.findOne(User, { where: { id: order.userId }, withDeleted: true });
  if (!user) return null;
  const moved = await credit.post(manager, {
    source: `${order.provider}:${order.tradeNo}`,
    kind: 'top_up',
    user,
    quota: order.quota,
    describe: (amount) => `Online top-up ${amount}, paid ${formatMoney(order.money, order.currency)}`,
    ...by,
  });
  if (order.planId !== null && moved.length > 0) await buyOrdered(manager, deps, order, order.planId, user);
  return moved;
}

/**
 * Buys the plan of an order from its credit, at the price of today. If it costs more than was paid, if it is not sold any
 * more, or if the buyer has it by now, the credit stays in their balance.
 */
async function buyOrdered(
  manager: EntityManager,
  { credit, sales, clock, logger, notifyRenewal }: OrderCredit,
  order: TopUpOrder,
  planId: number,
  buyer: Purchase['user'],
): Promise<void> {
  const plan = await manager.findOneBy(Plan, { id: planId, onSale: true });
  if (!plan || plan.price > order.quota) return;
  const renewed = order.renewsId === null ? null : await sales.lock(manager, order.renewsId);
  try {
    // A savepoint: the payment stays credited even if the purchase fails.
    await manager.transaction(async (nested) => {
      const sold = renewed
        ? await sales.renewOrdered(nested, renewed, plan, order, clock.now())
        : await sales.buyOrdered(nested, plan, order, clock.now());
      if (renewed) await notifyRenewal(nested, renewed, { renewal: sold, problem: '' });
      await credit.logPlan(nested, buyer, plan.name, sold.paid);
    });
  } catch (error) {
    if (isAppError(error)) return;
    logger.error({ err: error, tradeNo: order.tradeNo, planId }, 'the plan of a paid order could not be bought');
  }
}
