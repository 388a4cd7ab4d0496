import { durationBounds } from '../../shared/latency.js';
import { storableJson } from '../../shared/json.js';
import { maxQuota } from '../../shared/quota.js';
import { toHoldRows, toLostHoldRows } from './budget-holds.js';
import type { Charge, Reservation, ReserveRequest } from './ledger.js';

// The lines are the input of the ledger's SQL functions: one JSON object per call. A settlement is written once and used
// for both the batch and the spool. Names match the `ledger_*` functions in the migrations.

/** The settlement of one call, ready for the database and for the spool. */
export interface SettleLine {
  readonly requestId: string;
  readonly userId: number;
  /** JSON text of one row of `ledger_settle_one`, `ledger_settle_calls` and `ledger_settle_lost`. */
  readonly json: string;
  /** Set when a plan pays. The balance that the database reports was read before. */
  readonly isOfPlan?: true;
  /**
   * Ids of budgets whose holds are released before, because their channels did not serve the call. Absent for nearly
   * all calls.
   */
  readonly drop?: readonly number[];
}

/** Whether an amount can be reserved or charged. */
export const isCharge = (amount: number): boolean => Number.isInteger(amount) && amount >= 0 && amount <= maxQuota;

/** The largest count of tokens that a column of a log row holds. Only a batch has more; its lines in `other` are exact. */
export const maxTokens = 2 ** 31 - 1;
const tokens = (count: number): number => Math.min(count, maxTokens);

/**
 * Returns the settlement of one call.
 * @param settledAt Unix seconds
 */
export function toSettleLine(reservation: Reservation, charge: Charge, settledAt: number): SettleLine {
  const durationMs = Math.max(0, Math.round(charge.durationMs));
  return {
    requestId: reservation.requestId,
    userId: reservation.userId,
    ...(reservation.subscriptionId === undefined ? {} : { isOfPlan: true }),
    // A name chosen by a client or a provider must never prevent a charge.
    json: storableJson({
      request_id: reservation.requestId,
      user_id: reservation.userId,
      token_id: reservation.tokenId,
      charge: charge.quota,
      // Undefined fields are not written.
      rest: charge.rest || undefined,
      // A plan pays the whole charge, so no part of it depends on the balance.
      least: reservation.subscriptionId === undefined ? charge.least : undefined,
      counted: charge.counted ? 1 : 0,
      logged: charge.logged,
      created_at: settledAt,
      channel_id: charge.channelId,
      username: charge.username,
      token_name: charge.tokenName,
      model_name: charge.modelName,
      group: charge.group,
      prompt_tokens: tokens(charge.promptTokens),
      completion_tokens: tokens(charge.completionTokens),
      cached_tokens: tokens(charge.cachedTokens),
      duration_ms: durationMs,
      duration_bucket: durationBucket(durationMs),
      // The bucket is null when the time is unknown, as in spool files of earlier builds.
      first_token_bucket: charge.firstTokenMs == null ? null : durationBucket(charge.firstTokenMs),
      cost_nano_usd: nanoUsd(charge.upstreamUsd),
      is_stream: charge.isStream,
      content: charge.content,
      other: charge.other,
      // The value is undefined for calls without a budget.
      budget_holds: reservation.budgets && toLostHoldRows(reservation.budgets, reservation),
    }),
  };
}

/** Returns the index of the bucket of `durationBounds` for a duration in milliseconds. */
export function durationBucket(milliseconds: number): number {
  const index = durationBounds.findIndex((bound) => milliseconds <= bound);
  return index < 0 ? durationBounds.length : index;
}

/**
 * Converts USD to billionths. Returns null for values that no provider charges: unknown, negative, or too large to
 * store.
 */
function nanoUsd(usd: number | undefined): number | null {
  if (usd === undefined || !(usd >= 0)) return null;
  const nano = Math.round(usd * 1e9);
  return Number.isSafeInteger(nano) ? nano : null;
}

/** Returns the reservation of one call. */
export function toReserveJson(request: ReserveRequest): string {
  return storableJson({
    r: request.requestId,
    n: request.modelName ?? '',
    u: request.userId,
    t: request.tokenId,
    a: request.amount,
    // `m` is the minimum balance: a priced call whose estimate rounds to 0 still needs one unit.
    m: request.priced ? Math.max(1, request.amount) : 0,
    b: request.budgets && toHoldRows(request.budgets),
    p: request.subscriptionId,
  });
}

/** Returns one line of a spool file, with the newline. */
export function toSpoolText(line: SettleLine): string {
  const drop = line.drop ? `,"d":${JSON.stringify(line.drop)}` : '';
  return `{"u":${line.userId},"s":${line.json}${drop}}`;
}

/**
 * Parses one line of a spool file.
 * @returns null for a line that a crash cut off; its call never got a response
 */
export function fromSpoolText(text: string): SettleLine | null {
  try {
    const parsed = JSON.parse(text) as { u: number; s: { request_id: string }; d?: number[] };
    const line = { requestId: parsed.s.request_id, userId: parsed.u, json: JSON.stringify(parsed.s) };
    return parsed.d ? { ...line, drop: parsed.d } : line;
  } catch {
    return null;
  }
}
