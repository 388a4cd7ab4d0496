import { geminiOverflow } from '../../errors/overflow.js';
import { UpstreamError } from '../../errors/upstream-error.js';
import { asFields, asText, someNumber, type Fields } from '../../neutral/fields.js';
import type { CallFailure } from '../../errors/failure.js';

const statuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'FAILED_PRECONDITION',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  413: 'INVALID_ARGUMENT',
  415: 'INVALID_ARGUMENT',
  422: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
  529: 'UNAVAILABLE',
};

const statusName = (status: number): string => statuses[status] ?? (status >= 500 ? 'INTERNAL' : 'FAILED_PRECONDITION');

/**
 * Returns `{"error":{code,message,status}}`, the only shape that Google's client recognizes
 * (docs/reference/relay/errors.md#gemini-form).
 */
export function geminiErrorBody(failure: CallFailure, requestId: string): string {
  const { status: code, overflow } = failure;
  const said = overflow ? geminiOverflow(overflow, failure.message) : failure.message;
  const message = `${said} (request id: ${requestId})`;
  return JSON.stringify({ error: { code, message, status: statusName(code), ...retryDetails(failure) } });
}

/**
 * Returns Google's own form of the delay, which its clients read instead of the header, and the code and reset time of
 * a used-up budget.
 */
function retryDetails({ resetAt, retryAfter = '', code }: CallFailure): object {
  const details: object[] = [];
  if (resetAt !== undefined) {
    const metadata = { reset_at: String(resetAt) };
    details.push({ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: code, metadata });
  }
  // A provider may have sent a date.
  if (/^\d+(?:\.\d+)?$/.test(retryAfter)) {
    details.push({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfter}s` });
  }
  return details.length === 0 ? {} : { details };
}

/** Returns the error inside a stream. */
export const geminiErrorEvents = (failure: CallFailure, requestId: string): string =>
  `data: ${geminiErrorBody(failure, requestId)}\n\n`;

/**
 * An error that came with status 200, as a body or an event.
 * @returns null when the value contains none
 */
export function readGeminiError(value: Fields): UpstreamError | null {
  const error = asFields(value['error']);
  if (!error) return null;
  const status = someNumber(error['code']) ?? 502;
  const name = asText(error['status']);
  return new UpstreamError(status >= 400 && status < 600 ? status : 502, {
    message: asText(error['message']) || name || 'the upstream reported an error',
    type: name || 'upstream_error',
    code: name || status,
  });
}

/**
 * Returns the error of a prompt that Google blocked. Retrying on another channel would not help.
 * @returns null if the prompt was not blocked
 */
export function readBlocked(answer: Fields): UpstreamError | null {
  const reason = asText(asFields(answer['promptFeedback'])?.['blockReason']);
  if (reason === '') return null;
  return new UpstreamError(400, {
    message: `The prompt was blocked: ${reason}`,
    type: 'invalid_request_error',
    code: 'content_filter',
  });
}
