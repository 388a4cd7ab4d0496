import type { UpstreamError } from './errors/upstream-error.js';
import type { ProviderCodec } from './neutral/codec.js';
import type { ClaudeSettings } from './protocols/anthropic/claude-settings.js';
import type { GeminiSettings } from './protocols/gemini/gemini-settings.js';
import type { ServerEvent } from './sse/event.js';
import type { Usage } from './usage.js';

/**
 * How a provider is spoken to. An adapter is data or pure functions: no network, no clock, no database. It offers a
 * capability or leaves it out. The relay core does everything else (keys, retries, timeouts, money, logs).
 *
 * Chat is offered in the dialects the provider speaks itself (`chat`, `messages`, `generate`, `responses`: bytes pass
 * through), in the neutral form (`conversation`), or both. A client whose dialect is not among the first four is served
 * by `conversation`, and where that is missing by translating what `chat` says. One of them is enough for every client.
 */
export interface Adapter {
  /** Chat completions. */
  readonly chat?: ChatCapability;
  /** Anthropic's Messages. */
  readonly messages?: ChatCapability;
  /** Gemini's `generateContent` and `streamGenerateContent`; `path` names model and method. */
  readonly generate?: ChatCapability;
  /** OpenAI's Responses. */
  readonly responses?: ChatCapability;
  /** Chat for clients of every dialect that is not offered above. */
  readonly conversation?: ConversationCapability;
  /** Completions of a prompt, without turns. */
  readonly completions?: ChatCapability;

  readonly embeddings?: OneShotCapability;
  readonly moderations?: OneShotCapability;
  /** Jina's form: query, documents; answers `results` of index and relevance_score. */
  readonly rerank?: OneShotCapability;
  readonly images?: OneShotCapability;
  /** A multipart form. */
  readonly imageEdits?: OneShotCapability;
  /** Answers the sound itself. */
  readonly speech?: OneShotCapability;
  /** A multipart form. */
  readonly transcription?: OneShotCapability;
  /** A multipart form. */
  readonly translation?: OneShotCapability;

  /** The provider wants its key exchanged for a credential that lives for a while. */
  readonly credential?: CredentialExchange;
}

/** What admins decided for all channels of a family (options `claude.*`, `gemini.*`). */
export interface FamilySettings {
  readonly claude: Omit<ClaudeSettings, 'remoteMedia'>;
  /** Headers by model, then name: they replace those the adapter sets. */
  readonly claudeHeaders: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  readonly gemini: Omit<GeminiSettings, 'imageLimit' | 'callIds'>;
  /** API version by model, `default` for the others. */
  readonly geminiVersions: Readonly<Record<string, string>>;
  /** This site, for providers that want to know who calls. The address may be empty. */
  readonly site: { readonly address: string; readonly name: string };
}

/** Fields and forms of OpenAI's dialect that a provider accepts. The body is changed where it does not. */
export interface Accepts {
  /** Role `developer` in messages. False: sent as `system`. */
  readonly developerRole: boolean;
  /** OpenAI's account fields (`accountFields` of `openai-compatible/accepted.ts`). False: left out and reported. */
  readonly accountFields: boolean;
  /** `reasoning_effort`. False: left out and reported. */
  readonly reasoningEffort: boolean;
  /**
   * Form of tool call ids. `any`: as the client sent them. Otherwise ids that are not exactly `length` letters and
   * digits are replaced by a hash of that length; equal ids stay equal.
   */
  readonly callIds: 'any' | { readonly length: number };
}

export const acceptsEverything: Accepts = {
  developerRole: true,
  accountFields: true,
  reasoningEffort: true,
  callIds: 'any',
};

/** Everything an adapter may know of the channel a call goes to. Credentials and address travel as one object. */
export interface Target {
  readonly channelId: number;
  readonly type: number;
  /** The channel's address, else the provider's default; empty where neither has one. */
  readonly baseUrl: string;
  readonly accepts: Accepts;
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
  /** AZURE_DEFAULT_API_VERSION: for channels that name none. */
  readonly azureVersion?: string;
  /** `param_override`: merged over the top level of the converted body. Null when the channel has none. */
  readonly override: Readonly<Record<string, unknown>> | null;
  /** Option `global.pass_through_request_enabled`: only the model name may still be rewritten. */
  readonly passThrough: boolean;
  readonly families: FamilySettings;
  /** What `credential` of the adapter got for the key; '' where it has none. */
  readonly credential: string;
  /** Unix milliseconds, for signatures. */
  readonly now: number;
}

/**
 * How a key becomes what is sent (OAuth and its relatives). The relay asks, and keeps the credential per channel and key
 * until shortly before it ends.
 */
export interface CredentialExchange {
  /** Whether the key has to be exchanged at all; missing: always. One that has not leaves `credential` empty. */
  needed?(target: Target): boolean;
  /** @param target its `credential` is '' here */
  toRequest(target: Target): UpstreamRequest;
  /** @throws UpstreamError when the provider refuses the key, AppError UPSTREAM_INVALID_RESPONSE */
  fromAnswer(answer: UpstreamAnswer): { readonly credential: string; readonly secondsToLive: number };
}

/** Parsed `channel.setting` (docs/reference/relay/routing.md#per-channel-settings). */
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
  /** Headers of the client that mean something to the provider: `anthropic-version`, `anthropic-beta`. Lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface UpstreamRequest {
  readonly method: 'POST' | 'GET';
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer | string | null;
  /** The address is one of a web socket and `body` its first message. */
  readonly socket?: SocketCall;
  /** When the adapter took it from the model's name or the body; goes to the log. */
  readonly reasoningEffort?: string;
  /** When it differs from the target's, because a suffix was cut. */
  readonly upstreamModel?: string;
  /** Hints the provider does not know, by the client's own names: left out, and said so. */
  readonly dropped?: readonly string[];
}

export interface SocketCall {
  /** What comes back is told as events, one for each message, or as one JSON list of them. */
  readonly form: 'events' | 'list';
  /** Nothing follows this message: the socket is closed. */
  isLast(message: string): boolean;
}

/** A whole answer as a provider gave it; the status was a success. */
export interface UpstreamAnswer {
  /** Lower case, '' when the provider named none. */
  readonly contentType: string;
  readonly body: Buffer;
}

/** Chat in one dialect that client and provider share: what comes in is that dialect, and so is what goes out. */
export interface ChatCapability {
  /** @throws AppError UNSUPPORTED_BY_CHANNEL, naming the field, when the provider cannot carry the call's meaning */
  toUpstreamRequest(request: ChatRequest, target: Target): UpstreamRequest;
  /**
   * A whole answer. @returns untouched bytes where the dialect is the client's.
   * @throws UpstreamError when a 200 carries an error; AppError UPSTREAM_INVALID_RESPONSE when it cannot be read
   */
  fromUpstreamResponse(body: Buffer, target: Target): ChatAnswer;
  /** One per streamed call; its state dies with the call. */
  openStream(request: ChatRequest, target: Target, transcript: Transcript): StreamTransform;
}

export interface ChatAnswer {
  readonly body: Buffer;
  /** Null: the provider reported none, and the relay counts what is told to a transcript. */
  readonly usage: Usage | null;
  /** Tells what the answer says. Called when it has to be counted or logged. */
  report(transcript: Transcript): void;
  /** The body once more with what was counted here, for dialects in which every answer says what it cost. */
  withUsage?(usage: Usage): Buffer;
}

/** Chat in the neutral form: a codec for the provider's dialect, and where its bodies go. */
export interface ConversationCapability {
  codec(target: Target): ProviderCodec;
  /** @param body what the codec wrote, `param_override` not yet merged */
  toUpstreamRequest(body: Record<string, unknown>, call: ConversationCall, target: Target): UpstreamRequest;
  /** How the provider's stream is cut into events, where they are not server-sent events. */
  openFrames?(): FrameParser;
}

export interface ConversationCall {
  /** How the provider is called. */
  readonly stream: boolean;
  /** Asked of the provider: the target's, or without a suffix that the codec read. */
  readonly model: string;
}

/** Bytes to events, cut anywhere. */
export interface FrameParser {
  push(bytes: Buffer): ServerEvent[];
  end(): ServerEvent[];
}

/** A call that is answered in one piece, in OpenAI's form on the client's side (rerank: Jina's). */
export interface OneShotCapability {
  /** @throws AppError UNSUPPORTED_BY_CHANNEL, naming the field, when the provider cannot carry the call's meaning */
  toUpstreamRequest(request: OneShotRequest, target: Target): UpstreamRequest;
  /**
   * The provider answered with a ticket: what to ask, and when. Null: the answer is the answer.
   * @throws UpstreamError when the answer says that nothing will come
   */
  next?(answer: UpstreamAnswer, target: Target): { request: UpstreamRequest; afterMilliseconds: number } | null;
  /** @throws UpstreamError when a 200 carries an error; AppError UPSTREAM_INVALID_RESPONSE when it cannot be read */
  fromUpstreamResponse(answer: UpstreamAnswer, request: OneShotRequest, target: Target): OneShotAnswer;
  /** The answer is the client's as it is: one that is long, or comes as events, may be forwarded while it comes. */
  readonly forwards?: boolean;
}

export interface OneShotRequest {
  /** Path and query as the client sent it. */
  readonly path: string;
  /** The JSON object, or the text fields of a form. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The bytes `body` came from; of a form, everything between its boundaries. */
  readonly rawBody: Buffer;
  /** The parts of a multipart form in their order; null for JSON. `protocols/openai/multipart.ts` writes them again. */
  readonly form: readonly FormPart[] | null;
}

export interface FormPart {
  readonly name: string;
  readonly value: string | FormFile;
}

export interface FormFile {
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Buffer;
}

export interface OneShotAnswer {
  readonly contentType: string;
  readonly body: Buffer;
  /** Null: the provider reported none, and the relay counts or measures. */
  readonly usage: Usage | null;
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
  report(): void;
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
