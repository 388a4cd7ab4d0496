import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../access/authentication.js';
import type { BodyGrant } from '../access/body-budget.js';

export interface BodyAllowance {
  /** Bytes, before and after unpacking; the route's own limit when absent or larger. */
  readonly maxBytes?: number;
  /** Counts the bytes while they are read and unpacked. */
  readonly grant?: BodyGrant;
}

/** A call as it came in. */
export interface IncomingCall {
  readonly requestId: string;
  readonly headers: IncomingHttpHeaders;
  /** Path without its query; `/hf/v1` already is `/v1`. */
  readonly path: string;
  /** What stands behind `?`, may be empty. */
  readonly query: string;
  /** The client's address; a proxy's word is believed only where the admin trusts it. */
  readonly address: string;
  /** By `performance.now()`. */
  readonly startedAt: number;
  /** Who calls, where no key says it. */
  readonly caller?: Caller;
  /**
   * Reads the whole body and unpacks it.
   * @throws AppError PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, INVALID_INPUT, RATE_LIMITED, SERVICE_UNAVAILABLE
   */
  readBody(allowance?: BodyAllowance): Promise<Buffer>;
}
