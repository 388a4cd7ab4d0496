import { CombinedGraphQLErrors, ServerError, ServerParseError } from '@apollo/client/errors';
import i18next, { type TFunction } from 'i18next';

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

/** No response came. */
export const noResponse: Failure = { code: 'NETWORK', message: '', field: null, status: null };

/** A refusal outside of GraphQL. */
export class RefusedError extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

export function toFailure(error: unknown): Failure {
  if (error instanceof RefusedError) return error.failure;
  if (CombinedGraphQLErrors.is(error)) {
    const [first] = error.errors;
    return { ...markOf(first?.extensions, 'INTERNAL_ERROR'), message: first?.message ?? '', status: null };
  }
  if (ServerError.is(error) || ServerParseError.is(error)) {
    return { ...refusalOf(error.bodyText), status: error.statusCode };
  }
  return noResponse;
}

/** REST refuses with 200, as older consoles expect: only a body without a message is described by its status. */
export function restFailure(body: string, status: number): Failure {
  const refusal = refusalOf(body);
  return { ...refusal, status: refusal.message === '' ? status : null };
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

/** Codes whose sentence says all that readers can use. */
const complete = new Set(['RATE_LIMITED', 'SERVICE_UNAVAILABLE', 'INTERNAL_ERROR']);

/**
 * The sentence for a code, with what the message of the server says beyond it. The server writes English, so in English its
 * message stands alone. Unknown codes have only their message.
 */
export function describeRefusal({ code, message }: Pick<Failure, 'code' | 'message'>, t: TFunction): string {
  const sentence = t(`refusals.${code as 'NOT_FOUND'}`, { defaultValue: '' });
  const reason = message.replace(/^No permission(: (insufficient privileges$)?| )/, '');
  // "No permission to update this user" adds only English to the sentence.
  if (sentence === '') return message;
  if (complete.has(code) || reason === '' || (reason !== message && reason.startsWith('to '))) return sentence;
  return i18next.language === 'en' ? message : t('errors.withReason', { sentence, reason });
}

/** One sentence for the user: the console's for HTTP failures, and the refusal of the server in the reader's language. */
export const describeFailure = (error: unknown, t: TFunction): string => describe(toFailure(error), t);

export function describe(failure: Failure, t: TFunction): string {
  const { code, status } = failure;
  if (code === 'NETWORK') return t('errors.network');
  if (status === 429) return t('refusals.RATE_LIMITED');
  if (status === 405) return t('errors.demoOnly');
  if (status !== null && status >= 500 && code !== 'SERVICE_UNAVAILABLE') return t('refusals.INTERNAL_ERROR');
  const refusal = describeRefusal(failure, t);
  if (status === null || code !== 'HTTP') return refusal || t('refusals.INTERNAL_ERROR');
  return refusal ? t('errors.httpMessage', { message: refusal }) : t('errors.http', { status });
}
