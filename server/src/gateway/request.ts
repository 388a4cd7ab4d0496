import type { IncomingHttpHeaders } from 'node:http';
import type { ImageOrder } from '../billing/prices/index.js';
import type { FormPart } from '../dialects/contract.js';
import type { NamedId } from '../dialects/languages/ids/named-ids.js';
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

/** A request as it was received. */
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

/** A body, parsed as far as routing needs it. */
export interface OpenedBody {
  readonly body: Readonly<Record<string, unknown>>;
  readonly model: string;
  readonly form?: readonly FormPart[];
  /** Whether `body` has other fields than the bytes it was parsed from. */
  readonly isRewritten?: true;
  /** See `withoutOtherModels`. */
  readonly dropped?: readonly string[];
}

/** The fields of a call that the relay itself needs, for every endpoint. All other fields travel unchanged. */
export interface ParsedRequest {
  /** The JSON object, or the text fields of a form. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly model: string;
  readonly stream: boolean;
  /** The client wants the final usage of a stream, where its dialect lets it choose. */
  readonly wantsUsage: boolean;
  /** Maximum output tokens that the client allows; 0 when it sets no limit. */
  readonly maxOutput: number;
  /** The same where the balance or a budget pays for less than was asked for: no override may raise it. */
  readonly outputLimit?: number;
  /** The parts of a multipart form. */
  readonly form?: readonly FormPart[];
  /** Known before the call: prompt tokens of endpoints whose price depends on the request only. */
  readonly measuredTokens?: number;
  /** The requested images, for endpoints priced by them. The model that generates them is known later. */
  readonly images?: Omit<ImageOrder, 'upstreamModel'>;
  /** Images that the provider may draw with another model, as a tool of the call. */
  readonly drawing?: { readonly model: string; readonly size: string; readonly quality: string };
  /** Another model that the provider may ask for advice, as a tool of the call, and how long one piece of advice may be. */
  readonly advisor?: { readonly model: string; readonly maxOutput: number };
  /** Tools of the provider whose price is not known. Absent: there are none. */
  readonly unpriced?: UnpricedTools;
  /** Optional fields that were left out before a provider was called, by the client's own names. */
  readonly dropped?: readonly string[];
  /** Path and body for adapters, if they differ from the client's. */
  readonly sent?: { readonly path: string; readonly rawBody: Buffer };
  /** Embeddings as base64 text. */
  readonly base64?: boolean;
  /** Absent for calls that any account may serve. */
  readonly continued?: Continuation;
  /** A Gemini stream as one growing JSON list instead of events. */
  readonly jsonList?: boolean;
}

export interface UnpricedTools {
  /** As the client names them. */
  readonly names: readonly string[];
  /** Option UnpricedTools: the call is refused, or the tools are free. */
  readonly areRefused: boolean;
}

/** The response, file or reasoning that a call goes on from: only the account that made it knows it. */
export type Continuation =
  /** The channel and key that keep what the call names. */
  | { readonly kind: 'named'; readonly channelId: number; readonly keyMark: string; readonly named: NamedId }
  /** The call names something that this server did not give to its user: any account may keep it, for anybody. */
  | { readonly kind: 'foreign'; readonly userId: number; readonly named: NamedId }
  /** The channel and key that made the encrypted reasoning of the request. */
  | { readonly kind: 'reasoning'; readonly channelId: number; readonly keyMark: string };
