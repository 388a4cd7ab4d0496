import { CombinedGraphQLErrors, ServerError, ServerParseError } from '@apollo/client/errors';
import type { TFunction } from 'i18next';

export interface Failure {
  /** The server's error code (`NOT_FOUND`), or `NETWORK` when there was no response. */
  readonly code: string;
  /** The server's message; empty when it sent none. */
  readonly message: string;
  /** The input field that caused the error. */
  readonly field: string | null;
  /** HTTP status of a response that was no GraphQL result. */
  readonly status: number | null;
}

export function toFailure(error: unknown): Failure {
  if (CombinedGraphQLErrors.is(error)) {
    const first = error.errors[0];
    const { code, field } = (first?.extensions ?? {}) as { code?: unknown; field?: unknown };
    return {
      code: typeof code === 'string' ? code : 'INTERNAL_ERROR',
      message: first?.message ?? '',
      field: typeof field === 'string' ? field : null,
      status: null,
    };
  }
  if (ServerError.is(error) || ServerParseError.is(error)) {
    return { code: 'HTTP', message: messageOf(error.bodyText), field: null, status: error.statusCode };
  }
  return { code: 'NETWORK', message: '', field: null, status: null };
}

/** The message in the JSON body of a refused request: `message`, or that of `error` or of the first of `errors`. */
function messageOf(body: string): string {
  try {
    const { message, error, errors } = (JSON.parse(body) ?? {}) as Record<string, unknown>;
    const from = [message, ...[error, Array.isArray(errors) ? (errors as unknown[])[0] : undefined].map(innerMessage)];
    return from.find((text): text is string => typeof text === 'string' && text !== '') ?? '';
  } catch {
    return ''; // A proxy's page, or nothing.
  }
}

const innerMessage = (error: unknown): unknown =>
  typeof error === 'object' && error !== null ? (error as { message?: unknown }).message : error;

/** One sentence for the user: our text for HTTP failures, else the server's message. */
export function describeFailure(error: unknown, t: TFunction): string {
  const { code, message, status } = toFailure(error);
  if (code === 'NETWORK') return t('errors.network');
  if (status === 429 || code === 'RATE_LIMITED') return t('errors.tooManyRequests');
  if (status === 405) return t('errors.demoOnly');
  if (status !== null && status >= 500) return t('errors.internal');
  if (status !== null) return message ? t('errors.httpMessage', { message }) : t('errors.http', { status });
  if (code === 'INTERNAL_ERROR' || code === 'INTERNAL_SERVER_ERROR') return t('errors.internal');
  return message || t('errors.internal');
}
