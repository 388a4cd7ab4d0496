import { anthropicOverflow } from '../../errors/overflow.js';
import { UpstreamError } from '../../errors/upstream-error.js';
import { asFields, asText, type Fields } from '../../neutral/fields.js';
import { budgetFields, isThreadCode, type CallFailure } from '../../errors/failure.js';

/**
 * Error types that clients know, with their statuses (docs/reference/relay/errors.md#upstream-errors,
 * docs/reference/relay/errors.md#messages-form).
 */
const statusOfType: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

const typeOfStatus = new Map(Object.entries(statusOfType).map(([type, status]) => [status, type]));

const typeFor = (status: number): string =>
  typeOfStatus.get(status) ?? (status >= 500 ? 'api_error' : 'invalid_request_error');

/**
 * Returns `{"type":"error","error":{type,message}}`. A type that Anthropic gave is kept. The error of a used-up budget
 * has its code and reset time in addition, and that of a thread the code in Anthropic's place.
 */
export function anthropicErrorBody(failure: CallFailure, requestId: string): string {
  const type = failure.type in statusOfType ? failure.type : typeFor(failure.status);
  const message = anthropicMessage(failure, requestId);
  const { code } = failure;
  const details = isThreadCode(code) ? { details: { error_code: code } } : {};
  return JSON.stringify({ type: 'error', error: { type, message, ...details, ...budgetFields(failure) } });
}

/** Returns the message of a failure, in the words of Anthropic where agents act on them. */
export function anthropicMessage({ overflow, message }: CallFailure, requestId: string): string {
  const said = overflow ? anthropicOverflow(overflow, message) : message;
  return `${said} (request id: ${requestId})`;
}

/** Returns the error inside a stream, as the last event (docs/reference/relay/errors.md#errors-inside-a-stream). */
export const anthropicErrorEvents = (failure: CallFailure, requestId: string): string =>
  `event: error\ndata: ${anthropicErrorBody(failure, requestId)}\n\n`;

/**
 * Returns an error that came with status 200, as a body or an event.
 * @returns null if the value contains none
 */
export function readAnthropicError(value: Fields): UpstreamError | null {
  const error = asFields(value['error']);
  if (value['type'] !== 'error' && !error) return null;
  const type = asText(error?.['type']) || 'api_error';
  return new UpstreamError(statusOfType[type] ?? 502, {
    message: asText(error?.['message']) || type,
    type,
    code: type,
  });
}
