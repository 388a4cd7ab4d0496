import { isAppError, type ErrorCode } from '../../shared/errors.js';
import type { FailureKind } from '../../shared/failure-kind.js';
import { UpstreamError } from './upstream-error.js';

const kinds: Partial<Record<ErrorCode, FailureKind>> = {
  RATE_LIMITED: 'RATE_LIMITED',
  UPSTREAM_TIMEOUT: 'TIMEOUT',
  UPSTREAM_UNREACHABLE: 'UNREACHABLE',
  UPSTREAM_INVALID_RESPONSE: 'INVALID_RESPONSE',
  UPSTREAM_ERROR: 'SERVER_ERROR',
  INVALID_INPUT: 'REQUEST',
  UNSUPPORTED_BY_CHANNEL: 'REQUEST',
  TOOL_NOT_PRICED: 'REQUEST',
  PAYLOAD_TOO_LARGE: 'REQUEST',
  UNSUPPORTED_MEDIA_TYPE: 'REQUEST',
  NOT_IMPLEMENTED: 'REQUEST',
};

/** Returns the kind of a call's failure, by the provider's original status. Texts of providers are not used. */
export function failureKind(error: unknown): FailureKind {
  if (error instanceof UpstreamError) return ofStatus(error.status);
  return (isAppError(error) && kinds[error.code]) || 'OTHER';
}

function ofStatus(status: number): FailureKind {
  if (status === 429) return 'RATE_LIMITED';
  if (status === 408 || status === 504 || status === 524) return 'TIMEOUT';
  if (status >= 500) return 'SERVER_ERROR';
  if (status === 401 || status === 402 || status === 403) return 'REFUSED';
  return status >= 400 ? 'REQUEST' : 'OTHER';
}
