import { type EntityManager, In, type Repository, type SelectQueryBuilder } from 'typeorm';
import { User } from '../../billing/accounts/index.js';
import {
  outranks,
  rankOf,
  requireConfirmed,
  requirePermission,
  type Actor,
  type MaybeActor,
} from '../../shared/actor.js';
import type { AuditLog } from '../../shared/audit.js';
import { type CsvColumn, csvPieces } from '../../shared/csv.js';
import { ConflictError, ForbiddenError, InvalidInputError, NotFoundError } from '../../shared/errors.js';
import {
  creditOrder,
  type OrderCredit,
  type CreditService,
  formatMoney,
  OrderEvent,
  type OrderFilter,
  type OrderStatus,
  parseMoney,
  recordOrderEvent,
  RefundRefused,
  type Refunds,
  type Reversals,
  TopUpOrder,
  TopUpReversal,
} from '../../billing/payments/index.js';
import type { PlanSales } from '../../billing/plans/index.js';
import type { Idempotency } from '../../platform/idempotency/idempotency.js';
import type { Clock } from '../../shared/clock.js';
import type { WalletService } from './wallet.service.js';

export interface OrderDeps {
  readonly orders: Repository<TopUpOrder>;
  readonly wallet: Pick<WalletService, 'query' | 'statusOf'>;
  readonly credit: CreditService;
  readonly sales: PlanSales;
  readonly notifyRenewal: OrderCredit['notifyRenewal'];
  readonly reversals: Reversals;
  readonly refunds: Refunds;
  readonly idempotency: Pick<Idempotency, 'once'>;
  readonly auditLog: AuditLog;
  readonly clock: Clock;
  readonly logger: OrderCredit['logger'];
}

/** A refund that an admin orders. */
export interface RefundInput {
  /** Decimal text in the currency of the order. Absent: what is not refunded yet. */
  readonly amount?: string | null | undefined;
  readonly note: string;
  /** The refund is made even if the quota was spent. */
  readonly belowZero?: boolean | null | undefined;
  readonly idempotencyKey?: string | null | undefined;
}

export interface RefundResult {
  readonly order: TopUpOrder;
  /** False: the provider has not confirmed it. The server asks again. */
  readonly confirmed: boolean;
  readonly replayed: boolean;
}

/** A refund as an admin found it at the provider. */
export interface SettledRefund {
  /** Decimal text in the currency of the order. Needed if refunds of different amounts are open. */
  readonly amount?: string | null | undefined;
  /** Whether the money went back. */
  readonly isMade: boolean;
  readonly note: string;
}

const maxNoteLength = 200;
const exportBatch = 1000;

/** Operations of admins on the orders of users. */
export class OrderService {
  constructor(private readonly deps: OrderDeps) {}

  /**
   * Credits an order whose payment arrived without a callback. A later callback of the gateway credits nothing.
   * It returns payment data, so it needs the permission for these too.
   * @param note how the admin knows of the payment
   * @throws AppError INSUFFICIENT_PRIVILEGES, CONFIRMATION_NEEDED, INVALID_INPUT, NOT_FOUND, CONFLICT (paid already)
   */
  async markPaid(actor: MaybeActor, id: number, given: string): Promise<TopUpOrder> {
    const admin = requirePermission(actor, 'users.quota');
    requirePermission(actor, 'payments');
    requireConfirmed(admin);
    const note = noteOf(given, 'Write how you know of the payment');
    const credited = await this.deps.orders.manager.transaction((manager) => this.pay(manager, admin, id, note));
    await this.deps.credit.announce(credited);
    return this.deps.orders.findOneByOrFail({ id });
  }

  /** @returns ids of users whose balance changed */
  private async pay(manager: EntityManager, admin: Actor, id: number, note: string): Promise<number[]> {
    // A callback takes this lock too: the later of both finds the order paid.
    const order = await this.lock(manager, admin, id);
    if (order.status === 'success') throw new ConflictError('This order is paid already', 'id');
    const credited = await creditOrder(manager, this.deps, order, null, { actorId: admin.id, note });
    if (credited === null) throw new NotFoundError('User', order.userId);
    const at = new Date(this.deps.clock.now());
    const by = { actorId: admin.id, actorName: admin.username };
    await recordOrderEvent(manager, order.tradeNo, { at, kind: 'marked_paid', detail: note, payment: null, ...by });
    await this.deps.auditLog.write(manager, admin, {
      action: 'markPaid',
      subject: 'user',
      id: order.userId,
      before: null,
      after: { order: order.tradeNo, quota: order.quota, note },
    });
    return credited;
  }

  /**
   * Takes the quota of a paid order, or of a part of it, and the inviter's rebate with it, then pays the money back at its
   * provider. If the provider refuses, the quota is returned.
   * @throws AppError INSUFFICIENT_PRIVILEGES, CONFIRMATION_NEEDED, INVALID_INPUT, NOT_FOUND, CONFLICT (not paid there),
   * INSUFFICIENT_QUOTA (spent, and not `belowZero`), UPSTREAM_INVALID_RESPONSE (the provider refuses),
   * UPSTREAM_UNREACHABLE (nothing was sent)
   */
  async refund(actor: MaybeActor, id: number, { idempotencyKey, ...input }: RefundInput): Promise<RefundResult> {
    const admin = requirePermission(actor, 'users.quota');
    requirePermission(actor, 'payments');
    requireConfirmed(admin);
    const note = noteOf(input.note, 'Write why the money goes back');
    const request = { operation: 'refundTopUp', key: idempotencyKey ?? null, input: { id, ...input } };
    const { result, replayed } = await this.deps.idempotency.once(admin, request, (manager) =>
      this.take(manager, admin, id, { ...input, note }),
    );
    if (!replayed) {
      await this.deps.credit.announce(result.changed);
      await this.deps.refunds.send(result.id);
    }
    const refund = await this.deps.orders.manager.findOneBy(TopUpReversal, { id: result.id });
    // A repeated call of a refund that was refused, or failed later, must not look like a success.
    if (refund?.state === 'undone') throw new RefundRefused('the history of the order has the reason');
    return { order: await this.deps.orders.findOneByOrFail({ id }), confirmed: refund?.state === 'done', replayed };
  }

  /**
   * Ends a refund whose outcome is not known, as the admin found it at the provider. A refund that was not made returns the quota.
   * @throws AppError INSUFFICIENT_PRIVILEGES, CONFIRMATION_NEEDED, INVALID_INPUT, NOT_FOUND, CONFLICT (none is open)
   */
  async settleRefund(actor: MaybeActor, id: number, { amount, isMade, ...given }: SettledRefund): Promise<TopUpOrder> {
    const admin = requirePermission(actor, 'users.quota');
    requirePermission(actor, 'payments');
    requireConfirmed(admin);
    const note = noteOf(given.note, 'Write how you know of it');
    const { manager: database } = this.deps.orders;
    const changed = await database.transaction(async (manager) => {
      const order = await this.lock(manager, admin, id);
      const money = amount == null ? null : parseMoney(amount.trim(), order.currency);
      if (amount != null && money === null) throw new InvalidInputError('This is no amount of money', 'amount');
      const by = { id: admin.id, username: admin.username, note };
      const settled = await this.deps.refunds.settle(manager, order, { money, isMade }, by);
      await this.deps.auditLog.write(manager, admin, {
        action: 'refund',
        subject: 'user',
        id: order.userId,
        before: { state: 'pending' },
        after: {
          order: order.tradeNo,
          money: formatMoney(settled.money, order.currency),
          currency: order.currency,
          state: isMade ? 'done' : 'undone',
          note,
        },
      });
      return settled.changed;
    });
    await this.deps.credit.announce(changed);
    return this.deps.orders.findOneByOrFail({ id });
  }

  /** Locks an order whose buyer the admin outranks. */
  private async lock(manager: EntityManager, admin: Actor, id: number): Promise<TopUpOrder> {
    const order = await manager.findOne(TopUpOrder, { where: { id }, lock: { mode: 'for_no_key_update' } });
    if (!order) throw new NotFoundError('Order', id);
    await this.assertMayCredit(manager, admin, order);
    return order;
  }

  private async take(
    manager: EntityManager,
    admin: Actor,
    id: number,
    { amount, note, belowZero }: Omit<RefundInput, 'idempotencyKey'>,
  ): Promise<{ id: number; changed: number[] }> {
    const order = await this.lock(manager, admin, id);
    if (order.status !== 'success' || order.providerTradeNo === null) {
      throw new ConflictError('The gateway has no payment of this order', 'id');
    }
    this.deps.refunds.assertPossible(order);
    const left = order.money - order.refunded;
    if (left === 0) throw new ConflictError('This order is refunded already', 'id');
    const money = amount == null ? left : parseMoney(amount.trim(), order.currency);
    if (money === null || money <= 0 || money > left) {
      const most = `${formatMoney(left, order.currency)} ${order.currency}`;
      throw new InvalidInputError(`The amount must be above 0 and at most ${most}`, 'amount');
    }
    const by = { id: admin.id, username: admin.username, note, belowZero: belowZero ?? false };
    const taken = await this.deps.reversals.order(manager, order, money, by);
    await this.deps.auditLog.write(manager, admin, {
      action: 'refund',
      subject: 'user',
      id: order.userId,
      before: null,
      after: { order: order.tradeNo, money: formatMoney(money, order.currency), currency: order.currency, note },
    });
    return taken;
  }

  private async assertMayCredit(manager: EntityManager, admin: Actor, { userId }: TopUpOrder): Promise<void> {
    const buyer = await manager.findOneBy(User, { id: userId });
    if (!buyer) throw new NotFoundError('User', userId);
    if (!outranks(admin, rankOf(buyer))) {
      throw new ForbiddenError('You may not change the balance of a user of your rank or above');
    }
  }

  /**
   * The history of an order, oldest first.
   * @throws AppError INSUFFICIENT_PRIVILEGES
   */
  async events(actor: MaybeActor, id: number): Promise<OrderEvent[]> {
    requirePermission(actor, 'payments');
    return this.deps.orders.manager.find(OrderEvent, { where: { orderId: id }, order: { id: 'ASC' } });
  }

  /**
   * The refunds and disputes of some orders, oldest first.
   * @throws AppError INSUFFICIENT_PRIVILEGES
   */
  async reversals(actor: MaybeActor, ids: readonly number[]): Promise<TopUpReversal[]> {
    requirePermission(actor, 'payments');
    return this.deps.orders.manager.find(TopUpReversal, {
      where: { orderId: In([...ids]) },
      relations: { order: true, actor: true },
      order: { id: 'ASC' },
      withDeleted: true,
    });
  }

  /**
   * Exports orders as CSV, oldest first.
   * @throws AppError INSUFFICIENT_PRIVILEGES, CONFIRMATION_NEEDED, before the first piece
   */
  export(actor: MaybeActor, filter: OrderFilter): AsyncIterable<string> {
    requireConfirmed(requirePermission(actor, 'payments'));
    return csvPieces<ExportedOrder, ShownOrder>(orderColumns, {
      rowsPerRead: exportBatch,
      read: (behind) => this.readBehind(filter, behind?.order.id ?? 0),
      show: (rows) => rows.map((row) => ({ ...row, status: this.deps.wallet.statusOf(row.order) })),
    });
  }

  private async readBehind(filter: OrderFilter, id: number): Promise<ExportedOrder[]> {
    const select: SelectQueryBuilder<TopUpOrder> = this.deps.wallet.query(filter);
    const orders = await select
      .andWhere('one.id > :behind', { behind: id })
      .orderBy('one.id')
      .limit(exportBatch)
      .getMany();
    const facts = await this.deps.orders.manager.query<Array<Omit<ExportedOrder, 'order'> & { id: number }>>(
      `SELECT one.id, coalesce(buyer.username, '') AS username, marked.actor_name AS "markedBy", marked.detail AS note
         FROM top_up_orders one LEFT JOIN users buyer ON buyer.id = one.user_id
         LEFT JOIN top_up_events marked ON marked.order_id = one.id AND marked.kind = 'marked_paid'
        WHERE one.id = ANY ($1)`,
      [orders.map((order) => order.id)],
    );
    const factsOf = new Map(facts.map(({ id: orderId, ...rest }) => [orderId, rest]));
    return orders.map((order) => ({ username: '', markedBy: null, note: null, ...factsOf.get(order.id), order }));
  }
}

/** @throws InvalidInputError */
function noteOf(given: string, missing: string): string {
  const note = given.trim();
  if (note === '') throw new InvalidInputError(missing, 'note');
  if ([...note].length > maxNoteLength) {
    throw new InvalidInputError(`A note has at most ${maxNoteLength} characters`, 'note');
  }
  return note;
}

interface ExportedOrder {
  readonly order: TopUpOrder;
  readonly username: string;
  /** The admin who marked it as paid. */
  readonly markedBy: string | null;
  readonly note: string | null;
}

interface ShownOrder extends ExportedOrder {
  readonly status: OrderStatus;
}

const orderColumns: ReadonlyArray<CsvColumn<ShownOrder>> = [
  ['id', ({ order }) => order.id],
  ['trade_no', ({ order }) => order.tradeNo],
  ['user_id', ({ order }) => order.userId],
  ['username', ({ username }) => username],
  ['provider', ({ order }) => order.provider],
  ['method', ({ order }) => order.paymentMethod],
  ['status', ({ status }) => status],
  ['amount', ({ order }) => formatMoney(order.money, order.currency)],
  ['currency', ({ order }) => order.currency],
  ['quota', ({ order }) => order.quota],
  ['created_at', ({ order }) => order.createdAt.toISOString()],
  ['paid_at', ({ order }) => order.paidAt?.toISOString() ?? ''],
  ['payment', ({ order }) => order.providerTradeNo],
  ['marked_by', ({ markedBy }) => markedBy],
  ['note', ({ note }) => note],
  ['top_up_code', ({ order }) => order.topUpCode],
  ['refunded', ({ order }) => formatMoney(order.refunded, order.currency)],
];
