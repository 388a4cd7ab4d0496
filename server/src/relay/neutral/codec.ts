import type { ServerEvent } from '../sse/event.js';
import type { Usage } from '../usage.js';
import type { NeutralAnswer } from './answer.js';
import type { Dialect } from './dialect.js';
import type { NeutralEvent } from './event.js';
import type { Fields } from './fields.js';
import type { NeutralRequest } from './request.js';

/** A call as a client made it. */
export interface ClientCall {
  readonly body: Fields;
  /** Gemini names model and streaming in the path, the others in the body. */
  readonly model?: string;
  readonly stream?: boolean;
}

/** What an answer is dressed with, beside what the provider said. */
export interface AnswerContext {
  /** Stands where the provider gave no id, and in ids we make. */
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  /** Shown where the provider named no model. */
  readonly model: string;
  /** Shown whatever the provider named. */
  readonly shownModel?: string;
  /** An estimate for dialects that tell the prompt's size before the answer; 0 when nobody knows. */
  readonly promptTokens: number;
  readonly includeUsage: boolean;
  /** The client's own request, for dialects that repeat it in the answer. */
  readonly body: Fields;
  /** Gemini: whether the client wants server-sent events or one growing JSON list. */
  readonly jsonList?: boolean;
}

/** Speaks a dialect to clients. */
export interface ClientCodec {
  readonly dialect: Dialect;
  /** @throws AppError INVALID_INPUT naming the field */
  parse(call: ClientCall): NeutralRequest;
  /** A whole answer as the client's JSON body. */
  toAnswer(answer: NeutralAnswer, context: AnswerContext): Fields;
  openWriter(context: AnswerContext): StreamWriter;
}

/** One per streamed call; its state dies with the call. */
export interface StreamWriter {
  /** @param events everything one read of the provider said, so that what belongs together becomes one event */
  push(events: readonly NeutralEvent[]): string;
  /** The provider said all it had to say: whatever is open is closed, but for `closing`. */
  end(): string;
  /** What ends the stream; sent after the call was paid. */
  closing(usage: Usage): string;
}

/** A request in a provider's dialect. */
export interface WrittenRequest {
  readonly body: Record<string, unknown>;
  /** Asked of the provider, where a suffix was read out of the name. */
  readonly model?: string;
  /** Hints the provider does not know, by the client's own names: left out, and said so. */
  readonly dropped: readonly string[];
}

/** Speaks a dialect to providers. What one provider or channel wants differently was decided when it was made. */
export interface ProviderCodec {
  /** `own`: nobody else speaks it. */
  readonly dialect: Dialect | 'own';
  /**
   * @throws AppError UNSUPPORTED_BY_CHANNEL naming the field that carries meaning the provider cannot have,
   * INVALID_INPUT naming the field that is wrong
   */
  write(request: NeutralRequest): WrittenRequest;
  /** @throws UpstreamError when the answer reports an error; AppError UPSTREAM_INVALID_RESPONSE when it cannot be read */
  read(body: unknown): NeutralAnswer;
  openReader(): StreamReader;
  /** Whether the provider fetches what lies at an address itself; what it does not has to be put in. Missing: always. */
  fetches?(url: string): boolean;
}

/** One per streamed call; its state dies with the call. */
export interface StreamReader {
  push(event: ServerEvent): NeutralEvent[];
  /** The provider's own end mark was seen. */
  readonly done: boolean;
}
