import type { ServerEvent } from './sse/event.js';

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
  /** Normalised: no trailing slash, never empty. */
  readonly baseUrl: string;
  /** The one key chosen for this attempt. */
  readonly key: string;
  readonly organization: string;
  readonly other: string;
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
}

/** Parsed `channel.setting` (`relay-core.md` 3.7). */
export interface ChannelSetting {
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
  readonly stream: boolean;
}

export interface UpstreamRequest {
  readonly method: 'POST' | 'GET';
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer | string | null;
}

export interface ChatCapability {
  /** @throws AppError UNSUPPORTED_BY_CHANNEL, naming the field, when the provider cannot carry the call's meaning */
  toUpstreamRequest(request: ChatRequest, target: Target): UpstreamRequest;
  /**
   * A whole answer. @returns `body` untouched bytes where the dialect is the client's.
   * @throws UpstreamError when a 200 carries an error
   */
  fromUpstreamResponse(body: Buffer, request: ChatRequest, target: Target): ChatAnswer;
  /** One per streamed call; its state dies with the call. */
  openStream(request: ChatRequest, target: Target): StreamTransform;
}

export interface ChatAnswer {
  readonly body: Buffer;
  /** Null: the provider reported none, and the relay counts locally. */
  readonly usage: Usage | null;
  /** What the answer says, for counting when there is no usage. */
  readonly produced: Produced;
}

/**
 * Turns the provider's stream into the client's. Bytes in, bytes out, so that a provider that speaks the client's
 * dialect forwards what came without rebuilding it.
 */
export interface StreamTransform {
  /** @returns what to send now, possibly empty. @throws UpstreamError on an error event */
  push(event: ServerEvent): string | Buffer | null;
  /** Called at the end of the upstream: what is still to be sent before the closing event. */
  end(): string | Buffer | null;
  usage(): Usage | null;
  /** What has been received so far, for counting when there is no usage. Read at the end or at an abort. */
  produced(): Produced;
  /** True once anything that a client would see as content was received. */
  readonly started: boolean;
}

/** Text waiting to be counted, and what can not be counted as text. */
export interface Produced {
  /** Visible text, reasoning, tool names and arguments not yet counted. */
  readonly text: string;
  /** Tokens counted already, so that memory stays bounded. */
  readonly countedTokens: number;
  readonly toolCalls: number;
  /** Audio, images or anything else that is a real answer without text. */
  readonly otherContent: boolean;
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
