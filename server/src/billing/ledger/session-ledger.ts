import { seconds, type Clock } from '../../shared/clock.js';
import { AppError } from '../../shared/errors.js';
import type { BudgetHold } from './budget-holds.js';
import type { UnsettledCharge } from './charge-checkpoints.js';
import { isCharge, toSettleLine } from './ledger-lines.js';
import type { Charge, Ledger, Reservation, ReserveRequest, Settled, Transaction } from './ledger.js';

interface SessionLogger {
  warn(details: object, message: string): void;
}

export interface SessionLedgerDeps {
  readonly database: Transaction;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly logger: SessionLogger;
}

/** A payer of turns of a session: the balance or a plan. Turns of one payer share a log row. */
export interface SessionPayer {
  /** Distinguishes the payers of a session. A part of the request id of their log rows, apart from the first one. */
  readonly name: string;
  /** The subscription that pays. Absent when the balance does. */
  readonly subscriptionId?: number;
  /**
   * Returns the amounts that a turn reserves in budgets.
   * @param money quota
   */
  readonly holds?: (money: number, tokens: number) => readonly BudgetHold[] | undefined;
  /** Whether only the number of requests bounds what the payer pays. */
  readonly countsOnlyRequests?: boolean;
  /** The group ratio of the payer's turns. Absent: the ratio of the session. */
  readonly groupRatio?: number;
  /** `plan_overflow` of the log row. Absent when the balance does not pay in place of a plan. */
  readonly overflow?: object | undefined;
}

interface SessionOpening {
  /**
   * Whether each charge of it is a request. Otherwise the responses are the requests, and the session only has to find
   * room for one when it opens.
   */
  readonly isTurn: boolean;
  readonly isFirst?: boolean;
  readonly payer?: SessionPayer;
}

/** The reservation of a turn. */
export interface TurnReservation extends Reservation {
  readonly payer: SessionPayer;
}

export const balancePayer: SessionPayer = { name: 'balance' };

interface SessionRow {
  readonly requestId: string;
  /** Time of the log row in Unix seconds, 0 before it exists. */
  loggedAt: number;
}

/**
 * Charges one realtime session: one reservation for the session, and one for each response. All turns of a payer share
 * one log row with their totals. Reservations may be made in parallel; the caller awaits each settlement.
 */
export class SessionLedger {
  private count = 0;
  private own: TurnReservation | null = null;
  /** Log rows by payer. */
  private readonly rows = new Map<string, SessionRow>();

  constructor(
    private readonly deps: SessionLedgerDeps,
    private readonly session: Omit<ReserveRequest, 'amount' | 'priced' | 'budgets'>,
  ) {}

  /**
   * Reserves the maximum cost of a turn.
   * @param tokens reserved in token budgets
   * @param isRequest whether request budgets count it
   * @throws AppError INSUFFICIENT_QUOTA, INSUFFICIENT_TOKEN_QUOTA, BudgetError, SubscriptionEndedError,
   * SERVICE_UNAVAILABLE
   */
  async reserve(
    amount: number,
    priced: boolean,
    tokens: number,
    { isRequest = true, payer = balancePayer }: { readonly isRequest?: boolean; readonly payer?: SessionPayer } = {},
  ): Promise<TurnReservation> {
    const requestId = `${this.session.requestId}-${++this.count}`;
    // A priced turn may be the one that charges the user's accumulated fraction.
    const held = priced ? Math.max(1, amount) : amount;
    const budgets = payer.holds?.(held, tokens)?.filter((each) => isRequest || !countsRequests(each));
    const { subscriptionId } = payer;
    const request = { ...this.session, requestId, amount: held, priced, durable: true };
    const budgeted = budgets ? { ...request, budgets } : request;
    const paid = subscriptionId === undefined ? budgeted : { ...budgeted, budgets: budgets ?? [], subscriptionId };
    return { ...(await this.deps.ledger.reserve(paid)), payer };
  }

  /** Number of reservations so far. */
  get reservations(): number {
    return this.count;
  }

  /**
   * Reserves the cost of the session itself: its time, and transcription.
   * @throws like `reserve`
   */
  async open(
    amount: number,
    priced: boolean,
    tokens: number,
    { isTurn, isFirst = this.count === 0, payer = balancePayer }: SessionOpening,
  ): Promise<void> {
    // The speech beside the responses is bounded by no other window.
    const isSpeech = !isFirst && payer.countsOnlyRequests === true;
    const own = await this.reserve(amount, priced, tokens, { isRequest: isTurn || isFirst || isSpeech, payer });
    this.own = own;
    const requests = isTurn || isSpeech ? [] : (own.budgets ?? []).filter(countsRequests);
    if (requests.length > 0) await this.deps.ledger.dropBudgets(own.requestId, requests);
  }

  /** The reservation of the session itself; null after it was settled. */
  get opened(): TurnReservation | null {
    return this.own;
  }

  /**
   * Charges a reserved turn exactly once.
   * @throws AppError INTERNAL_ERROR for a negative or unstorable charge: the reservation stays
   */
  async settle(held: TurnReservation, charge: Charge): Promise<Settled> {
    // The amount stays reserved. The sweeper releases it at the latest.
    if (!isCharge(charge.quota)) {
      throw new AppError('INTERNAL_ERROR', `invalid amount to charge: ${charge.quota}`);
    }
    if (held === this.own) this.own = null;
    const { database, ledger, clock, logger } = this.deps;
    const at = seconds(clock);
    const line = toSettleLine(held, charge, at);
    const row = this.rowOf(held);
    let settled: { user_quota: string; uncharged: string } | undefined;
    try {
      const rows = (await database.query('SELECT user_quota, uncharged FROM ledger_settle_turn($1::json, $2, $3)', [
        line.json,
        row.requestId,
        row.loggedAt,
      ])) as Array<{ user_quota: string; uncharged: string }>;
      settled = rows[0];
      if (charge.logged && row.loggedAt === 0) row.loggedAt = at;
    } catch (error) {
      // The ledger stores a settlement that the database does not accept now. This turn then gets its own log row. If
      // it was charged after all, its reservation no longer exists, and the second settlement changes nothing.
      logger.warn({ err: error, requestId: held.requestId }, 'turn is settled through the ledger queue');
      return ledger.settle(held, charge);
    }
    // The turn is settled, so nothing is released: this removes the reservation from the ledger's memory.
    await ledger.release(held);
    return settled
      ? { userQuota: line.isOfPlan ? null : Number(settled.user_quota), uncharged: Number(settled.uncharged) }
      : { userQuota: null, uncharged: 0 };
  }

  /**
   * Returns what the sweeper charges for a reservation if this server is killed.
   * @param charge null when nothing is due
   */
  unsettled(held: TurnReservation, charge: Charge | null): UnsettledCharge {
    const { requestId } = held;
    if (!charge) return { requestId, due: null };
    const { json } = toSettleLine(held, charge, seconds(this.deps.clock));
    return { requestId, due: `{"session":${JSON.stringify(this.rowOf(held).requestId)},"turn":${json}}` };
  }

  private rowOf({ payer: { name } }: TurnReservation): SessionRow {
    const { requestId } = this.session;
    const known = this.rows.get(name);
    const row = known ?? { requestId: this.rows.size === 0 ? requestId : `${requestId}-${name}`, loggedAt: 0 };
    if (!known) this.rows.set(name, row);
    return row;
  }

  /** Releases the reservation of a response that never began. */
  release(held: Reservation): Promise<void> {
    return this.deps.ledger.release(held);
  }

  /** Releases the reservation of the session itself. */
  async close(): Promise<void> {
    const { own } = this;
    this.own = null;
    if (own) await this.release(own);
  }
}

const countsRequests = ({ kind }: BudgetHold): boolean => kind === 'requests';
