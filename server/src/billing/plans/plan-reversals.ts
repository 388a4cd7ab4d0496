import { type EntityManager, IsNull, Not } from 'typeorm';
import { User } from '../accounts/index.js';
import type { PostEntry } from '../ledger/index.js';
import { recordPlanEvent } from './plan-events.js';
import { Subscription } from './subscription.entity.js';

/** Locks the subscriptions that an order paid for. Their account is locked before. @returns the running one */
export async function lockOfOrder(manager: EntityManager, orderId: number): Promise<Subscription | null> {
  const lock = { mode: 'for_no_key_update' } as const;
  const sold = await manager.find(Subscription, { where: { orderId }, order: { id: 'ASC' }, lock });
  return sold.find(({ state }) => state === 'active') ?? null;
}

/**
 * Ends a subscription because the money of its order goes back, and returns its price, or a part of it, to the balance,
 * from which the reversal of the order takes it.
 */
export async function reverseSubscription(
  manager: EntityManager,
  postEntry: PostEntry,
  sold: Subscription,
  { id: reversalId, amount, now }: { readonly id: number; readonly amount: number; readonly now: number },
): Promise<void> {
  const stopped = { stoppedAt: new Date(now), renews: false };
  await manager.update(Subscription, { id: sold.id }, { state: 'refunded', refunded: amount, reversalId, ...stopped });
  const source = `plan:${sold.id}:reversal:${reversalId}`;
  await postEntry(manager, { source, kind: 'refund', userId: sold.accountId, amount });
  await recordPlanEvent(manager, 'plan.refunded', sold.id);
}

/**
 * Opens a subscription again because the reversal of its order was undone, and takes its price from the balance, to
 * which the reversal has returned it. The time of the reversal is not added. Without the balance it stays refunded:
 * another reversal of the order has taken it. `lockOfOrder` must come before.
 */
export async function restoreSubscription(
  manager: EntityManager,
  postEntry: PostEntry,
  orderId: number,
  now: number,
): Promise<void> {
  const sold = await manager.findOneBy(Subscription, { orderId, state: 'refunded', reversalId: Not(IsNull()) });
  if (!sold) return;
  const { id, accountId, planId, refunded, reversalId } = sold;
  const account = await manager.findOne(User, { where: { id: accountId }, withDeleted: true });
  if (!account || account.quota < refunded) return;
  const isOver = now >= sold.endsAt.getTime();
  const isReplaced = await manager.existsBy(Subscription, { accountId, planId, state: 'active' });
  const runs = isOver || isReplaced ? ({ state: 'ended' } as const) : ({ state: 'active', stoppedAt: null } as const);
  await manager.update(Subscription, { id }, { ...runs, refunded: 0, reversalId: null });
  const source = `plan:${id}:reversal:${reversalId}:back`;
  await postEntry(manager, { source, kind: 'plan', userId: accountId, amount: -refunded, floor: 0 });
  await recordPlanEvent(manager, runs.state === 'active' ? 'plan.bought' : 'plan.ended', id);
}
