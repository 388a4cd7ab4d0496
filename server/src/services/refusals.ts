import { InvalidInputError, isAppError } from '../shared/errors.js';
import { RelayError } from '../dialects/errors/relay-error.js';

/**
 * Runs a check and gives its error the code that clients of this endpoint expect
 * (docs/reference/relay/errors.md#gateway-codes).
 * @throws RelayError with this code in place of INVALID_INPUT; other errors unchanged
 */
export function withCode<T>(code: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!isAppError(error) || error.code !== 'INVALID_INPUT' || error instanceof RelayError) throw error;
    throw new RelayError('INVALID_INPUT', error.message, code, { cause: error });
  }
}

/** @throws AppError INVALID_INPUT */
export function needInput(value: unknown, field: string, message = `field ${field} is required`): void {
  if (value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)) {
    throw new InvalidInputError(message, field);
  }
}
