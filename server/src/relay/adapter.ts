/**
 * How a provider is spoken to. An adapter is data or pure functions: no network, no clock, no database. It offers a
 * capability or leaves it out. The relay core does everything else (keys, retries, timeouts, money, logs).
 */
export interface Adapter {
  readonly chat?: ChatCapability;
}

/** Everything an adapter may know of the channel a call goes to. Credentials and address travel as one object. */
export interface Target {
  readonly channelId: number;
  readonly type: number;
  /** As the admin typed it, trimmed; empty means the provider's own address. */
  readonly baseUrl: string;
  /** The one key chosen for this attempt. */
  readonly key: string;
  readonly organization: string;
  readonly other: string;
  /** Unix seconds. */
  readonly createdTime: number;
  readonly setting: ChannelSetting;
  /** Model name after prefix and mapping: what the provider is asked for. */
  readonly upstreamModel: string;
  /** What the client asked for, routing prefix included. */
  readonly requestedModel: string;
  /** Every model name of the channel: a suffix is not cut from a name that stands here. */
  readonly models: readonly string[];
  /** FORCE_STREAM_OPTION. */
  readonly forceStreamUsage: boolean;
  /** `param_override`: merged over the top level of the converted body. Null when the channel has none. */
  readonly override: Readonly<Record<string, unknown>> | null;
  /** Option `global.pass_through_request_enabled`: only the model name may still be rewritten. */
  readonly passThrough: boolean;
}

/** Parsed `channel.setting` (`relay-core.md` 3.7). */
export interface ChannelSetting {
  /** http, https or socks5 URL. */
  readonly proxy?: string;
  readonly forceFormat?: boolean;
  readonly thinkingToContent?: boolean;
  readonly nonStreamOnly?: boolean;
}

/** What a client asked for, in the client's dialect. `body` is the parsed object with every unknown field still in it. */
export interface ChatRequest {
  /** Path and query as the client sent it, `/hf` and `/pg` aliases already resolved to `/v1`. */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The bytes `body` came from: forwarded as they are when nothing has to change. */
  readonly rawBody: Buffer;
  /** How the provider is called; a client's stream over a channel that cannot stream has false here. */
  readonly stream: boolean;
  /** `stream_options.include_usage`: the client wants the closing usage chunk. */
  readonly wantsUsage: boolean;
}

export interface UpstreamRequest {
  readonly method: 'POST' | 'GET';
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer | string | null;
  /** When the adapter took it from the model's name or the body; goes to the log. */
  readonly reasoningEffort?: string;
  /** When it differs from the target's, because a suffix was cut. */
  readonly upstreamModel?: string;
}

export interface ChatCapability {
  /** @throws AppError UNSUPPORTED_BY_CHANNEL, naming the field, when the provider cannot carry the call's meaning */
  toUpstreamRequest(request: ChatRequest, target: Target): UpstreamRequest;
  /**
   * A whole answer. @returns untouched bytes where the dialect is the client's.
   * @throws UpstreamError when a 200 carries an error; AppError UPSTREAM_INVALID_RESPONSE when it cannot be read
   */
  fromUpstreamResponse(body: Buffer, target: Target): ChatAnswer;
  /** One per streamed call; its state dies with the call. */
  openStream(request: ChatRequest, target: Target, heard: Transcript): StreamTransform;
}

export interface ChatAnswer {
  readonly body: Buffer;
  /** Null: the provider reported none, and the relay counts what is told to a transcript. */
  readonly usage: Usage | null;
  /** Tells what the answer says. Called when it has to be counted or logged. */
  tell(heard: Transcript): void;
}

/**
 * Turns the provider's stream into the client's, bytes in and bytes out, so that a provider that speaks the client's
 * dialect forwards what came without rebuilding it. Adapters that translate event by event wrap an `EventTransform` with
 * `sse/event-stream.ts`.
 */
export interface StreamTransform {
  /** @returns whole events to send now, or null. Never the closing ones: see `closing`. */
  push(bytes: Buffer): Buffer | string | null;
  /** The upstream ended: what is still to be sent before the closing events. */
  end(): Buffer | string | null;
  /** Tells the transcript everything that was received and not told yet. Called once, when usage has to be counted. */
  tell(): void;
  /** What ends the stream for the client; sent after the call was paid. `usage` is what it was charged for. */
  closing(usage: Usage): Buffer | string;
  usage(): Usage | null;
  /** The provider's own end mark was seen: nothing that follows matters. */
  readonly done: boolean;
  /** The provider said that the answer is complete (end mark, finish reason or usage). Read after `end`. */
  readonly complete: boolean;
  /** An error the provider reported inside the stream, null while all is well. */
  readonly failure: UpstreamError | null;
}

/** Hears what a provider produced, to count it when the provider does not, and to log it where the admin wants that. */
export interface Transcript {
  /** Visible text, reasoning, tool names and arguments. */
  text(text: string): void;
  /** One call of a tool, in whichever piece its name arrived. */
  toolCall(): void;
  /** Audio, images or anything else that is a real answer without text. */
  otherContent(): void;
}

/**
 * What a call cost, in the one inner form (`relay-providers.md` 0.8): prompt is inclusive of cache read and write,
 * completion inclusive of reasoning. All whole numbers, never negative.
 */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
  readonly audioInputTokens: number;
  readonly audioOutputTokens: number;
}

export const noUsage: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  audioInputTokens: 0,
  audioOutputTokens: 0,
};

/** The provider refused or broke. `status`, `code`, `type` and `message` are its own words before any mapping. */
export class UpstreamError extends Error {
  constructor(
    readonly status: number,
    readonly detail: {
      readonly message: string;
      readonly type?: string;
      readonly param?: string | null;
      readonly code?: string | number | null;
      readonly retryAfter?: string;
    },
    options?: ErrorOptions,
  ) {
    super(detail.message, options);
    this.name = 'UpstreamError';
  }
}
