import type { UpstreamError } from './errors/upstream-error.js';
import type { ProviderCodec } from './neutral/codec.js';
import type { Target } from './target.js';
import type { ServerEvent } from './wire/sse/event.js';
import type { Usage, UsageDetails } from '../shared/usage.js';

/**
 * How to call one provider. An adapter is data or pure functions: no network, no clock, no database. It declares a
 * capability or leaves it out. The relay core does everything else (keys, retries, timeouts, charges, logs).
 *
 * Chat is declared in the dialects that the provider speaks itself (`chat`, `messages`, `generate`, `responses`: bytes
 * pass through), in the neutral form (`conversation`), or both. A client whose dialect is not among the first four is
 * served through `conversation`; if that is missing, the output of `chat` is translated. One of these suffices for
 * every client.
 */
export interface Adapter {
  /** OpenAI's Chat Completions. */
  readonly chat?: ChatCapability;
  /** Anthropic's Messages. */
  readonly messages?: ChatCapability;
  /** Gemini's `generateContent` and `streamGenerateContent`; `path` names model and method. */
  readonly generate?: ChatCapability;
  /** Google's Interactions, which have no translation. */
  readonly interactions?: ChatCapability;
  /** OpenAI's Responses. */
  readonly responses?: ChatCapability;
  /** `POST /v1/responses/compact`: a conversation becomes a shorter input. Never streamed. */
  readonly compaction?: ChatCapability;
  /** Chat for clients of every dialect that is not declared above. */
  readonly conversation?: ConversationCapability;
  /**
   * Serves calls of clients of every other dialect over Responses. For the calls that it accepts, it takes precedence
   * over the fields above.
   */
  readonly overResponses?: ResponsesRoute;
  /**
   * Requests a response that the provider stores: reading, deleting or cancelling it.
   * @param path the path after `/responses/`, with its query
   */
  storedResponse?(method: 'GET' | 'DELETE' | 'POST', path: string, target: Target): UpstreamRequest;
  /** Files and other objects that the provider keeps for its account, in the API of its maker. */
  readonly keptObjects?: KeptObjectsCapability;
  /** Anthropic's `count_tokens`: responds with `input_tokens`. */
  readonly countMessages?: TokenCount;
  /** Gemini's `countTokens`: responds with `totalTokens`. */
  readonly countContents?: TokenCount;
  /** Completions of a prompt, without turns. */
  readonly completions?: ChatCapability;
  /** Completions between a prompt and a suffix, answered as chat completions, as Mistral does. */
  readonly fim?: ChatCapability;

  readonly embeddings?: OneShotCapability;
  readonly moderations?: OneShotCapability;
  /** Jina's shape: query and documents; returns `results` of index and relevance_score. */
  readonly rerank?: OneShotCapability;
  readonly images?: OneShotCapability;
  /** A multipart form, or JSON with `images` and `mask`, each with an `image_url` or a `file_id`. */
  readonly imageEdits?: OneShotCapability;
  /** A multipart form of one image, without a prompt. */
  readonly imageVariations?: OneShotCapability;
  /** Returns the audio bytes. */
  readonly speech?: OneShotCapability;
  /** A multipart form. */
  readonly transcription?: OneShotCapability;
  /** A multipart form. */
  readonly translation?: OneShotCapability;

  /** Set when the provider needs the key exchanged for a short-lived credential. */
  readonly credential?: CredentialExchange;
}

/** The parts of a target on which a credential depends. */
export type CredentialTarget = Pick<Target, 'channelId' | 'baseUrl' | 'key' | 'now'>;

/**
 * How a key is exchanged for a credential (OAuth and similar). The relay sends the request and caches the credential
 * per channel and key until shortly before it expires.
 */
export interface CredentialExchange {
  /** Whether the key has to be exchanged. Absent: always. If not, `credential` stays empty. */
  needed?(target: CredentialTarget): boolean;
  /** @param target its `credential` is still empty */
  toRequest(target: CredentialTarget): UpstreamRequest;
  /** @throws UpstreamError when the provider refuses the key, AppError UPSTREAM_INVALID_RESPONSE */
  fromAnswer(answer: UpstreamAnswer): { readonly credential: string; readonly secondsToLive: number };
}

/** A client's request in the client's dialect. `body` is the parsed object, including every unknown field. */
export interface ChatRequest {
  /** Path and query as the client sent them; `/hf` and `/pg` aliases are already resolved to `/v1`. */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The bytes that `body` was parsed from: forwarded unchanged if nothing has to change. */
  readonly rawBody: Buffer;
  /** Whether to call the provider with streaming; false for a client's stream over a channel that cannot stream. */
  readonly stream: boolean;
  /** `stream_options.include_usage`: the client wants the closing usage chunk. */
  readonly wantsUsage: boolean;
  /** Client headers that matter to the provider (`clientHeaders` of its row). Lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request to a provider. */
export interface UpstreamRequest {
  readonly method: 'POST' | 'GET' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer | string | null;
  /** Returns the headers for another body. Absent: the provider requires no signature of the body. */
  readonly signedFor?: (body: string) => Record<string, string>;
  /** Set when the URL belongs to a WebSocket and `body` is its first message. */
  readonly socket?: SocketExchange;
  /** The effort that the adapter took from the model's name or the body; it is written to the log. */
  readonly reasoningEffort?: string;
  /** The model name, if it differs from the target's because a suffix was removed. */
  readonly upstreamModel?: string;
  /** Optional fields the provider does not support, by the client's own names: left out and reported to the client. */
  readonly dropped?: readonly string[];
}

/** A call through a WebSocket. */
export interface SocketExchange {
  /** How received messages are passed on: as one event each, or as one JSON list. */
  readonly form: 'events' | 'list';
  /** Whether a message is the last one. The socket is then closed. */
  isLast(message: string): boolean;
}

/** A complete response of a provider with a successful status. */
export interface UpstreamAnswer {
  /** Lower case; '' when the provider sent none. */
  readonly contentType: string;
  readonly body: Buffer;
}

/** Chat in a dialect that client and provider share: input and output use the same dialect. */
export interface ChatCapability {
  /** Whether the provider takes this body in the dialect; otherwise the call is translated. Absent: any body. */
  serves?(body: Readonly<Record<string, unknown>>, target: Target): boolean;
  /** @throws AppError UNSUPPORTED_BY_CHANNEL, naming the field, when the provider cannot express the request */
  toUpstreamRequest(request: ChatRequest, target: Target): UpstreamRequest;
  /**
   * Converts a complete response.
   * @param request absent when only the usage matters
   * @returns the same bytes if they are already in the client's dialect.
   * @throws UpstreamError when a 200 contains an error; AppError UPSTREAM_INVALID_RESPONSE when it cannot be read
   */
  fromUpstreamResponse(body: Buffer, target: Target, request?: ChatRequest): ChatAnswer;
  /** One per streamed call; its state is discarded with the call. */
  openStream(request: ChatRequest, target: Target, transcript: Transcript): StreamTransform;
}

/** The APIs in which makers keep objects for an account. */
export type ObjectApi = 'openai' | 'anthropic' | 'gemini';

/** Requests about objects that a provider keeps for its account. Bodies pass through, in both directions. */
export interface KeptObjectsCapability {
  readonly api: ObjectApi;
  /**
   * Returns the request without its body.
   * @param path with its query, as the maker documents it: `/v1/files/file-1/content`, `/upload/v1beta/files`
   * @param headers of the client that the provider gets
   */
  toUpstreamRequest(
    method: UpstreamRequest['method'],
    path: string,
    target: Target,
    headers: Readonly<Record<string, string>>,
  ): UpstreamRequest;
}

/** Counts the tokens of a request in a client's dialect, without generating a response. */
export interface TokenCount {
  toUpstreamRequest(request: ChatRequest, target: Target): UpstreamRequest;
  /** The response in the client's dialect; missing: unchanged. */
  fromUpstreamResponse?(body: Buffer): Buffer;
}

/** A complete chat response of a provider. */
export interface ChatAnswer {
  readonly body: Buffer;
  /** Null: the provider reported none, and the relay counts the text reported to a transcript. */
  readonly usage: Usage | null;
  /** The provider's id of the response, in dialects whose providers store responses. */
  readonly id?: string | undefined;
  /** The last encrypted reasoning of the response, in dialects that have it. */
  readonly proof?: string | undefined;
  /** Ids by which the client may later name what the provider keeps. Absent: the dialect has none. */
  readonly givenIds?: readonly string[] | undefined;
  /** Reports the content of the response. Called when it has to be counted or logged. */
  report(transcript: Transcript): void;
  /** The body with the usage counted here, for dialects in which every response states its usage. */
  withUsage?(usage: Usage): Buffer;
}

/** Chat in the neutral form: a codec for the provider's dialect, and the request to send its bodies with. */
export interface ConversationCapability {
  codec(target: Target): ProviderCodec;
  /** @param body written by the codec, with `param_override` */
  toUpstreamRequest(body: Record<string, unknown>, call: ConversationRequest, target: Target): UpstreamRequest;
  /** Splits the provider's stream into events, where it does not use server-sent events. */
  openFrames?(): FrameParser;
}

/** Responses as the upstream of calls that the provider's chat completions refuse. */
export interface ResponsesRoute extends ConversationCapability {
  /** @param body in the client's dialect */
  takes(body: Readonly<Record<string, unknown>>, target: Target): boolean;
}

/** A chat request in the neutral form, with the values that the adapter needs for the URL. */
export interface ConversationRequest {
  /** Whether to call the provider with streaming. */
  readonly stream: boolean;
  /** The model requested from the provider: the target's, or without a suffix that the codec interpreted. */
  readonly model: string;
  /** Client headers, as in `ChatRequest`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Parses bytes, split anywhere, into events. */
export interface FrameParser {
  push(bytes: Buffer): ServerEvent[];
  end(): ServerEvent[];
}

/** A call with a single response, in OpenAI's shape on the client's side (rerank: Jina's). */
export interface OneShotCapability {
  /** @throws AppError UNSUPPORTED_BY_CHANNEL, naming the field, when the provider cannot express the request */
  toUpstreamRequest(request: OneShotRequest, target: Target): UpstreamRequest;
  /**
   * For providers that respond with a job id: the request that polls it, and when to send it. Null: the response is
   * final.
   * @throws UpstreamError when the job failed
   */
  next?(answer: UpstreamAnswer, target: Target): { request: UpstreamRequest; afterMilliseconds: number } | null;
  /** @throws UpstreamError when a 200 contains an error; AppError UPSTREAM_INVALID_RESPONSE when it cannot be read */
  fromUpstreamResponse(answer: UpstreamAnswer, request: OneShotRequest, target: Target): OneShotAnswer;
  /**
   * The provider's response goes to the client unchanged, so a long one, or a stream of events, may be forwarded while
   * it arrives.
   */
  readonly forwards?: boolean;
  /** The provider never streams the response. A stream is then refused rather than answered as a whole. */
  readonly onlyWhole?: true;
}

/** A non-streaming request of a client. */
export interface OneShotRequest {
  /** Path and query as the client sent them. */
  readonly path: string;
  /** The JSON object, or the text fields of a form. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The bytes that `body` was parsed from; for a form, the complete multipart body. */
  readonly rawBody: Buffer;
  /** The parts of a multipart form in order; null for JSON. `forms/multipart.ts` serializes them. */
  readonly form: readonly FormPart[] | null;
}

/** One part of a multipart form, in the order sent. */
export interface FormPart {
  readonly name: string;
  readonly value: string | FormFile;
}

/** A file of a multipart form. */
export interface FormFile {
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** A non-streaming response for the client. */
export interface OneShotAnswer {
  readonly contentType: string;
  readonly body: Buffer;
  /** Null if the provider reported none: the relay then counts tokens or measures audio. */
  readonly usage: Usage | null;
  /** Quantities that the provider reports beside tokens, or without them. */
  readonly details?: UsageDetails | undefined;
}

/**
 * Converts the provider's stream into the client's, from bytes to bytes, so that a provider that speaks the client's
 * dialect is forwarded without rebuilding events. Adapters that translate event by event wrap an `EventTransform` with
 * `sse/event-stream.ts`.
 */
export interface StreamTransform {
  /** @returns complete events to send now, or null. Never the final events: see `closing`. */
  push(bytes: Buffer): Buffer | string | null;
  /**
   * Called when the provider's stream ends.
   * @returns events that are still to be sent before the final ones
   */
  end(): Buffer | string | null;
  /** Reports everything received and not yet reported to the transcript. Called once, when usage has to be counted. */
  report(): void;
  /**
   * The final events of the stream, sent after the call was charged.
   * @param usage the charged usage
   */
  closing(usage: Usage): Buffer | string;
  usage(): Usage | null;
  /** The provider's id of the response, once the stream is complete. */
  readonly answerId?: string | undefined;
  /** The last encrypted reasoning of the response, in dialects that have it. */
  readonly proof?: string | undefined;
  /** Ids by which the client may later name what the provider keeps. Absent: the dialect has none. */
  readonly givenIds?: readonly string[] | undefined;
  /** The provider's end marker arrived: later bytes are ignored. */
  readonly done: boolean;
  /** Whether the provider marked the response as complete (end marker, finish reason or usage chunk). Read after `end`. */
  readonly complete: boolean;
  /** An error that the provider reported inside the stream; null otherwise. */
  readonly failure: UpstreamError | null;
  /** Why the provider could not serve the call, if its last event says so. The client gets that event unchanged. */
  readonly reportedFailure?: UpstreamError | undefined;
  /** Output tokens that were sent, once the stream was ended here because no more was reserved. Absent: it never is. */
  readonly stoppedAt?: number | null;
}

/**
 * Collects the provider's output, to count tokens when the provider does not report them, and to log it if an admin
 * enabled that.
 */
export interface Transcript {
  /** Visible text, reasoning, tool names and arguments. */
  text(text: string): void;
  /** One tool call, reported with the chunk that has its name. */
  toolCall(): void;
  /** Audio, images or other output without text. */
  otherContent(): void;
}
