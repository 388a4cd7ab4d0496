import type { RoutedCall } from '../call.js';
import type { CallUse } from '../route/limits/limit-board.js';

/** A call that is sent to channels. */
export interface Dispatch {
  readonly call: RoutedCall;
  /** Number of output tokens at which a stream is ended. */
  readonly stopAt?: number | undefined;
  /** The reserved use; absent for calls that are not charged. */
  readonly use?: (() => CallUse) | undefined;
  /** Ids of the channels that failed this call before, in order. Absent when there are none. */
  readonly failedBefore?: readonly number[] | undefined;
  /** Whether those channels failed with this model, so that other channels are preferred. */
  readonly avoidsFailed?: boolean | undefined;
}
