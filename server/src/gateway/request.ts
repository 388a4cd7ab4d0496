import type { IncomingHttpHeaders } from 'node:http';
import type { ImageRequest } from '../billing/prices/index.js';
import type { FormPart } from '../dialects/contract.js';
import type { NamedId } from '../dialects/languages/provider-ids.js';
import type { ImageTerms } from '../dialects/neutral/made-image.js';
import type { TurnMemory } from '../dialects/wire/forms/known-turns.js';
import type { Caller } from './admit/authentication.js';
import type { BodyGrant } from './admit/body-budget.js';
import type { CallTrace } from './observe/tracing/call-trace.js';

/** Limits of the body of one call. */
export interface BodyAllowance {
  /** Bytes, before and after decompression. The route's own limit applies when this is absent or larger. */
  readonly maxBytes?: number | undefined;
  /** Counts the bytes while they are read and decompressed. */
  readonly grant?: BodyGrant;
  /** The caller's token. */
  readonly tokenId?: number;
  /** The earlier bodies of each token. */
  readonly conversations?: { of(tokenId: number): TurnMemory };
}

/** A request as it was received. */
export interface IncomingRequest {
  readonly requestId: string;
  readonly headers: IncomingHttpHeaders;
  /** Path without its query; `/hf/v1` is already `/v1`. */
  readonly path: string;
  /** The query after `?`; may be empty. */
  readonly query: string;
  /** The client's address. X-Forwarded-For is used only for trusted proxies. */
  readonly address: string;
  /** Time of arrival, by `performance.now()`. */
  readonly startedAt: number;
  /** The caller, when it is known without a key. */
  readonly caller?: Caller;
  /** Absent when no telemetry is exported. */
  readonly trace?: CallTrace | undefined;
  /**
   * Reads the whole body and decompresses it.
   * @throws AppError PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, INVALID_INPUT, RATE_LIMITED, SERVICE_UNAVAILABLE
   */
  readBody(allowance?: BodyAllowance): Promise<Buffer>;
}

/** A body that is parsed as far as routing needs it. */
export interface OpenedBody {
  readonly body: Readonly<Record<string, unknown>>;
  readonly model: string;
  readonly form?: readonly FormPart[];
  /** Whether the fields of `body` differ from the bytes that it was parsed from. */
  readonly isRewritten?: true;
  /** Models that the client itself names as fallbacks, in order. Absent: the fallbacks of the site apply. */
  readonly fallbackModels?: readonly string[];
  /** Names of the fields that `withoutOtherModels` removed. */
  readonly dropped?: readonly string[];
}

/** The fields of a call that the relay itself needs, for every endpoint. All other fields are forwarded unchanged. */
export interface ParsedRequest {
  /** The JSON object, or the text fields of a form. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly model: string;
  readonly stream: boolean;
  /** Whether the client wants the final usage of a stream, in dialects that let it choose. */
  readonly wantsUsage: boolean;
  /** Maximum output tokens that the client allows; 0 when it sets no limit. */
  readonly maxOutput: number;
  /**
   * Maximum output tokens of the call when the balance or a budget pays for less than was requested. No override may
   * raise it.
   */
  readonly outputLimit?: number;
  /** The parts of a multipart form. */
  readonly form?: readonly FormPart[];
  /** Prompt tokens that are known before the call, at endpoints whose price depends on the request only. */
  readonly measuredTokens?: number;
  /** The requested images, for endpoints that are priced by images. The model that generates them is known later. */
  readonly images?: Omit<ImageRequest, 'upstreamModel'> & ImageTerms;
  /** Images that the provider may draw with another model, for a tool of the call. */
  readonly drawing?: { readonly model: string } & ImageTerms;
  /**
   * Another model that the provider may ask for advice, for a tool of the call, and the maximum length of one piece of
   * advice.
   */
  readonly advisor?: { readonly model: string; readonly maxOutput: number };
  /** Whether the types of its tools are those of Google, which charges neither for code nor for searches of files. */
  readonly toolsOfGoogle?: true;
  /** Tools of the provider that have no known price. Absent when there are none. */
  readonly unpriced?: UnpricedTools;
  /** Optional fields that were removed before a provider was called, by the client's own names. */
  readonly dropped?: readonly string[];
  /** The path and body that adapters get, if they differ from the client's. */
  readonly sent?: { readonly path: string; readonly rawBody: Buffer };
  /** Whether embeddings are returned as base64 text. */
  readonly base64?: boolean;
  /** Absent for calls that any account may serve. */
  readonly continued?: Continuation;
  /** Whether a Gemini stream is sent as one growing JSON list instead of events. */
  readonly jsonList?: boolean;
}

export interface UnpricedTools {
  /** The tools as the client names them. */
  readonly names: readonly string[];
  /** Whether such a call is refused; otherwise the tools are free (option UnpricedTools). */
  readonly areRefused: boolean;
}

/** The response, file or reasoning that a call continues. Only the provider account that created it knows it. */
export type Continuation =
  /** The channel and key that store the object that the call names. */
  | { readonly kind: 'named'; readonly channelId: number; readonly keyMark: string; readonly named: NamedId }
  /**
   * The call names an object that this server did not return to its user. Any account may store it, for any customer.
   */
  | { readonly kind: 'foreign'; readonly userId: number; readonly named: NamedId }
  /** The channel and key that created the encrypted reasoning of the request. */
  | { readonly kind: 'reasoning'; readonly channelId: number; readonly keyMark: string };
