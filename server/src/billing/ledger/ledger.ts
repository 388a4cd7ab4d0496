import { AppError } from '../../shared/errors.js';
import type { BudgetHold, BudgetRefusal } from './budget-holds.js';

/**
 * The only writer of a balance. Every amount is an integer quota. See `docs/adr` and
 * `platform/db/migrations/ledger-functions.ts`.
 */
export interface Ledger {
  /**
   * Reserves `amount` of the user and the token in one atomic step, before the provider is called.
   * @throws AppError INSUFFICIENT_QUOTA, INSUFFICIENT_TOKEN_QUOTA, BudgetError, SubscriptionEndedError;
   * SERVICE_UNAVAILABLE while the database is unavailable
   */
  reserve(request: ReserveRequest): Promise<Reservation>;
  /**
   * Charges a call exactly once: the difference to the reservation, counters, log row and hourly usage in one
   * transaction. A replay changes nothing. Resolves when the charge is durable: committed, or fsynced to the spool
   * while the database is unavailable.
   */
  settle(reservation: Reservation, charge: Charge): Promise<Settled>;
  /**
   * Releases the whole reservation. Never throws: a failed release is retried, and the sweeper releases it at the
   * latest.
   */
  release(reservation: Reservation): Promise<void>;
  /**
   * Adds holds of budgets to a reservation, for the channel that is about to serve its call.
   * @returns the budget that has no room; then nothing is reserved
   * @throws AppError SERVICE_UNAVAILABLE
   */
  addBudgets(requestId: string, holds: readonly BudgetHold[]): Promise<BudgetRefusal | null>;
  /**
   * Releases holds of `addBudgets`, because the channel did not serve the call. The call's next `addBudgets` and its
   * end wait for it. Never throws: holds that cannot be released now are released with the reservation's release or
   * settlement.
   */
  dropBudgets(requestId: string, holds: readonly BudgetHold[]): Promise<void>;
}

/** Why a reservation was refused, with the amounts. The relay formats them in the site's currency. */
export class QuotaError extends AppError {
  declare readonly code: 'INSUFFICIENT_QUOTA' | 'INSUFFICIENT_TOKEN_QUOTA';

  constructor(
    code: 'INSUFFICIENT_QUOTA' | 'INSUFFICIENT_TOKEN_QUOTA',
    readonly available: number,
    readonly needed: number,
  ) {
    super(code, code === 'INSUFFICIENT_QUOTA' ? 'user quota is not enough' : 'token quota is not enough');
  }
}

/** The subscription that was to pay for a call has ended. */
export class SubscriptionEndedError extends AppError {
  constructor(readonly subscriptionId: number) {
    super('CONFLICT', 'the plan has ended');
  }
}

/** An amount to reserve before a call. */
export interface ReserveRequest {
  readonly requestId: string;
  readonly userId: number;
  /** The token to charge; 0 when no token is charged (playground). */
  readonly tokenId: number;
  /** The model, which is shown in lists of calls in flight. */
  readonly modelName?: string;
  readonly amount: number;
  /**
   * Whether the call is priced. A priced call needs a positive balance even when its reservation rounds to 0; a free
   * call needs none.
   */
  readonly priced: boolean;
  /**
   * Whether the reservation must survive a database crash, because it is settled within another row's transaction. It
   * then waits for the disk. Other reservations need not wait, because their loss costs nothing.
   */
  readonly durable?: boolean;
  /** The amounts that the call reserves in its budgets. Absent for calls without a budget, which have no extra cost. */
  readonly budgets?: readonly BudgetHold[];
  /** The subscription that pays instead of the user's balance. `budgets` then has its windows. */
  readonly subscriptionId?: number;
}

/** A reservation that the ledger made. */
export interface Reservation extends ReserveRequest {
  readonly reservedAt: number;
}

/** The final charge of a call, with the fields of its log row. */
export interface Charge {
  readonly quota: number;
  /**
   * The price minus `quota`, in billionths of a quota unit, between -10^9 and 10^9. The ledger accumulates it for the
   * user, and charges a unit more or less when the fractions add up to one. Absent when there is none.
   */
  readonly rest?: number;
  /**
   * The part that is charged whatever the balance is. The rest is charged as far as the balance and the key's limit
   * cover it, in the same transaction; the log row then has `uncharged_quota`. Absent when the whole charge is
   * independent of the balance.
   */
  readonly least?: number;
  /**
   * False for a call that no counter includes (zero guard of docs/reference/relay/billing.md#settlement): only its log
   * row is written.
   */
  readonly counted: boolean;
  /** Whether the log row is written (option LogConsumeEnabled). */
  readonly logged: boolean;
  readonly channelId: number;
  readonly username: string;
  readonly tokenName: string;
  readonly modelName: string;
  readonly group: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly durationMs: number;
  /** Milliseconds until the provider's first data; null or absent for non-streaming responses. */
  readonly firstTokenMs?: number | null;
  /** The cost of the call in USD, if it is known. */
  readonly upstreamUsd?: number | undefined;
  readonly isStream: boolean;
  readonly content: string;
  /** Keys of docs/reference/relay/usage-log.md#the-other-field. */
  readonly other: Record<string, unknown>;
}

/** The result of a settlement. */
export interface Settled {
  /** The user's new balance; null when unknown (spooled, settled before, or beside a call that a plan paid). */
  readonly userQuota: number | null;
  /** Quota of the charge that the balance did not have. 0 while it is unknown. */
  readonly uncharged: number;
}

/** Kinds of movements. Statements have a name for each that changes the balance of a user, in every language. */
export const entryKinds = [
  ...(['opening', 'admin_grant', 'top_up', 'redemption', 'check_in', 'invite', 'transfer', 'rebate'] as const),
  ...(['refund', 'plan', 'token_limit'] as const),
];
export type EntryKind = (typeof entryKinds)[number];

/** A movement that is not a call. `source` is unique: repeating it changes nothing. */
export interface Posting {
  /** The unique source of the entry, such as `redemption:<code>:<user>`, `<payment provider>:<order>` or `checkin:<user>:<day>`. */
  readonly source: string;
  readonly kind: EntryKind;
  readonly userId: number;
  /** The account: by default the user's balance, or the token's remaining quota when `tokenId` is set. */
  readonly account?: 'user' | 'token' | 'affiliate';
  readonly tokenId?: number;
  readonly amount: number;
  readonly actorId?: number;
  readonly note?: string;
  /** The movement is refused if the balance would fall below this value. */
  readonly floor?: number;
}

/** Runs SQL inside the caller's transaction, such as TypeORM's EntityManager. */
export interface Transaction {
  query(sql: string, parameters?: unknown[]): Promise<unknown>;
}

/**
 * Posts an entry.
 * @returns the new balance, or null when this source was posted before
 * @throws AppError INSUFFICIENT_QUOTA below the floor
 */
export type PostEntry = (transaction: Transaction, posting: Posting) => Promise<number | null>;
