import type { Price } from '../billing/prices/price-book.service.js';
import type { IncomingHttpHeaders } from 'node:http';
import type { Admission } from './route/admission.js';
import type { Caller } from './admit/authentication.js';
import type { Endpoint } from './endpoint.js';
import type { CallGuard } from './admit/guardrails/call-guard.js';
import type { ParsedRequest } from './call.js';
import type { CallUse } from './route/limits/limit-board.js';
import type { CallTrace } from './observe/tracing/call-trace.js';

/** The request of a call, independent of the channel. */
export interface Dispatch {
  readonly requestId: string;
  readonly endpoint: Endpoint;
  /** Which channels may serve it, under which model name. */
  readonly admission: Admission;
  readonly request: ParsedRequest;
  /** Absent for counts of tokens, which are not charged. */
  readonly price?: Price;
  /** Path and query. */
  readonly path: string;
  readonly rawBody: Buffer;
  readonly clientHeaders: IncomingHttpHeaders;
  /** Output tokens at which a stream ends. */
  readonly stopAt?: number | undefined;
  /** As it is reserved; absent for calls that are not charged. */
  readonly use?: (() => CallUse) | undefined;
  /** Ids of the channels that failed this call before, in order; absent: none. */
  readonly failedBefore?: readonly number[] | undefined;
  /** They failed with this model, so others are preferred. */
  readonly avoidsFailed?: boolean;
  readonly caller: Pick<Caller, 'user' | 'token'>;
  /** The text of the response is needed; absent: only if an option says so. */
  readonly keepsContent?: boolean;
  /** Absent where no guardrail concerns the caller. */
  readonly guard?: CallGuard | undefined;
  /** Absent where nothing is exported. */
  readonly trace?: CallTrace | undefined;
}

/** Whether the provider only counts the tokens of the call. */
export const isCount = ({ price }: Pick<Dispatch, 'price'>): boolean => price === undefined;
