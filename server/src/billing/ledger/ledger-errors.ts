import { AppError, UnavailableError } from '../../shared/errors.js';
import { sqlState } from './group-commit.js';

const uniqueViolation = '23505';

/** Returns the failure of a call while the database does not respond. */
export const unavailable = (cause?: unknown): UnavailableError =>
  new UnavailableError('The service is temporarily unavailable, try again later', { cause });

/** Returns the failure of a reservation that the database refuses for its content. */
export function toHoldError(error: unknown): unknown {
  return sqlState(error) === uniqueViolation ? new AppError('CONFLICT', 'This request id was used before') : error;
}

/** A settlement that the database refused could not be written to the disk. */
export class UnstoredError extends AppError {
  constructor(cause: unknown) {
    super('INTERNAL_ERROR', 'the call could not be charged, and its settlement could not be stored', { cause });
  }
}
