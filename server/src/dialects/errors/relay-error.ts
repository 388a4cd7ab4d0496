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
 * The error of a conversation that no provider keeps for the client. Anthropic's clients send it again as a whole.
 * @param reason completes "The id … in thread.previous_message_id …"
 */
export const threadNotFound = (id: unknown, reason: string): RelayError =>
  new RelayError(
    'NOT_FOUND',
    `The id '${String(id).slice(0, 100)}' in thread.previous_message_id ${reason}. Send the whole conversation.`,
    'thread_not_found',
    { status: 404 },
  );

/**
 * The error of a request that has more than one possible reading.
 * @param reason completes "Invalid request, …"
 */
export const malformed = (reason: string): RelayError =>
  new RelayError('INVALID_INPUT', `Invalid request, ${reason}`, 'invalid_request');
