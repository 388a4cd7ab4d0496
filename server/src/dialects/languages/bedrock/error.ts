import { anthropicMessage } from '../anthropic/error.js';
import type { CallFailure } from '../../errors/failure.js';
import { asFields, asText, parseFields } from '../../neutral/fields.js';

/** Returns `{"message"}`, as Bedrock does. The header `x-amzn-errortype` has the type, see `awsErrorType`. */
export const bedrockErrorBody = (failure: CallFailure, requestId: string): string =>
  JSON.stringify({ message: anthropicMessage(failure, requestId) });

const errorTypes: ReadonlyMap<number, string> = new Map([
  [401, 'UnrecognizedClientException'],
  [403, 'AccessDeniedException'],
  [404, 'ResourceNotFoundException'],
  [429, 'ThrottlingException'],
  [503, 'ServiceUnavailableException'],
  [504, 'ModelTimeoutException'],
  [529, 'ServiceUnavailableException'],
]);

/** Returns Bedrock's name of a failure with this status. AWS's SDKs decide by it whether to repeat a call. */
export const awsErrorType = (status: number): string =>
  errorTypes.get(status) ?? (status >= 500 ? 'InternalServerException' : 'ValidationException');

const exceptions: Readonly<Record<string, string>> = {
  invalid_request_error: 'validationException',
  not_found_error: 'validationException',
  request_too_large: 'validationException',
  rate_limit_error: 'throttlingException',
  timeout_error: 'modelTimeoutException',
  overloaded_error: 'serviceUnavailableException',
};

/**
 * Returns an error event of Messages as the exception that ends a stream of Bedrock.
 * @returns null for any other event
 */
export function bedrockException(data: string): { readonly type: string; readonly body: string } | null {
  // Other events are not parsed: this test is cheap.
  if (!data.includes('"error"')) return null;
  const event = parseFields(data);
  if (event?.['type'] !== 'error') return null;
  const error = asFields(event['error']);
  const type = exceptions[asText(error?.['type'])] ?? 'internalServerException';
  return { type, body: JSON.stringify({ message: asText(error?.['message']) || type }) };
}
