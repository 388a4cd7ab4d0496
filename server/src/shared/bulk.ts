import type { ErrorCode } from './errors.js';

/** The outcome for each row that a mutation named. Every row is in exactly one of the two lists. */
export interface BulkResult {
  readonly done: readonly number[];
  readonly failed: readonly BulkFailure[];
}

/** A row that was not changed, with the error code and message. */
export interface BulkFailure {
  readonly id: number;
  readonly code: ErrorCode;
  readonly message: string;
}
