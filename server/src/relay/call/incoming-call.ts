import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../access/authentication.js';

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
  /** The whole body, decompressed. @throws AppError PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, INVALID_INPUT */
  readBody(): Promise<Buffer>;
}
