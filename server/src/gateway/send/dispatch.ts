import type { RoutedCall } from '../call.js';
import type { CallUse } from '../route/limits/limit-board.js';

/** A call on its way to channels. */
export interface Dispatch {
  readonly call: RoutedCall;
  /** Output tokens at which a stream ends. */
  readonly stopAt?: number | undefined;
  /** As it is reserved; absent for calls that are not charged. */
  readonly use?: (() => CallUse) | undefined;
  /** Ids of the channels that failed this call before, in order; absent: none. */
  readonly failedBefore?: readonly number[] | undefined;
  /** They failed with this model, so others are preferred. */
  readonly avoidsFailed?: boolean | undefined;
}
