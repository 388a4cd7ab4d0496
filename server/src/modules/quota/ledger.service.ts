/**
 * The only writer of a balance. Every amount is an integer quota. See `docs/adr` and the migration `ledger`.
 */
export interface Ledger {
  /**
   * Takes `amount` from the user and the token in one guarded step before the upstream is called.
   * @throws AppError INSUFFICIENT_QUOTA, INSUFFICIENT_TOKEN_QUOTA; SERVICE_UNAVAILABLE when the database is away
   */
  reserve(request: ReserveRequest): Promise<Reservation>;
  /**
   * Charges a call exactly once: true-up, counters, log row and rollup in one transaction. A replay changes nothing.
   * Resolves when the charge is durable (committed, or fsynced to the spool while the database is away).
   */
  settle(reservation: Reservation, charge: Charge): Promise<Settled>;
  /** Gives everything back. Never throws: what cannot be released now is retried, and swept at the latest. */
  release(reservation: Reservation): Promise<void>;
}

export interface ReserveRequest {
  readonly requestId: string;
  readonly userId: number;
  /** 0: no token pays (playground). */
  readonly tokenId: number;
  /** For lists of calls in flight. */
  readonly modelName?: string;
  readonly amount: number;
  /** A priced call needs a positive balance even when its reservation rounds to 0; a free one needs none. */
  readonly priced: boolean;
  /**
   * The hold must outlive a crash of the database, because it is settled within another row's transaction. Waits for the
   * disk; the others do not, and lose nothing by it.
   */
  readonly durable?: boolean;
}

export interface Reservation extends ReserveRequest {
  readonly reservedAt: number;
}

export interface Charge {
  readonly quota: number;
  /**
   * False for a call that counts nowhere (zero guard of docs/reference/relay/billing.md#settlement): only its log row
   * is written.
   */
  readonly counted: boolean;
  /** Option LogConsumeEnabled. */
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
  /** Milliseconds until the provider's first data; null or absent for responses that came in one piece. */
  readonly firstTokenMs?: number | null;
  /** What the provider charged for the call, if it reports that. */
  readonly upstreamUsd?: number | undefined;
  readonly isStream: boolean;
  readonly content: string;
  /** Keys of docs/reference/relay/usage-log.md#the-other-field. */
  readonly other: Record<string, unknown>;
}

export interface Settled {
  /** The user's balance after; null when it is not known (spooled, or settled before). */
  readonly userQuota: number | null;
}

/** Every movement that is not a call. `source` is unique: a replay books nothing. */
export interface Posting {
  /** `redemption:<code>:<user>`, `epay:<order>`, `checkin:<user>:<day>` … */
  readonly source: string;
  readonly kind:
    | 'opening'
    | 'admin_grant'
    | 'top_up'
    | 'redemption'
    | 'check_in'
    | 'invite'
    | 'transfer'
    | 'rebate'
    | 'refund'
    | 'token_limit';
  readonly userId: number;
  /** What is moved: by default the user's balance, or the token's remaining quota when `tokenId` is set. */
  readonly account?: 'user' | 'token' | 'affiliate';
  readonly tokenId?: number;
  readonly amount: number;
  readonly actorId?: number;
  readonly note?: string;
  /** Refuse when the balance would fall below. */
  readonly floor?: number;
}

/** Anything with `query(sql, params)` inside the caller's transaction: TypeORM's EntityManager. */
export interface Transaction {
  query(sql: string, parameters?: unknown[]): Promise<unknown>;
}

/** @returns the balance after, or null when this source was booked before @throws AppError INSUFFICIENT_QUOTA at the floor */
export type PostEntry = (transaction: Transaction, posting: Posting) => Promise<number | null>;
