import { AppError, type ErrorCode } from '../../shared/errors.js';

/**
 * A failure of a relay call whose code on the wire is more specific than our own
 * (docs/reference/relay/errors.md#gateway-codes).
 */
export class RelayError extends AppError {
  constructor(
    code: ErrorCode,
    message: string,
    /** `error.code` as clients see it. */
    readonly wireCode: string,
    options?: ErrorOptions & { retryAfterSeconds?: number; status?: number },
  ) {
    super(code, message, options);
    this.status = options?.status;
  }

  /** HTTP status if it differs from the code's usual one. */
  readonly status?: number;
}

/** A request that the gateway cannot read without doubt. @param reason completes "Invalid request, …" */
export const malformed = (reason: string): RelayError =>
  new RelayError('INVALID_INPUT', `Invalid request, ${reason}`, 'invalid_request');
