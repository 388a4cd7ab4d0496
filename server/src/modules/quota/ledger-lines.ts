import { durationBucket } from '../../shared/latency.js';
import { storableJson } from '../../shared/json.js';
import type { Charge, Reservation, ReserveRequest } from './ledger.service.js';

/**
 * Input of the ledger's SQL functions: one JSON object per call, written once and used for both the batch and the
 * spool. Names match the `ledger_*` functions in the migrations.
 */
export interface SettleLine {
  readonly requestId: string;
  readonly userId: number;
  /** JSON text of one row of `ledger_settle_one`, `ledger_settle_calls` and `ledger_settle_lost`. */
  readonly json: string;
}

/**
 * The settlement of one call.
 * @param settledAt Unix seconds
 */
export function toSettleLine(reservation: Reservation, charge: Charge, settledAt: number): SettleLine {
  const durationMs = Math.max(0, Math.round(charge.durationMs));
  return {
    requestId: reservation.requestId,
    userId: reservation.userId,
    // A name chosen by a client or a provider must never prevent a charge.
    json: storableJson({
      request_id: reservation.requestId,
      user_id: reservation.userId,
      token_id: reservation.tokenId,
      charge: charge.quota,
      counted: charge.counted ? 1 : 0,
      logged: charge.logged,
      created_at: settledAt,
      channel_id: charge.channelId,
      username: charge.username,
      token_name: charge.tokenName,
      model_name: charge.modelName,
      group: charge.group,
      prompt_tokens: charge.promptTokens,
      completion_tokens: charge.completionTokens,
      cached_tokens: charge.cachedTokens,
      duration_ms: durationMs,
      duration_bucket: durationBucket(durationMs),
      // Null where unknown, as in spool files of earlier builds.
      first_token_bucket: charge.firstTokenMs == null ? null : durationBucket(charge.firstTokenMs),
      cost_nano_usd: nanoUsd(charge.upstreamUsd),
      is_stream: charge.isStream,
      content: charge.content,
      other: charge.other,
    }),
  };
}

/** USD in billionths. Null for values that no provider charges: unknown, negative, or too large to store. */
function nanoUsd(usd: number | undefined): number | null {
  if (usd === undefined || !(usd >= 0)) return null;
  const nano = Math.round(usd * 1e9);
  return Number.isSafeInteger(nano) ? nano : null;
}

export function toReserveJson(request: ReserveRequest): string {
  return storableJson({
    r: request.requestId,
    n: request.modelName ?? '',
    u: request.userId,
    t: request.tokenId,
    a: request.amount,
    // The minimum balance: a priced call whose estimate rounds to 0 still needs one unit.
    m: request.priced ? Math.max(1, request.amount) : 0,
  });
}

/** One line of a spool file, with the newline. */
export function toSpoolText(line: SettleLine): string {
  return `{"u":${line.userId},"s":${line.json}}`;
}

/** @returns null for a line that a crash cut off; its call never got a response */
export function fromSpoolText(text: string): SettleLine | null {
  try {
    const parsed = JSON.parse(text) as { u: number; s: { request_id: string } };
    return { requestId: parsed.s.request_id, userId: parsed.u, json: JSON.stringify(parsed.s) };
  } catch {
    return null;
  }
}
