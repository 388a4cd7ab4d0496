import { isAppError } from '../../shared/errors.js';
import { overflowIn } from '../../dialects/errors/overflow.js';
import { UpstreamError } from '../../dialects/errors/upstream-error.js';
import type { Provider } from '../../dialects/providers/provider.js';

/** The inputs of the retry rules. */
export interface FailedAttempt {
  readonly error: unknown;
  /** The provider's status after `status_code_mapping`; null when there was none. */
  readonly status: number | null;
  readonly provider: Pick<Provider, 'retriesBadRequest'>;
}

/**
 * The decision table of docs/reference/relay/routing.md#retry-rules, for calls that are not pinned to a channel, have
 * attempts left and have sent nothing yet. Failures caused by the client or by us are never retried; failures of the
 * channel are.
 */
export function isRetryable({ error, status, provider }: FailedAttempt): boolean {
  if (error instanceof UpstreamError && overflowIn(error)) return false;
  if (error instanceof UpstreamError && status !== null) return isRetryableStatus(status, provider);
  if (!isAppError(error)) return false;
  switch (error.code) {
    case 'UPSTREAM_UNREACHABLE':
    case 'UPSTREAM_TIMEOUT':
    case 'UPSTREAM_INVALID_RESPONSE':
    case 'UNSUPPORTED_BY_CHANNEL':
      return true;
    default:
      return false;
  }
}

function isRetryableStatus(status: number, provider: FailedAttempt['provider']): boolean {
  if (status === 429 || status === 307) return true;
  if (status >= 500) return status !== 504 && status !== 524;
  if (status === 400) return provider.retriesBadRequest;
  if (status === 408) return false;
  return status < 200 || status >= 300;
}
