import type { ErrorCode } from './errors.js';

/** What became of each row that a mutation named. A row is in one of the two lists. */
export interface BulkResult {
  readonly done: readonly number[];
  readonly failed: readonly BulkFailure[];
}

export interface BulkFailure {
  readonly id: number;
  readonly code: ErrorCode;
  readonly message: string;
}
