import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { isAppError, UnavailableError, type AppError, type ErrorCode } from '../../shared/errors.js';
import { isDatabaseUnavailable, isUnstorableValue } from '../../shared/postgres-error.js';

/**
 * HTTP status of every failure on the REST API. Old clients read `success` and expect 200 for business failures; they
 * show a sign-in page on 401 (docs/reference/rest/conventions.md).
 */
export const restStatus: Record<ErrorCode, number> = {
  INVALID_INPUT: 200,
  NOT_FOUND: 200,
  CONFLICT: 200,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  NOT_IMPLEMENTED: 200,
  NOT_SIGNED_IN: 401,
  INVALID_ACCESS_TOKEN: 200,
  USER_ID_MISMATCH: 401,
  USER_BANNED: 200,
  INSUFFICIENT_PRIVILEGES: 200,
  INVALID_CREDENTIALS: 200,
  ALREADY_SET_UP: 400,
  SETUP_CODE_NEEDED: 400,
  SECOND_FACTOR_NEEDED: 200,
  SECOND_FACTOR_REQUIRED: 403,
  CONFIRMATION_NEEDED: 403,
  MISSING_API_KEY: 401,
  INVALID_API_KEY: 401,
  TOKEN_EXPIRED: 401,
  TOKEN_DISABLED: 401,
  TOKEN_QUOTA_EXHAUSTED: 401,
  CHANNEL_PIN_FORBIDDEN: 403,
  IP_NOT_ALLOWED: 403,
  KEY_SCOPE_MISSING: 403,
  GROUP_NOT_ALLOWED: 200,
  GROUP_DEPRECATED: 200,
  MODEL_NOT_ALLOWED: 200,
  INVALID_CHANNEL_ID: 200,
  CHANNEL_DISABLED: 200,
  NO_CHANNEL: 200,
  MODEL_NOT_FOUND: 200,
  MODEL_NOT_PRICED: 200,
  TOOL_NOT_PRICED: 200,
  MODEL_MAPPING_INVALID: 200,
  UNSUPPORTED_BY_CHANNEL: 200,
  BROWSER_EXTENSION_BLOCKED: 403,
  SENSITIVE_WORDS: 200,
  GUARDRAIL_BLOCKED: 200,
  INSUFFICIENT_QUOTA: 200,
  INSUFFICIENT_TOKEN_QUOTA: 200,
  BUDGET_EXCEEDED: 429,
  RATE_LIMITED: 429,
  UPSTREAM_ERROR: 200,
  UPSTREAM_UNREACHABLE: 200,
  UPSTREAM_INVALID_RESPONSE: 200,
  UPSTREAM_TIMEOUT: 200,
  SERVICE_UNAVAILABLE: 503,
  INTERNAL_ERROR: 500,
};

/** The body of a failed REST response. */
export interface RestFailure {
  readonly success: false;
  readonly message: string;
  /** Stable code; clients of the older consoles ignore it. */
  readonly code: ErrorCode;
}

/** Sends an error. It never shows the text of an unexpected error, which goes to the log with the request id. */
export function sendRestError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // The client disconnected while its body was read: Node then reports ECONNRESET, which does not mean that one of our
  // stores failed.
  if (request.raw.readableAborted) return reply.status(400).send({ ...ofCode('INVALID_INPUT', 'Invalid parameter') });
  const { status, message, code, retryAfterSeconds } = toFailure(error);
  if (retryAfterSeconds) reply.header('Retry-After', String(retryAfterSeconds));
  const answer: RestFailure = { success: false, message, code };
  if (code === 'SERVICE_UNAVAILABLE') request.log.warn({ err: error }, 'store unavailable');
  if (code !== 'INTERNAL_ERROR') return reply.status(status).send(answer);
  request.log.error({ err: error }, 'unexpected failure');
  // Older clients expect this form for unexpected errors.
  return reply.status(500).send({ ...answer, error: { message, type: 'veloera_panic' } });
}

/** The client-visible form of an error: code, message and HTTP status. */
export interface Failure {
  readonly status: number;
  readonly message: string;
  readonly code: ErrorCode;
  readonly retryAfterSeconds?: number;
}

/** The public form of any error. */
export function toFailure(error: unknown): Failure {
  if (isDatabaseUnavailable(error))
    return ofAppError(new UnavailableError('The database is unavailable. Try again shortly.'));
  if (isAppError(error)) return ofAppError(error);
  if (isUnstorableValue(error)) return ofCode('INVALID_INPUT', 'Invalid parameter');
  if (error instanceof z.ZodError) return ofCode('INVALID_INPUT', describeIssue(error));
  const status = (error as { statusCode?: number } | null)?.statusCode;
  if (status === 413) return ofCode('PAYLOAD_TOO_LARGE', 'The request body is too large');
  if (status === 415) return ofCode('UNSUPPORTED_MEDIA_TYPE', 'The content type is not supported');
  if (status && status >= 400 && status < 500) return ofCode('INVALID_INPUT', 'Invalid parameter');
  return ofCode('INTERNAL_ERROR', 'Internal error');
}

function ofAppError({ code, message, retryAfterSeconds }: AppError): Failure {
  if (code === 'INTERNAL_ERROR') return ofCode(code, 'Internal error');
  return { ...ofCode(code, message), ...(retryAfterSeconds && { retryAfterSeconds }) };
}

const ofCode = (code: ErrorCode, message: string): Failure => ({ status: restStatus[code], message, code });

/** `Invalid parameter: name: too long`: names the field, never echoes its value. */
export function describeIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (!issue) return 'Invalid parameter';
  const path = issue.path.join('.');
  return path ? `Invalid parameter: ${path}: ${issue.message}` : `Invalid parameter: ${issue.message}`;
}
