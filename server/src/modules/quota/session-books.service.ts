import { seconds, type Clock } from '../../shared/clock.js';
import { AppError } from '../../shared/errors.js';
import { isQuota } from '../../shared/quota.js';
import type { BudgetHold } from './budget-holds.service.js';
import { toSettleLine } from './ledger-sql.js';
import type { Charge, Ledger, Reservation, ReserveRequest, Settled, Transaction } from './ledger.service.js';

interface SessionLogger {
  warn(details: object, message: string): void;
}

export interface SessionBooksDeps {
  readonly database: Transaction;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly logger: SessionLogger;
}

/**
 * Charges one realtime session: a reservation per turn, settled when the turn ends. All turns share one log row with
 * their totals. Not concurrent: the caller awaits each call.
 */
export class SessionBooks {
  private turn = 0;
  private held: Reservation | null = null;
  /** Time of the log row in Unix seconds, 0 before it exists. */
  private loggedAt = 0;

  constructor(
    private readonly deps: SessionBooksDeps,
    private readonly session: Omit<ReserveRequest, 'amount' | 'priced' | 'budgets'>,
    /** The amounts that a turn takes of the budgets of its caller. @param money quota */
    private readonly holdsFor?: (money: number) => readonly BudgetHold[] | undefined,
  ) {}

  /**
   * Reserves the maximum cost of the next turn.
   * @throws AppError INSUFFICIENT_QUOTA, INSUFFICIENT_TOKEN_QUOTA, BudgetError, SERVICE_UNAVAILABLE
   */
  async reserve(amount: number, priced: boolean): Promise<void> {
    const requestId = `${this.session.requestId}-${this.turn + 1}`;
    // A priced turn may be the one that charges what its user carries.
    const held = priced ? Math.max(1, amount) : amount;
    const budgets = this.holdsFor?.(held);
    const request = { ...this.session, requestId, amount: held, priced, durable: true };
    this.held = await this.deps.ledger.reserve(budgets ? { ...request, budgets } : request);
    this.turn++;
  }

  /** Whether a turn is reserved and not yet settled. */
  get isOpen(): boolean {
    return this.held !== null;
  }

  /**
   * Charges the reserved turn exactly once, whatever the balance.
   * @throws AppError INTERNAL_ERROR for a negative or unstorable charge: the reservation stays
   */
  async settle(charge: Charge): Promise<Settled> {
    const { held } = this;
    if (!held) return { userQuota: null, uncharged: 0 };
    // Still held: `close` releases it.
    if (!isQuota(charge.quota) || charge.quota < 0) {
      throw new AppError('INTERNAL_ERROR', `invalid amount to charge: ${charge.quota}`);
    }
    this.held = null;
    const { database, ledger, clock, logger } = this.deps;
    const at = seconds(clock);
    const line = toSettleLine(held, charge, at);
    let balance: string | undefined;
    try {
      const rows = (await database.query('SELECT user_quota FROM ledger_settle_turn($1::json, $2, $3)', [
        line.json,
        this.session.requestId,
        this.loggedAt,
      ])) as Array<{ user_quota: string }>;
      balance = rows[0]?.user_quota;
      if (charge.logged && this.loggedAt === 0) this.loggedAt = at;
    } catch (error) {
      // The ledger stores what the database does not accept now; this turn then gets its own log row. If it was charged
      // after all, its reservation no longer exists, and the second settlement changes nothing.
      logger.warn({ err: error, requestId: held.requestId }, 'turn is settled through the ledger queue');
      return ledger.settle(held, charge);
    }
    // Settled, so nothing is returned: this removes the reservation from the ledger's memory.
    await ledger.release(held);
    return { userQuota: balance === undefined ? null : Number(balance), uncharged: 0 };
  }

  /** Releases the reservation of the last turn. */
  async close(): Promise<void> {
    const { held } = this;
    this.held = null;
    if (held) await this.deps.ledger.release(held);
  }
}
