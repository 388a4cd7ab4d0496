import type { EntityManager, Repository, SelectQueryBuilder } from 'typeorm';
import {
  outranks,
  rankOf,
  requireConfirmed,
  requirePermission,
  type Actor,
  type MaybeActor,
  type Role,
} from '../../shared/actor.js';
import type { AuditLog } from '../../shared/audit.js';
import { csvLine } from '../../shared/csv.js';
import { ConflictError, ForbiddenError, InvalidInputError, NotFoundError } from '../../shared/errors.js';
import {
  creditOrder,
  type CreditService,
  formatMoney,
  type OrderEvent,
  type OrderFilter,
  readOrderEvents,
  recordOrderEvent,
  TopUpOrder,
} from '../../billing/payments/index.js';
import type { Clock } from '../../shared/clock.js';
import type { WalletService } from './wallet.service.js';

export interface OrderDeps {
  readonly orders: Repository<TopUpOrder>;
  readonly wallet: Pick<WalletService, 'query' | 'statusOf'>;
  readonly credit: CreditService;
  readonly auditLog: AuditLog;
  readonly clock: Clock;
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
    const note = given.trim();
    if (note === '') throw new InvalidInputError('Write how you know of the payment', 'note');
    if ([...note].length > maxNoteLength) {
      throw new InvalidInputError(`A note has at most ${maxNoteLength} characters`, 'note');
    }
    const credited = await this.deps.orders.manager.transaction((manager) => this.pay(manager, admin, id, note));
    await this.deps.credit.announce(credited);
    return this.deps.orders.findOneByOrFail({ id });
  }

  /** @returns ids of users whose balance changed */
  private async pay(manager: EntityManager, admin: Actor, id: number, note: string): Promise<number[]> {
    // The lock is the same as that of a callback: the later one of both finds the order paid.
    const order = await manager.findOne(TopUpOrder, { where: { id }, lock: { mode: 'for_no_key_update' } });
    if (!order) throw new NotFoundError('Order', id);
    await this.assertMayCredit(manager, admin, order);
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

  private async assertMayCredit(manager: EntityManager, admin: Actor, { userId }: TopUpOrder): Promise<void> {
    const [buyer] = await manager.query<Array<{ role: Role; customRoleId: number | null }>>(
      'SELECT role, custom_role_id AS "customRoleId" FROM users WHERE id = $1 AND deleted_at IS NULL',
      [userId],
    );
    if (!buyer) throw new NotFoundError('User', userId);
    if (!outranks(admin, rankOf(buyer))) {
      throw new ForbiddenError('You may not credit a user of your rank or above');
    }
  }

  /**
   * The history of an order, oldest first.
   * @throws AppError INSUFFICIENT_PRIVILEGES
   */
  async events(actor: MaybeActor, id: number): Promise<OrderEvent[]> {
    requirePermission(actor, 'payments');
    return readOrderEvents(this.deps.orders.manager, id);
  }

  /**
   * Exports orders as CSV, oldest first.
   * @throws AppError INSUFFICIENT_PRIVILEGES, CONFIRMATION_NEEDED, before the first piece
   */
  export(actor: MaybeActor, filter: OrderFilter): AsyncIterable<string> {
    requireConfirmed(requirePermission(actor, 'payments'));
    return this.pieces(filter);
  }

  private async *pieces(filter: OrderFilter): AsyncGenerator<string> {
    // The first rows are read before anything is sent, so that a failure is returned as an error response.
    let rows = await this.readBehind(filter, 0);
    yield csvLine(columns);
    for (let last = rows.at(-1); last; last = rows.at(-1)) {
      yield rows.map((row) => this.lineOf(row)).join('');
      rows = rows.length === exportBatch ? await this.readBehind(filter, last.order.id) : [];
    }
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

  private lineOf({ order, username, markedBy, note }: ExportedOrder): string {
    return csvLine([
      ...[order.id, order.tradeNo, order.userId, username, order.provider, order.paymentMethod],
      ...[this.deps.wallet.statusOf(order), formatMoney(order.money, order.currency), order.currency, order.quota],
      ...[
        order.createdAt.toISOString(),
        order.paidAt?.toISOString() ?? '',
        order.providerTradeNo,
        markedBy,
        note,
        order.topUpCode,
      ],
    ]);
  }
}

interface ExportedOrder {
  readonly order: TopUpOrder;
  readonly username: string;
  /** The admin who marked it as paid. */
  readonly markedBy: string | null;
  readonly note: string | null;
}

const columns = [
  ...['id', 'trade_no', 'user_id', 'username', 'provider', 'method', 'status', 'amount', 'currency', 'quota'],
  ...['created_at', 'paid_at', 'payment', 'marked_by', 'note', 'top_up_code'],
];
