import type { EntityManager } from 'typeorm';
import { User } from '../accounts/index.js';
import { AppError } from '../../shared/errors.js';
import type { UsageLog } from '../../shared/audit.js';
import type { Clock } from '../../shared/clock.js';
import { LogType } from '../../shared/log-type.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { formatQuota } from '../../shared/quota.js';
import { reservedOfBalance } from '../../shared/reserved-of-balance.js';
import type { OptionValues } from '../../options/option.service.js';
import type { PostEntry } from '../ledger/index.js';
import { lockOfOrder, paidFor, restoreSubscription, reverseSubscription, type Subscription } from '../plans/index.js';
import { formatMoney } from './money.js';
import type { OrderEventKind } from './order-event.entity.js';
import { recordOrderEvent } from './order-events.js';
import type { ReportedReversal } from './provider.js';
import type { TopUpOrder } from './top-up-order.entity.js';
import { reversalOf, TopUpReversal } from './top-up-reversal.entity.js';

export interface ReversalsDeps {
  readonly postEntry: PostEntry;
  readonly usageLog: UsageLog;
  readonly clock: Clock;
  readonly options: { readonly values: Pick<OptionValues, 'QuotaPerUnit' | 'DisplayInCurrencyEnabled'> };
}

/** An admin who orders a refund. */
export interface RefundActor {
  readonly id: number;
  readonly username: string;
  readonly note: string;
  /** Balances may fall below zero: the admin knows that the quota was spent. */
  readonly belowZero: boolean;
}

/** The quota that a reversal takes from one balance. */
interface Part {
  readonly due: number;
  readonly taken: number;
}

interface Balance {
  readonly quota: number;
  /** Quota that calls in flight hold. */
  readonly reserved: number;
}

interface Movement {
  /** The id of the reversal. */
  readonly id: number;
  readonly kind: 'top_up' | 'rebate';
  readonly userId: number;
  readonly amount: number;
}

/**
 * Takes the quota of orders whose money goes back, and the rebate of the inviter with it, and returns both if the money
 * comes back after all. Everything runs in the caller's transaction, which has locked the order.
 */
export class Reversals {
  constructor(private readonly deps: ReversalsDeps) {}

  /**
   * Takes the quota for a refund that an admin orders.
   * @returns the id of the reversal, and ids of users whose balance changed
   * @throws AppError INSUFFICIENT_QUOTA when a balance does not have it
   */
  async order(
    manager: EntityManager,
    order: TopUpOrder,
    money: number,
    by: RefundActor,
  ): Promise<{ readonly id: number; readonly changed: number[] }> {
    const taken = await this.take(manager, order, { kind: 'refund', state: 'pending', providerId: null, money }, by);
    await this.record(manager, order, 'refunded', money, null, by);
    return taken;
  }

  /**
   * Does what a provider reports of a refund or a dispute. A repeated or older report changes nothing.
   * @param money in minor units of the order's currency
   * @returns ids of users whose balance changed
   */
  async report(
    manager: EntityManager,
    order: TopUpOrder,
    reported: ReportedReversal,
    money: number,
  ): Promise<number[]> {
    const { kind, state, id } = reported;
    const known = await this.find(manager, order, reported);
    if (!known) {
      const { changed } = await this.take(manager, order, { kind, state, providerId: id, money });
      if (state === 'undone') return changed;
      await this.record(manager, order, kind === 'refund' ? 'refunded' : 'disputed', money, id);
      if (kind === 'dispute' && state === 'done') await this.record(manager, order, 'dispute_lost', money, id);
      return changed;
    }
    await manager.update(TopUpReversal, { id: known.id }, { providerId: id });
    if (known.state === 'undone' || known.state === state) return [];
    if (state === 'undone') return this.undo(manager, order, known, id);
    if (state === 'done') {
      await manager.update(TopUpReversal, { id: known.id }, { state });
      if (kind === 'dispute') await this.record(manager, order, 'dispute_lost', money, id);
    }
    return [];
  }

  /**
   * Returns the quota of a refund that failed, or of a dispute that was won, except for what other refunds and disputes of
   * the order are due: they took less because this one had taken it.
   * @returns as `report`
   */
  async undo(
    manager: EntityManager,
    order: TopUpOrder,
    { id, kind, money, taken, rebateTaken, inviterId }: TopUpReversal,
    providerId: string | null,
    reason?: string,
    by?: Omit<RefundActor, 'belowZero'>,
  ): Promise<number[]> {
    await manager.update(TopUpReversal, { id }, { state: 'undone' });
    await this.sumUp(manager, order);
    await this.lock(manager, [order.userId, inviterId]);
    await this.planOf(manager, order);
    await this.raiseDue(manager, order);
    const changed = [
      ...(await this.giveBack(manager, order, { id, kind: 'top_up', userId: order.userId, amount: taken })),
      ...(inviterId === null
        ? []
        : await this.giveBack(manager, order, { id, kind: 'rebate', userId: inviterId, amount: rebateTaken })),
    ];
    if (order.planId !== null) {
      await restoreSubscription(manager, this.deps.postEntry, order.id, this.deps.clock.now());
    }
    const event = kind === 'refund' ? 'refund_failed' : 'dispute_won';
    await this.record(manager, order, event, money, providerId, by, reason);
    return changed;
  }

  /** Adds what is due for the money of an order, and was due from a reversal that is undone, to the newest one. */
  private async raiseDue(manager: EntityManager, order: TopUpOrder): Promise<void> {
    const { quota, rebate } = await this.due(manager, order, 0, (await this.rebateOf(manager, order)).amount);
    await manager.query(
      `UPDATE top_up_reversals SET quota = quota + $2, rebate = rebate + $3
        WHERE id = (SELECT max(id) FROM top_up_reversals WHERE order_id = $1 AND state <> 'undone')`,
      [order.id, quota, rebate],
    );
  }

  /** Returns what an undone reversal took, and takes what the others of its order lack of it. */
  private async giveBack(manager: EntityManager, order: TopUpOrder, back: Movement): Promise<number[]> {
    const changed = await this.move(manager, back, `${back.id}:back`);
    if (changed.length === 0) return [];
    const [due, taken] = back.kind === 'rebate' ? ['rebate', 'rebate_taken'] : ['quota', 'taken'];
    const lacking = await manager.query<Array<{ id: number; amount: number }>>(
      `SELECT id, (${due} - ${taken})::float8 AS amount FROM top_up_reversals
        WHERE order_id = $1 AND state <> 'undone' AND ${due} > ${taken} ORDER BY id`,
      [order.id],
    );
    let left = back.amount;
    for (const { id, amount } of lacking) {
      const more = Math.min(left, amount);
      if (more === 0) break;
      left -= more;
      await manager.query(`UPDATE top_up_reversals SET ${taken} = ${taken} + $2 WHERE id = $1`, [id, more]);
      await this.move(manager, { ...back, amount: -more }, `${id}:after:${back.id}`);
    }
    return changed;
  }

  /** A refund that was ordered here is known by its key, before the provider's number is. */
  private find(
    manager: EntityManager,
    order: TopUpOrder,
    { kind, id, key }: ReportedReversal,
  ): Promise<TopUpReversal | null> {
    return manager
      .createQueryBuilder(TopUpReversal, 'one')
      .where({ orderId: order.id, kind })
      .andWhere('(one.provider_id = :id OR one.id::text = :ours)', { id, ours: key === null ? null : reversalOf(key) })
      .getOne();
  }

  /** @param by the admin who orders it; absent: it has happened, and what the balances have is taken */
  private async take(
    manager: EntityManager,
    order: TopUpOrder,
    reversal: Pick<TopUpReversal, 'kind' | 'state' | 'providerId' | 'money'>,
    by?: RefundActor,
  ): Promise<{ readonly id: number; readonly changed: number[] }> {
    const { inviterId, amount } = await this.rebateOf(manager, order);
    const balances = await this.lock(manager, [order.userId, inviterId]);
    // A plan that the order paid for ends when the balance does not have what is due.
    const sold = await this.planOf(manager, order);
    const nothing = { quota: 0, rebate: 0 };
    const due = reversal.state === 'undone' ? nothing : await this.due(manager, order, reversal.money, amount);
    const balance = balances.get(order.userId);
    const lacking = due.quota - Math.max(0, balance?.quota ?? 0);
    const plan = sold && lacking > 0 ? { sold, amount: Math.min(lacking, paidFor(sold)) } : null;
    const quota = partOf(due.quota, balance && { ...balance, quota: balance.quota + (plan?.amount ?? 0) }, by);
    const rebate = partOf(due.rebate, inviterId === null ? undefined : balances.get(inviterId), by);
    const now = this.deps.clock.now();
    const { id } = await manager.save(TopUpReversal, {
      ...reversal,
      orderId: order.id,
      quota: quota.due,
      taken: quota.taken,
      rebate: rebate.due,
      rebateTaken: rebate.taken,
      inviterId,
      createdAt: new Date(now),
      actorId: by?.id ?? null,
      note: by?.note ?? '',
    });
    await this.sumUp(manager, order);
    if (plan) await reverseSubscription(manager, this.deps.postEntry, plan.sold, { id, amount: plan.amount, now });
    const changed = [
      ...(await this.move(manager, { id, kind: 'top_up', userId: order.userId, amount: -quota.taken }, `${id}`, by)),
      ...(inviterId === null
        ? []
        : await this.move(manager, { id, kind: 'rebate', userId: inviterId, amount: -rebate.taken }, `${id}`, by)),
    ];
    return { id, changed: plan ? [...changed, order.userId] : changed };
  }

  /** Locks the subscriptions that an order paid for. Balances are locked before them. @returns the running one */
  private async planOf(manager: EntityManager, { id, planId }: TopUpOrder): Promise<Subscription | null> {
    return planId === null ? null : lockOfOrder(manager, id);
  }

  /** The rebate that the inviter got for an order. */
  private async rebateOf(
    manager: EntityManager,
    order: TopUpOrder,
  ): Promise<{ readonly inviterId: number | null; readonly amount: number }> {
    const [paid] = await manager.query<Array<{ inviterId: number; amount: string }>>(
      'SELECT user_id AS "inviterId", amount FROM ledger_entries WHERE source = $1',
      [`rebate:${order.provider}:${order.tradeNo}`],
    );
    return { inviterId: paid?.inviterId ?? null, amount: Number(paid?.amount ?? 0) };
  }

  /**
   * The quota for more money, beside that which is due already. Parts are rounded down, and the last part is the rest: what
   * is refunded as a whole is taken as a whole.
   */
  private async due(
    manager: EntityManager,
    order: TopUpOrder,
    money: number,
    rebate: number,
  ): Promise<{ readonly quota: number; readonly rebate: number }> {
    const [before] = await manager.query<[Record<'money' | 'quota' | 'rebate', string>]>(
      `SELECT coalesce(sum(money), 0) AS money, coalesce(sum(quota), 0) AS quota, coalesce(sum(rebate), 0) AS rebate
         FROM top_up_reversals WHERE order_id = $1 AND state <> 'undone'`,
      [order.id],
    );
    const [all, reversed] = [BigInt(order.money), BigInt(before.money) + BigInt(money)];
    const rest = (whole: number, taken: string): number =>
      Math.max(0, Number((BigInt(whole) * (reversed < all ? reversed : all)) / all - BigInt(taken)));
    return { quota: rest(order.quota, before.quota), rebate: rest(rebate, before.rebate) };
  }

  private async sumUp(manager: EntityManager, order: TopUpOrder): Promise<void> {
    await manager.query(
      `UPDATE top_up_orders SET refunded = least(money,
          (SELECT coalesce(sum(money), 0) FROM top_up_reversals WHERE order_id = $1 AND state <> 'undone'))
        WHERE id = $1`,
      [order.id],
    );
  }

  /** Locks balances in id order, like the ledger, so that the two cannot deadlock. @returns balances by user */
  private async lock(
    manager: EntityManager,
    userIds: ReadonlyArray<number | null>,
  ): Promise<ReadonlyMap<number, Balance>> {
    const ids = [userIds.filter((id) => id !== null)];
    await manager.query('SELECT 1 FROM users WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE', ids);
    const rows = await manager.query<Array<Balance & { id: number }>>(
      `SELECT id, quota::float8 AS quota,
              ${reservedOfBalance('users.id')}::float8 AS reserved
         FROM users WHERE id = ANY ($1)`,
      ids,
    );
    return new Map(rows.map((row) => [row.id, row]));
  }

  /**
   * Posts a movement with its log row.
   * @param of the rest of its source, after `reversal:`
   * @returns the user if their balance changed
   */
  private async move(
    manager: EntityManager,
    { kind, userId, amount }: Movement,
    of: string,
    by?: RefundActor,
  ): Promise<number[]> {
    if (amount === 0) return [];
    const user = await manager.findOne(User, { where: { id: userId }, withDeleted: true });
    if (!user) return [];
    const source = `${kind === 'rebate' ? 'rebate:' : ''}reversal:${of}`;
    const given = omitUndefined({ actorId: by?.id, note: by?.note });
    const after = await this.deps.postEntry(manager, { source, kind, userId, amount, ...given });
    if (after === null) return [];
    const quota = formatQuota(Math.abs(amount), this.deps.options.values);
    const way = amount > 0 ? 'given' : 'taken';
    const content = `${kind === 'rebate' ? 'Rebate' : 'Online top-up'} ${quota} ${way} back`;
    await this.deps.usageLog.record(manager, { type: LogType.system, userId, username: user.username, content });
    return [userId];
  }

  private record(
    manager: EntityManager,
    order: TopUpOrder,
    kind: OrderEventKind,
    money: number,
    payment: string | null,
    by?: Omit<RefundActor, 'belowZero'>,
    reason = by?.note ?? '',
  ): Promise<void> {
    const amount = `${formatMoney(money, order.currency)} ${order.currency}`;
    return recordOrderEvent(manager, order.tradeNo, {
      at: new Date(this.deps.clock.now()),
      kind,
      detail: reason === '' ? amount : `${amount}: ${reason}`,
      payment,
      actorId: by?.id ?? null,
      actorName: by?.username ?? null,
    });
  }
}

/** @param balance undefined: the user was deleted */
function partOf(due: number, balance: Balance | undefined, by: RefundActor | undefined): Part {
  if (balance === undefined) return { due, taken: 0 };
  if (by?.belowZero || due <= balance.quota) return { due, taken: due };
  if (by) throw new AppError('INSUFFICIENT_QUOTA', 'The quota was spent: confirm that the balance falls below zero');
  // Calls in flight give back what they do not use. The balance may be below zero until then.
  return { due, taken: Math.min(due, Math.max(0, balance.quota + balance.reserved)) };
}
