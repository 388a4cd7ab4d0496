import type { Logger } from 'pino';
import { type DataSource, type EntityManager, IsNull, LessThan, Not } from 'typeorm';
import type { Clock } from '../../shared/clock.js';
import { type AppError, ConflictError, InvalidInputError, isAppError } from '../../shared/errors.js';
import type { CreditService } from './credit.service.js';
import type { PaymentProviders } from './payment-providers.js';
import { RefundRefused } from './provider.js';
import type { RefundActor, Reversals } from './reversals.js';
import { TopUpOrder } from './top-up-order.entity.js';
import { keyOf, TopUpReversal } from './top-up-reversal.entity.js';

export interface RefundsDeps {
  readonly database: Pick<DataSource, 'transaction' | 'query' | 'manager'>;
  readonly providers: PaymentProviders;
  readonly reversals: Reversals;
  readonly credit: Pick<CreditService, 'announce'>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Milliseconds after which the call that sends a refund has ended. */
const longestSending = 60_000;

/** Sends refunds, whose quota is taken already, to their providers. */
export class Refunds {
  constructor(private readonly deps: RefundsDeps) {}

  /**
   * Sends a refund that is pending. If the provider refuses it, or nothing was sent, its quota is returned. If the outcome
   * is not known, it stays pending.
   * @param isRetry an earlier attempt may have reached the provider
   * @param signal aborts the call
   * @throws RefundRefused; AppError if nothing was sent, and the refund is not sent again
   */
  async send(id: number, isRetry = false, signal?: AbortSignal): Promise<void> {
    const { database, providers, logger } = this.deps;
    const where = { id, kind: 'refund', state: 'pending' } as const;
    const reversal = await database.manager.findOne(TopUpReversal, { where, relations: { order: true } });
    if (!reversal) return;
    const { order, money } = reversal;
    const provider = providers.named(order.provider);
    const refund = { key: keyOf(id), money, isRetry };
    try {
      const number = await provider.refund(order, refund, providers.contextOf(provider, signal));
      await database.query(
        `UPDATE top_up_reversals SET state = 'done', provider_id = coalesce(provider_id, $2)
          WHERE id = $1 AND state = 'pending'`,
        [id, number],
      );
    } catch (error) {
      const isOver = error instanceof RefundRefused || (!provider.repeatsRefunds && wasNotSent(error));
      if (isOver) {
        await this.undo(reversal, (error as AppError).message);
        throw error;
      }
      logger.warn({ err: error, tradeNo: order.tradeNo, refund: id }, 'outcome of a refund is not known');
    }
  }

  /** @throws ConflictError when the provider of an order is not set up for the account that was paid */
  assertPossible({ provider: name, merchantId }: TopUpOrder): void {
    const { providers } = this.deps;
    const provider = providers.list.find((one) => one.name === name);
    if (!provider || providers.accountOf(provider) !== merchantId) {
      throw new ConflictError('The gateway that was paid is not set up', 'id');
    }
  }

  /** Sends refunds again whose outcome is not known, if their provider makes a repeated one once. Never throws. */
  async retry(before: Date, { most, signal }: { readonly most: number; readonly signal: AbortSignal }): Promise<void> {
    const { database, providers, logger } = this.deps;
    const repeating = providers.list.filter(({ repeatsRefunds }) => repeatsRefunds).map(({ name }) => name);
    const rows = await database.query<Array<{ id: number }>>(
      `SELECT one.id FROM top_up_reversals one JOIN top_up_orders o ON o.id = one.order_id
        WHERE one.kind = 'refund' AND one.state = 'pending' AND one.actor_id IS NOT NULL AND one.created_at < $1
          AND o.provider = ANY ($2) ORDER BY one.id LIMIT $3`,
      [before, repeating, most],
    );
    for (const { id } of rows) {
      if (signal.aborted) return;
      await this.send(id, true, signal).catch((error: unknown) =>
        logger.warn({ err: error, refund: id }, 'refund refused'),
      );
    }
  }

  /**
   * Ends a refund whose outcome the provider did not report and does not report later, as an admin found it there. Runs in
   * the caller's transaction, which has locked the order.
   * @param found the amount, if several are open, and whether the money went back
   * @returns the money, and ids of users whose balance changed
   * @throws AppError CONFLICT (no such refund, or it is sent again), INVALID_INPUT (several of different amounts)
   */
  async settle(
    manager: EntityManager,
    order: TopUpOrder,
    found: { readonly money: number | null; readonly isMade: boolean },
    by: Omit<RefundActor, 'belowZero'>,
  ): Promise<{ readonly money: number; readonly changed: number[] }> {
    const { clock, providers, reversals } = this.deps;
    if (providers.named(order.provider).repeatsRefunds) {
      throw new ConflictError('The server finds out itself whether this gateway made a refund', 'id');
    }
    const ordered = { orderId: order.id, kind: 'refund', state: 'pending', actorId: Not(IsNull()) } as const;
    const createdAt = LessThan(new Date(clock.now() - longestSending));
    const where = { ...ordered, createdAt, ...(found.money === null ? {} : { money: found.money }) };
    const open = await manager.find(TopUpReversal, { where, order: { id: 'ASC' } });
    const [refund] = open;
    if (!refund) throw new ConflictError('No refund of this order has waited for a minute', 'id');
    if (open.some(({ money }) => money !== refund.money)) {
      throw new InvalidInputError('Several refunds of this order are open: write the amount of one', 'amount');
    }
    if (!found.isMade) {
      return { money: refund.money, changed: await reversals.undo(manager, order, refund, null, undefined, by) };
    }
    await manager.update(TopUpReversal, { id: refund.id }, { state: 'done' });
    return { money: refund.money, changed: [] };
  }

  private async undo({ id, orderId }: TopUpReversal, reason: string): Promise<void> {
    const changed = await this.deps.database.transaction(async (manager) => {
      const order = await manager.findOneOrFail(TopUpOrder, {
        where: { id: orderId },
        lock: { mode: 'for_no_key_update' },
      });
      const open = await manager.findOneBy(TopUpReversal, { id, state: 'pending' });
      return open ? this.deps.reversals.undo(manager, order, open, null, reason) : [];
    });
    await this.deps.credit.announce(changed);
  }
}

/** Whether a call failed before a connection was there: its address was refused, has no host, or nothing listens there. */
function wasNotSent(error: unknown): boolean {
  if (!isAppError(error)) return false;
  const code = (error.cause as { code?: string } | undefined)?.code ?? '';
  return error.code === 'INVALID_INPUT' || ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED'].includes(code);
}
