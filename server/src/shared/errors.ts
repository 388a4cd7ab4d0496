/**
 * Codes of all expected failures. Each presentation has one exhaustive table from code to response
 * (`platform/graphql/format-error.ts`, `platform/http/rest-error.ts`, `dialects/languages/<name>/error.ts`).
 */
export const errorCodes = [
  // input and state
  'INVALID_INPUT',
  'NOT_FOUND',
  'CONFLICT',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'NOT_IMPLEMENTED',
  // who is asking
  'NOT_SIGNED_IN',
  'INVALID_ACCESS_TOKEN',
  'USER_ID_MISMATCH',
  'USER_BANNED',
  'INSUFFICIENT_PRIVILEGES',
  'INVALID_CREDENTIALS',
  'ALREADY_SET_UP',
  'SETUP_CODE_NEEDED',
  'SECOND_FACTOR_NEEDED',
  'SECOND_FACTOR_REQUIRED',
  'CONFIRMATION_NEEDED',
  // API keys
  'MISSING_API_KEY',
  'INVALID_API_KEY',
  'TOKEN_EXPIRED',
  'TOKEN_DISABLED',
  'TOKEN_QUOTA_EXHAUSTED',
  'CHANNEL_PIN_FORBIDDEN',
  'IP_NOT_ALLOWED',
  'KEY_SCOPE_MISSING',
  'GROUP_NOT_ALLOWED',
  'GROUP_DEPRECATED',
  'MODEL_NOT_ALLOWED',
  // routing
  'INVALID_CHANNEL_ID',
  'CHANNEL_DISABLED',
  'NO_CHANNEL',
  'MODEL_NOT_FOUND',
  'MODEL_NOT_PRICED',
  'TOOL_NOT_PRICED',
  'MODEL_MAPPING_INVALID',
  'UNSUPPORTED_BY_CHANNEL',
  'BROWSER_EXTENSION_BLOCKED',
  'SENSITIVE_WORDS',
  'GUARDRAIL_BLOCKED',
  // money
  'INSUFFICIENT_QUOTA',
  'INSUFFICIENT_TOKEN_QUOTA',
  'BUDGET_EXCEEDED',
  // load and infrastructure
  'RATE_LIMITED',
  'UPSTREAM_ERROR',
  'UPSTREAM_UNREACHABLE',
  'UPSTREAM_INVALID_RESPONSE',
  'UPSTREAM_TIMEOUT',
  'SERVICE_UNAVAILABLE',
  'INTERNAL_ERROR',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** An expected failure. Independent of how REST, GraphQL and the relay render it. */
export class AppError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    options?: ErrorOptions & { field?: string; retryAfterSeconds?: number; resetAt?: number },
  ) {
    super(message, options);
    this.name = new.target.name;
    this.field = options?.field;
    this.retryAfterSeconds = options?.retryAfterSeconds;
    this.resetAt = options?.resetAt;
  }

  /** The invalid input field, named as the client names it. */
  readonly field?: string;
  /** Whole seconds after which the same call may succeed. */
  readonly retryAfterSeconds?: number;
  /** The time at which a budget has room again. Unix seconds. */
  readonly resetAt?: number;
}

/** A row that does not exist, or that the caller may not see (NOT_FOUND). */
export class NotFoundError extends AppError {
  constructor(noun: string, id: number | string) {
    super('NOT_FOUND', `${noun} ${id} does not exist`);
  }
}

/**
 * Invalid input (INVALID_INPUT).
 * @param field the input field, as the client names it
 */
export class InvalidInputError extends AppError {
  constructor(message: string, field?: string) {
    super('INVALID_INPUT', message, { field });
  }
}

/** A conflict with the current state (CONFLICT). */
export class ConflictError extends AppError {
  constructor(message: string, field?: string) {
    super('CONFLICT', message, { field });
  }
}

/** The caller lacks the role or scope (INSUFFICIENT_PRIVILEGES). */
export class ForbiddenError extends AppError {
  constructor(message = 'No permission: insufficient privileges') {
    super('INSUFFICIENT_PRIVILEGES', message);
  }
}

/** A store this node needs (Postgres, Redis) did not respond. New calls get 503 with `Retry-After`. */
export class UnavailableError extends AppError {
  constructor(message: string, options?: ErrorOptions & { retryAfterSeconds?: number }) {
    super('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 5, ...options });
  }
}

export const isAppError = (error: unknown): error is AppError => error instanceof AppError;
