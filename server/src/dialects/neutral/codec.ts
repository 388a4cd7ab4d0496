import type { ServerEvent } from '../wire/sse/event.js';
import type { Usage } from '../../shared/usage.js';
import type { NeutralAnswer } from './answer.js';
import type { Dialect } from './dialect.js';
import type { NeutralEvent } from './event.js';
import type { Fields } from './fields.js';
import type { NeutralRequest } from './request.js';

/** A call as the client made it. */
export interface ClientRequest {
  readonly body: Fields;
  /** The model, for Gemini, which has model and streaming in the path. The other dialects have them in the body. */
  readonly model?: string;
  readonly stream?: boolean;
}

/** Stores responses that a client may continue. */
export interface AnswerStore {
  /** The response that this one continues. */
  readonly previousId: string | null;
  /** @param response the response as the client reads it; null: the provider stores it */
  keep(id: string, response: Fields | null): void;
  /**
   * Records a response that its provider stores and that the client must not get: it can be neither read nor continued.
   */
  refuse(id: string): void;
}

/** Fields of a response that do not come from the provider's content. */
export interface AnswerContext {
  /** Used when the provider gave no id, and in ids generated here. */
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  /** Used when the provider named no model. */
  readonly model: string;
  /** Shown to the client instead of the provider's model name. */
  readonly shownModel?: string;
  /** An estimate for dialects that state the prompt tokens before the content; 0 when unknown. */
  readonly promptTokens: number;
  readonly includeUsage: boolean;
  /** The client's request, for dialects that repeat it in the response. */
  readonly body: Fields;
  /** Present when the response can be continued by its id, in dialects with that feature. */
  readonly store?: AnswerStore;
  /** Gemini: whether the client wants server-sent events or one growing JSON list. */
  readonly jsonList?: boolean;
}

/** Reads requests and writes responses in a client's dialect. */
export interface ClientCodec {
  readonly dialect: Dialect;
  /** @throws AppError INVALID_INPUT naming the field */
  parse(call: ClientRequest): NeutralRequest;
  /**
   * Called with a complete response before it is charged.
   * @throws AppError UPSTREAM_INVALID_RESPONSE when the client cannot use it: another channel may serve the call
   */
  check?(answer: NeutralAnswer): void;
  /** A complete response as the client's JSON body. */
  toAnswer(answer: NeutralAnswer, context: AnswerContext): Fields;
  openWriter(context: AnswerContext): StreamWriter;
}

/** One per streamed call; its state is discarded with the call. */
export interface StreamWriter {
  /** @param events all events of one read from the provider, so that related ones can be joined */
  push(events: readonly NeutralEvent[]): string;
  /** Called at the end of the provider's stream: closes everything that is open, except for `closing`. */
  end(): string;
  /** The final events of the stream, sent after the call was charged. */
  closing(usage: Usage): string;
}

/** A request in a provider's dialect. */
export interface WrittenRequest {
  readonly body: Record<string, unknown>;
  /** The model requested from the provider, if a suffix of the name was interpreted. */
  readonly model?: string;
  /** Optional fields the provider does not support, by the client's own names: left out and reported. */
  readonly dropped: readonly string[];
}

/**
 * Writes requests and reads responses in a provider's dialect. Differences of one provider or channel are decided when
 * the codec is created.
 */
export interface ProviderCodec {
  /** `own`: a dialect of this provider only. */
  readonly dialect: Dialect | 'own';
  /**
   * @throws AppError UNSUPPORTED_BY_CHANNEL naming a meaningful field that the provider cannot express, INVALID_INPUT
   * naming an invalid field
   */
  write(request: NeutralRequest): WrittenRequest;
  /**
   * @throws UpstreamError when the response reports an error; AppError UPSTREAM_INVALID_RESPONSE when it cannot be read
   */
  read(body: unknown): NeutralAnswer;
  openReader(): StreamReader;
  /** Whether the provider itself fetches this URL; otherwise the media must be embedded. Missing: always. */
  fetches?(url: string): boolean;
  /**
   * Refuses requests that the provider cannot serve whatever their URLs contain. Called before anything is downloaded.
   * @throws AppError UNSUPPORTED_BY_CHANNEL naming the field
   */
  checkMedia?(request: NeutralRequest): void;
}

/** One per streamed call; its state is discarded with the call. */
export interface StreamReader {
  push(event: ServerEvent): NeutralEvent[];
  /** Whether the provider's end marker was received. */
  readonly done: boolean;
}

/** Reads a stream as its client gets it, and can end it at any event. One per streamed call. */
export interface StreamEnding {
  push(event: ServerEvent): NeutralEvent[];
  /**
   * Returns the events that end the stream with the reason "length". They continue the indexes, ids and numbers that
   * the client has seen. They are sent after the call was charged.
   */
  end(usage: Usage): string;
}
