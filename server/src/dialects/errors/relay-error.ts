import { AppError, type ErrorCode } from '../../shared/errors.js';

/**
 * A failure of a relay call whose code on the wire is more specific than our own
 * (docs/reference/relay/errors.md#gateway-codes).
 */
export class RelayError extends AppError {
  constructor(
    code: ErrorCode,
    message: string,
    /** The value of `error.code` that clients see. */
    readonly wireCode: string,
    options?: ErrorOptions & { retryAfterSeconds?: number; status?: number },
  ) {
    super(code, message, options);
    this.status = options?.status;
  }

  /** HTTP status if it differs from the code's usual one. */
  readonly status?: number;
}

/**
 * The error of a request that has more than one possible reading.
 * @param reason completes "Invalid request, …"
 */
export const malformed = (reason: string): RelayError =>
  new RelayError('INVALID_INPUT', `Invalid request, ${reason}`, 'invalid_request');
