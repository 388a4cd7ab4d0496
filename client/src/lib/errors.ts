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
    const [first] = error.errors;
    return { ...markOf(first?.extensions, 'INTERNAL_ERROR'), message: first?.message ?? '', status: null };
  }
  if (ServerError.is(error) || ServerParseError.is(error)) {
    return { ...refusalOf(error.bodyText), status: error.statusCode };
  }
  return { code: 'NETWORK', message: '', field: null, status: null };
}

/** The JSON body of a refused request: of REST, or with `error`, or with the `errors` of GraphQL. */
export function refusalOf(body: string): Omit<Failure, 'status'> {
  try {
    const whole = (JSON.parse(body) ?? {}) as Record<string, unknown>;
    const { message, error, errors } = whole;
    const first = (Array.isArray(errors) ? (errors as unknown[])[0] : undefined) as
      { extensions?: unknown } | undefined;
    const from = [message, ...[error, first].map(innerMessage)];
    return {
      ...markOf(first?.extensions ?? whole, 'HTTP'),
      message: from.find((text): text is string => typeof text === 'string' && text !== '') ?? '',
    };
  } catch {
    return { code: 'HTTP', message: '', field: null }; // A proxy's page, or nothing.
  }
}

const innerMessage = (error: unknown): unknown =>
  typeof error === 'object' && error !== null ? (error as { message?: unknown }).message : error;

/** Where the server puts what programs read: `extensions` of GraphQL, the body of REST. */
function markOf(place: unknown, otherwise: string): Pick<Failure, 'code' | 'field'> {
  const { code, field } = (place ?? {}) as { code?: unknown; field?: unknown };
  return { code: typeof code === 'string' ? code : otherwise, field: typeof field === 'string' ? field : null };
}

/** Sentences for refusals, by the code. Messages of the server are in English in every language. */
const sentences = {
  BAD_USER_INPUT: 'errors.wrongVariable',
  GRAPHQL_PARSE_FAILED: 'errors.notGraphql',
  GRAPHQL_VALIDATION_FAILED: 'errors.notInSchema',
  INSUFFICIENT_PRIVILEGES: 'errors.noPermission',
  QUERY_TOO_EXPENSIVE: 'errors.tooExpensive',
} as const;

/** The sentence for a code, with what the message of the server says beyond it; the message for other codes. */
export function describeRefusal({ code, message }: Pick<Failure, 'code' | 'message'>, t: TFunction): string {
  if (!Object.hasOwn(sentences, code)) return message;
  const sentence = t(sentences[code as keyof typeof sentences]);
  const reason = message.replace(/^No permission(: (insufficient privileges$)?| )/, '');
  // "No permission to update this user" adds only English to the sentence.
  return reason === '' || reason.startsWith('to ') ? sentence : t('errors.withReason', { sentence, reason });
}

/** One sentence for the user: the console's for HTTP failures and refusals, else the server's message. */
export const describeFailure = (error: unknown, t: TFunction): string => describe(toFailure(error), t);

export function describe(failure: Failure, t: TFunction): string {
  const { code, message, status } = failure;
  if (code === 'NETWORK') return t('errors.network');
  if (status === 429 || code === 'RATE_LIMITED') return t('errors.tooManyRequests');
  if (status === 405) return t('errors.demoOnly');
  if (code === 'SERVICE_UNAVAILABLE') return t('errors.unavailable');
  if (status !== null && status >= 500) return t('errors.internal');
  if (Object.hasOwn(sentences, code)) return describeRefusal(failure, t);
  if (status !== null) return message ? t('errors.httpMessage', { message }) : t('errors.http', { status });
  if (code === 'INTERNAL_ERROR' || code === 'INTERNAL_SERVER_ERROR') return t('errors.internal');
  return message || t('errors.internal');
}
