import { isAppError } from '../../../shared/errors.js';
import { RelayError } from '../../../dialects/errors/relay-error.js';
import { UpstreamError } from '../../../dialects/errors/upstream-error.js';
import { UpstreamConnectionError } from '../../upstream/exchange.js';
import type { CooldownReason } from './cooldown.js';
import { resetTime } from './reset-time.js';

/** The cooldown that follows from a failure. */
export interface CooldownRule {
  readonly reason: Exclude<CooldownReason, 'REFUSED'>;
  /** Unix milliseconds at which the cooldown ends, as stated by the provider. Null when the provider states none. */
  readonly until: number | null;
  /** Whether the cooldown applies to every model of the key. */
  readonly allModels: boolean;
}

const exhausted = new Set([
  ...['insufficient_quota', 'insufficient_user_quota', 'billing_not_active', 'billing_hard_limit_reached'],
  ...['billing_error', 'exceeded_current_quota_error', 'credit_exhausted', 'insufficient_balance'],
]);
/** Matches errors of requests that exceed the limit on their own. The key can serve smaller ones. */
const tooLarge = /request (?:is )?too large/i;
const longestRest = 24 * 3_600_000;
const longestQuotaRest = 31 * longestRest;
const shortestRest = 1000;

/**
 * Returns the cooldown of the key after a failed attempt (docs/reference/relay/health.md#reasons). The provider's raw
 * status, code and type decide. The words of a message never count, because providers repeat what a client sent. The
 * statuses 400, 404 and 422 do not count, because they are about the request.
 * @param now Unix milliseconds
 * @returns null for failures that say nothing about the key
 */
export function cooldownRule(error: unknown, now: number): CooldownRule | null {
  if (!(error instanceof UpstreamError)) return isSilence(error) || isCutStream(error) ? failing : null;
  const { status, detail } = error;
  if (status === 402 || ((status === 403 || status === 429) && isExhausted(detail.code, detail.type))) {
    return { reason: 'QUOTA_EXHAUSTED', until: until(detail, now, longestQuotaRest), allModels: true };
  }
  if (status === 429) {
    if (tooLarge.test(detail.message)) return null;
    return { reason: 'RATE_LIMITED', until: until(detail, now, longestRest), allModels: false };
  }
  return status >= 500 ? { ...failing, until: askedFor(detail, now) } : null;
}

const failing: CooldownRule = { reason: 'FAILING', until: null, allModels: false };

const isExhausted = (code: unknown, type: string | undefined): boolean =>
  (typeof code === 'string' && exhausted.has(code)) || (type !== undefined && exhausted.has(type));

/**
 * Whether the provider accepted the request and sent nothing, or broke off. The circuit breaker counts failed
 * connections.
 */
const isSilence = (error: unknown): boolean =>
  !(error instanceof UpstreamConnectionError && !error.requestSent) &&
  isAppError(error) &&
  (error.code === 'UPSTREAM_TIMEOUT' || error.code === 'UPSTREAM_UNREACHABLE');

/**
 * Whether a stream ended without its last event, or cannot be read. Nothing else distinguishes it from a stream that
 * broke off.
 */
const isCutStream = (error: unknown): boolean =>
  error instanceof RelayError &&
  error.code === 'UPSTREAM_INVALID_RESPONSE' &&
  error.wireCode === 'stream_response_error';

type Detail = UpstreamError['detail'];

function until(detail: Detail, now: number, longest: number): number | null {
  const at = resetTime(headersOf(detail), now);
  return at === null ? null : Math.min(Math.max(at, now + shortestRest), now + longest);
}

/**
 * Returns the time to wait that a response states. After a 5xx the resets of rate limits do not count; `Retry-After`
 * does.
 */
function askedFor(detail: Detail, now: number): number | null {
  const { 'retry-after': after, 'retry-after-ms': milliseconds } = headersOf(detail);
  const headers = {
    ...(after ? { 'retry-after': after } : {}),
    ...(milliseconds ? { 'retry-after-ms': milliseconds } : {}),
  };
  const at = resetTime(headers, now);
  return at === null ? null : Math.min(Math.max(at, now + shortestRest), now + longestRest);
}

const headersOf = ({ headers, retryAfter }: Detail): Readonly<Record<string, string>> =>
  retryAfter ? { 'retry-after': retryAfter, ...headers } : (headers ?? {});
