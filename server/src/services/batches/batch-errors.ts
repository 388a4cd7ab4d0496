import { RelayError } from '../../dialects/errors/relay-error.js';
import { isAppError, AppError } from '../../shared/errors.js';
import type { ObjectCall } from '../objects/object-calls.js';

/** Codes of batches that are refused before they are sent (docs/reference/relay/errors.md#gateway-codes). */
type BatchCode =
  | 'batch_endpoint_unsupported'
  | 'batch_file_invalid'
  | 'batch_file_unreadable'
  | 'batch_too_large'
  | 'batch_line_invalid'
  | 'batch_line_changed'
  | 'batch_model_mismatch'
  | 'batch_model_mapped';

export const batchRefused = (code: BatchCode, message: string): RelayError =>
  new RelayError('INVALID_INPUT', message, code, { status: 400 });

/** @throws AppError when the client has left: it does not learn of a batch that is created now, and may ask again */
export function checkPresent({ client }: Pick<ObjectCall, 'client'>): void {
  if (client.gone) throw new AppError('UPSTREAM_UNREACHABLE', 'The client has disconnected');
}

/** Returns the error of a user whose creations are still running. */
export const tooManyCreations = (most: number): RelayError =>
  new RelayError(
    'RATE_LIMITED',
    `At most ${most} batches can be created at a time. Wait for the other creations`,
    'batch_creations_limited',
  );

/** Returns the error of a line with its number. Errors that are not expected stay as they are. */
export function withLineNumber(error: unknown, line: number): unknown {
  if (!isAppError(error) || error.code === 'INTERNAL_ERROR' || error.code === 'SERVICE_UNAVAILABLE') return error;
  const message = `Line ${line}: ${error.message}`;
  const options = { cause: error };
  if (!(error instanceof RelayError)) return new AppError(error.code, message, options);
  const { status } = error;
  return new RelayError(error.code, message, error.wireCode, status === undefined ? options : { ...options, status });
}
