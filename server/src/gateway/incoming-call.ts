import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from './admit/authentication.js';
import type { BodyGrant } from './admit/body-budget.js';
import type { CallTrace } from './observe/tracing/call-trace.js';

/** Limits of the body of one call. */
export interface BodyAllowance {
  /** Bytes, before and after decompression; the route's own limit when absent or larger. */
  readonly maxBytes?: number;
  /** Counts the bytes while they are read and decompressed. */
  readonly grant?: BodyGrant;
  /** The caller's token. */
  readonly tokenId?: number;
}

/** A call as it was received. */
export interface IncomingRequest {
  readonly requestId: string;
  readonly headers: IncomingHttpHeaders;
  /** Path without its query; `/hf/v1` is already `/v1`. */
  readonly path: string;
  /** The part after `?`, may be empty. */
  readonly query: string;
  /** The client's address. X-Forwarded-For is used only for trusted proxies. */
  readonly address: string;
  /** By `performance.now()`. */
  readonly startedAt: number;
  /** The caller, if it is not determined by a key. */
  readonly caller?: Caller;
  /** Absent where nothing is exported. */
  readonly trace?: CallTrace | undefined;
  /**
   * Reads the whole body and decompresses it.
   * @throws AppError PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, INVALID_INPUT, RATE_LIMITED, SERVICE_UNAVAILABLE
   */
  readBody(allowance?: BodyAllowance): Promise<Buffer>;
}
