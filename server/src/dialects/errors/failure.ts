import { isAppError, type AppError, type ErrorCode } from '../../shared/errors.js';
import { UpstreamError } from './upstream-error.js';
import { RelayError } from './relay-error.js';
import { overflowCode, overflowIn, type Overflow } from './overflow.js';
import { maskSecrets } from './mask-secrets.js';

/** A failure as shown to a client of the OpenAI dialect. */
export interface CallFailure {
  readonly status: number;
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | number | null;
  readonly retryAfter?: string;
  /** Unix seconds at which a budget allows calls again. */
  readonly resetAt?: number;
  /** Headers of the upstream that a client may see. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Set if the conversation is too long for its model. Agents shorten it if the error has the wording of their dialect.
   */
  readonly overflow?: Overflow;
}

/** OpenAI's SDKs ignore longer delays, and Anthropic's SDKs wait for hours. */
const longestWait = 60;

/** Returns the headers that tell a client when to retry. SDKs give `x-should-retry` precedence over all others. */
export function retryHeaders({ retryAfter, resetAt }: CallFailure): Record<string, string> {
  if (retryAfter === undefined) return {};
  return {
    'retry-after': retryAfter,
    ...(Number(retryAfter) > longestWait ? { 'x-should-retry': 'false' } : {}),
    ...(resetAt === undefined ? {} : { 'x-ratelimit-reset-budget': String(resetAt) }),
  };
}

/** Additional fields of the error of a used-up budget. */
export const budgetFields = ({ code, resetAt }: CallFailure): object =>
  resetAt === undefined ? {} : { code, reset_at: resetAt };

/** The type of the gateway's own errors. Dialects other than OpenAI's name one by the status instead. */
export const gatewayType = 'veloera_error';
const saturated = 'The upstream of this group is saturated, try again later';

/**
 * Status and code of every expected failure of the gateway itself (docs/reference/relay/access.md#order-of-checks and
 * docs/reference/relay/errors.md#gateway-codes).
 */
const openAIErrors: Record<ErrorCode, { readonly status: number; readonly code: string }> = {
  INVALID_INPUT: { status: 400, code: 'invalid_text_request' },
  NOT_FOUND: { status: 404, code: 'not_found' },
  CONFLICT: { status: 409, code: 'conflict' },
  PAYLOAD_TOO_LARGE: { status: 413, code: 'request_too_large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, code: 'unsupported_media_type' },
  NOT_IMPLEMENTED: { status: 501, code: 'api_not_implemented' },
  NOT_SIGNED_IN: { status: 401, code: 'not_signed_in' },
  INVALID_ACCESS_TOKEN: { status: 401, code: 'invalid_access_token' },
  USER_ID_MISMATCH: { status: 401, code: 'user_id_mismatch' },
  USER_BANNED: { status: 403, code: 'user_banned' },
  INSUFFICIENT_PRIVILEGES: { status: 403, code: 'insufficient_privileges' },
  INVALID_CREDENTIALS: { status: 401, code: 'invalid_credentials' },
  ALREADY_SET_UP: { status: 400, code: 'already_set_up' },
  SETUP_CODE_NEEDED: { status: 400, code: 'setup_code_needed' },
  SECOND_FACTOR_NEEDED: { status: 401, code: 'second_factor_needed' },
  SECOND_FACTOR_REQUIRED: { status: 403, code: 'second_factor_required' },
  CONFIRMATION_NEEDED: { status: 403, code: 'confirmation_needed' },
  MISSING_API_KEY: { status: 401, code: 'missing_api_key' },
  INVALID_API_KEY: { status: 401, code: 'invalid_api_key' },
  TOKEN_EXPIRED: { status: 401, code: 'token_expired' },
  TOKEN_DISABLED: { status: 401, code: 'token_disabled' },
  TOKEN_QUOTA_EXHAUSTED: { status: 401, code: 'token_quota_exhausted' },
  CHANNEL_PIN_FORBIDDEN: { status: 403, code: 'channel_pin_forbidden' },
  IP_NOT_ALLOWED: { status: 403, code: 'ip_not_allowed' },
  KEY_SCOPE_MISSING: { status: 403, code: 'key_scope_missing' },
  GROUP_NOT_ALLOWED: { status: 403, code: 'group_not_allowed' },
  GROUP_DEPRECATED: { status: 403, code: 'group_deprecated' },
  MODEL_NOT_ALLOWED: { status: 403, code: 'model_not_allowed' },
  INVALID_CHANNEL_ID: { status: 400, code: 'invalid_channel_id' },
  CHANNEL_DISABLED: { status: 403, code: 'channel_disabled' },
  NO_CHANNEL: { status: 503, code: 'model_not_found' },
  MODEL_NOT_FOUND: { status: 404, code: 'model_not_found' },
  MODEL_NOT_PRICED: { status: 400, code: 'model_not_priced' },
  TOOL_NOT_PRICED: { status: 400, code: 'tool_not_priced' },
  MODEL_MAPPING_INVALID: { status: 400, code: 'model_mapping_contains_cycle' },
  UNSUPPORTED_BY_CHANNEL: { status: 400, code: 'unsupported_by_channel' },
  BROWSER_EXTENSION_BLOCKED: { status: 403, code: 'browser_extension_blocked' },
  SENSITIVE_WORDS: { status: 400, code: 'sensitive_words_detected' },
  GUARDRAIL_BLOCKED: { status: 400, code: 'guardrail_blocked' },
  INSUFFICIENT_QUOTA: { status: 403, code: 'insufficient_user_quota' },
  INSUFFICIENT_TOKEN_QUOTA: { status: 403, code: 'pre_consume_token_quota_failed' },
  BUDGET_EXCEEDED: { status: 429, code: 'budget_exceeded' },
  RATE_LIMITED: { status: 429, code: 'rate_limit_exceeded' },
  UPSTREAM_ERROR: { status: 502, code: 'bad_response' },
  UPSTREAM_UNREACHABLE: { status: 500, code: 'do_request_failed' },
  UPSTREAM_INVALID_RESPONSE: { status: 502, code: 'invalid_response' },
  UPSTREAM_TIMEOUT: { status: 500, code: 'do_request_failed' },
  SERVICE_UNAVAILABLE: { status: 503, code: 'service_unavailable' },
  INTERNAL_ERROR: { status: 500, code: 'internal_error' },
};

/** How an upstream failure is shown, according to the channel's settings and the options. */
export interface UpstreamErrorView {
  /** The status after `status_code_mapping`. */
  readonly status: number;
  /** The value of the option `global.hide_upstream_error_enabled`. */
  readonly hidden: boolean;
}

/** An unexpected failure becomes "Internal error"; its message goes to the log only. */
export function toCallFailure(error: unknown, view?: UpstreamErrorView): CallFailure {
  if (error instanceof UpstreamError) return ofUpstream(error, view ?? { status: error.status, hidden: false });
  if (isAppError(error)) return ofGateway(error);
  return {
    status: 500,
    message: 'Internal error',
    type: gatewayType,
    param: '',
    code: openAIErrors.INTERNAL_ERROR.code,
  };
}

function ofGateway(error: AppError): CallFailure {
  const row = openAIErrors[error.code];
  const own = error instanceof RelayError ? error : null;
  return {
    status: own?.status ?? row.status,
    message: shownMessage(error),
    type: gatewayType,
    param: '',
    code: own?.wireCode ?? row.code,
    ...(error.retryAfterSeconds ? { retryAfter: String(error.retryAfterSeconds) } : {}),
    ...(error.resetAt === undefined ? {} : { resetAt: error.resetAt }),
  };
}

/** Messages of this server are safe. The message of a provider's failure may reveal the provider. */
function shownMessage(error: AppError): string {
  if (error.code === 'INTERNAL_ERROR') return 'Internal error';
  return error.code.startsWith('UPSTREAM_') ? maskSecrets(error.message) : error.message;
}

/**
 * Returns the error of a conversation that is too long. It is always shown, because it says nothing about the provider
 * except the length of its context.
 */
const ofOverflow = ({ message }: UpstreamError, overflow: Overflow, hidden: boolean): CallFailure => ({
  status: 400,
  message: hidden ? "The conversation exceeds the model's context" : maskSecrets(message),
  type: 'invalid_request_error',
  param: null,
  code: overflowCode,
  overflow,
});

/**
 * Whether a code is about a conversation that Anthropic keeps. It is always shown, because clients then send the whole
 * conversation.
 */
export const isThreadCode = (code: unknown): code is string => typeof code === 'string' && code.startsWith('thread_');

function ofUpstream(error: UpstreamError, given: UpstreamErrorView): CallFailure {
  const { detail } = error;
  const overflow = overflowIn(error);
  if (overflow) return ofOverflow(error, overflow, given.hidden);
  // A redirect is not followed, and its status means nothing to our clients.
  const view = given.status >= 400 ? given : { ...given, status: 502 };
  const retryAfter = detail.retryAfter ? { retryAfter: detail.retryAfter } : {};
  const shown = view.hidden && view.status !== 429;
  if (shown) {
    return {
      status: view.status,
      message: `Upstream error with status code ${view.status}`,
      type: 'upstream_error',
      param: '',
      code: isThreadCode(detail.code) ? detail.code : 'bad_response_status_code',
      ...retryAfter,
    };
  }
  return {
    status: view.status,
    message: view.status === 429 ? saturated : maskSecrets(detail.message),
    type: maskSecrets(detail.type ?? 'upstream_error'),
    param: typeof detail.param === 'string' ? maskSecrets(detail.param) : (detail.param ?? null),
    code: typeof detail.code === 'string' ? maskSecrets(detail.code) : (detail.code ?? null),
    ...(detail.headers === undefined ? {} : { headers: shownHeaders(error, view.status) }),
    ...retryAfter,
  };
}

/**
 * `x-should-retry` describes the provider's own status and account. A channel of another account may serve the next
 * call although this one is at its limit, so the header is not forwarded.
 */
function shownHeaders({ status, detail }: UpstreamError, shown: number): Readonly<Record<string, string>> {
  const { 'x-should-retry': retry, ...headers } = detail.headers ?? {};
  return retry === undefined || status !== shown || status === 429 ? headers : { ...headers, 'x-should-retry': retry };
}
