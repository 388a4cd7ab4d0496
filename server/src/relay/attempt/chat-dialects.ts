import type {
  Adapter,
  ChatAnswer,
  ChatCapability,
  ChatRequest,
  ConversationCapability,
  FrameParser,
  StreamTransform,
  Target,
} from '../adapter.js';
import type { NeutralAnswer } from '../neutral/answer.js';
import type { AnswerContext, ClientCodec, ProviderCodec, StreamReader, StreamWriter } from '../neutral/codec.js';
import { AnswerCollector } from '../neutral/collect.js';
import { parseJson } from '../neutral/fields.js';
import { remoteMedia, withMedia, type FetchedMedia } from '../neutral/remote-media.js';
import { toEvents } from '../neutral/replay.js';
import type { NeutralRequest } from '../neutral/request.js';
import { reportAnswer } from '../neutral/report.js';
import { TranslatedStream } from '../neutral/translated-stream.js';
import { WrappedStream } from '../pass-through/wrapped-stream.js';
import { defaultClaudeSettings } from '../protocols/anthropic/claude-settings.js';
import { messagesClient } from '../protocols/anthropic/messages-client.js';
import { messagesProvider } from '../protocols/anthropic/messages-write.js';
import { geminiClient } from '../protocols/gemini/gemini-client.js';
import { defaultGeminiSettings } from '../protocols/gemini/gemini-settings.js';
import { geminiProvider } from '../protocols/gemini/gemini-write.js';
import { chatClient } from '../protocols/openai/chat-client.js';
import { chatProvider } from '../protocols/openai/chat-write.js';
import { answerAsChunk, dataEvent, doneEvent, usageChunk } from '../protocols/openai/chunks.js';
import { responsesClient } from '../protocols/responses/responses-client.js';
import { responsesProvider } from '../protocols/responses/responses-write.js';
import { EventParser } from '../sse/event-parser.js';
import type { Usage } from '../usage.js';

/** Properties of the dialect that a chat client speaks. */
export interface ChatDialect {
  /** The capability of a provider that speaks the dialect itself. */
  native(adapter: Adapter): ChatCapability | undefined;
  /** Null: only providers that speak the dialect themselves can serve it. */
  readonly client: ClientCodec | null;
  /**
   * Whether clients ignore comment lines between events. Google's client fails on them
   * (docs/reference/relay/streaming.md#keep-alive).
   */
  readonly takesComments: boolean;
  /**
   * A non-streaming response as the stream that the client asked for, except for its usage.
   * @throws UpstreamError, AppError UPSTREAM_INVALID_RESPONSE when the response has no content
   */
  replay(answer: ChatAnswer, context: AnswerContext): (usage: Usage) => string;
}

/** Chat completions. */
export const openAIChat: ChatDialect = {
  native: (adapter) => adapter.chat,
  client: chatClient,
  takesComments: true,
  replay(answer, { includeUsage }) {
    const whole = JSON.parse(answer.body.toString('utf8')) as Record<string, unknown>;
    const chunk = answerAsChunk(whole);
    return (usage) => chunk + (includeUsage ? usageOf(whole, usage) : '') + doneEvent;
  },
};

/** The provider's complete usage object; ours when there is none. */
function usageOf(answer: Record<string, unknown>, counted: Usage): string {
  if (typeof answer['usage'] !== 'object' || answer['usage'] === null) return usageChunk(answer, counted);
  const { id, created, model, usage } = answer;
  return dataEvent({ id, object: 'chat.completion.chunk', created, model, choices: [], usage });
}

/** Completions of a prompt: legacy, so there is no translation. */
export const textCompletions: ChatDialect = {
  native: (adapter) => adapter.completions,
  client: null,
  takesComments: true,
  replay(answer) {
    const stream = dataEvent(JSON.parse(answer.body.toString('utf8')) as Record<string, unknown>) + doneEvent;
    return () => stream;
  },
};

/** Anthropic's Messages. */
export const messagesDialect: ChatDialect = {
  native: (adapter) => adapter.messages,
  client: messagesClient,
  takesComments: true,
  replay: replayBy(messagesClient, messagesProvider(defaultClaudeSettings)),
};

/** Gemini's `generateContent`. */
export const generateDialect: ChatDialect = {
  native: (adapter) => adapter.generate,
  client: geminiClient,
  takesComments: false,
  replay: replayBy(geminiClient, geminiProvider(defaultGeminiSettings)),
};

/** OpenAI's Responses. */
export const responsesDialect: ChatDialect = {
  native: (adapter) => adapter.responses,
  client: responsesClient,
  takesComments: true,
  replay: replayBy(responsesClient, responsesProvider),
};

function replayBy(client: ClientCodec, reader: ProviderCodec): ChatDialect['replay'] {
  return (answer, context) => {
    const writer = client.openWriter(context);
    const said = reader.read(parseJson(answer.body.toString('utf8')));
    const stream = writer.push(toEvents(said)) + writer.end();
    return (usage) => stream + writer.closing(usage);
  };
}

/**
 * How a provider serves a client of this dialect: in the dialect itself, through the neutral form, or through its chat
 * completions.
 * @returns null when it has no chat capability
 */
export function chatCapability(
  adapter: Adapter | undefined,
  dialect: ChatDialect,
  context: () => AnswerContext,
): ChatCapability | null {
  if (!adapter) return null;
  const native = dialect.native(adapter);
  if (native) return native;
  if (!dialect.client) return null;
  if (adapter.conversation) return translated(adapter.conversation, dialect.client, context());
  return adapter.chat ? relayedChat(adapter.chat, dialect.client, context()) : null;
}

/** Chat through the neutral form, which can embed downloaded media. */
export interface TranslatedChat extends ChatCapability {
  /** URLs in the request that the provider does not fetch itself. */
  remoteMedia(request: ChatRequest, target: Target): string[];
  /** Provides the downloaded media. Called before the request is written. */
  putMedia(fetched: ReadonlyMap<string, FetchedMedia>): void;
}

/** Whether the capability uses the neutral form, and may embed media. */
export const isTranslated = (chat: ChatCapability): chat is TranslatedChat => 'remoteMedia' in chat;

/** Serves a client of one dialect with a provider of another, through the neutral form. One instance per attempt. */
export function translated(
  provider: ConversationCapability,
  client: ClientCodec,
  context: AnswerContext,
): TranslatedChat {
  const shown = underName(client, context.shownModel);
  let media: ReadonlyMap<string, FetchedMedia> = new Map();
  let parsed: NeutralRequest | null = null;
  const parse = (request: ChatRequest, target: Target): NeutralRequest =>
    (parsed ??= client.parse({ body: request.body, model: target.upstreamModel, stream: request.stream }));
  return {
    remoteMedia(request, target) {
      const codec = provider.codec(target);
      return codec.fetches ? remoteMedia(parse(request, target), (url) => codec.fetches?.(url) ?? true) : [];
    },
    putMedia(fetched) {
      media = fetched;
    },
    toUpstreamRequest(request, target) {
      const written = provider.codec(target).write(withMedia(parse(request, target), media));
      // The request is written. The response may take minutes, and does not need the parsed body.
      parsed = null;
      media = new Map();
      const body = target.passThrough ? written.body : { ...written.body, ...target.override };
      const named = written.model ?? body['model'];
      const model = typeof named === 'string' ? named : target.upstreamModel;
      const sent = provider.toUpstreamRequest(body, { stream: request.stream, model }, target);
      return written.dropped.length === 0 ? sent : { ...sent, dropped: [...(sent.dropped ?? []), ...written.dropped] };
    },
    fromUpstreamResponse(body, target) {
      const codec = provider.codec(target);
      const whole = parseJson(body.toString('utf8'));
      // Some providers always stream.
      const streamed = whole === undefined ? collected(codec.openReader(), body, provider.openFrames?.()) : null;
      return toClient(streamed ?? codec.read(whole), shown, context);
    },
    openStream: (_request, target, heard) =>
      new TranslatedStream(
        provider.codec(target).openReader(),
        shown.openWriter(context),
        heard,
        provider.openFrames?.(),
      ),
  };
}

/** The same client codec, under a fixed model name. */
function underName(client: ClientCodec, model: string | undefined): ClientCodec {
  if (model === undefined) return client;
  return {
    dialect: client.dialect,
    parse: (call) => client.parse(call),
    toAnswer: (answer, context) => client.toAnswer({ ...answer, model }, context),
    openWriter(context) {
      const writer = client.openWriter(context);
      return {
        push: (events) => writer.push(events.map((each) => (each.kind === 'start' ? { ...each, model } : each))),
        end: () => writer.end(),
        closing: (usage) => writer.closing(usage),
      };
    },
  };
}

/**
 * @returns null when the bytes are not a complete stream
 * @throws UpstreamError when it reports an error
 */
function collected(reader: StreamReader, body: Buffer, frames: FrameParser = new EventParser()): NeutralAnswer | null {
  const collector = new AnswerCollector();
  let finished = false;
  for (const event of [...frames.push(body), ...frames.end()].flatMap((each) => reader.push(each))) {
    collector.push(event);
    finished ||= event.kind === 'finish';
  }
  if (collector.error) throw collector.error;
  return finished ? collector.answer() : null;
}

function toClient(answer: NeutralAnswer, client: ClientCodec, context: AnswerContext): ChatAnswer {
  const write = (said: NeutralAnswer): Buffer => Buffer.from(JSON.stringify(client.toAnswer(said, context)));
  return {
    get body() {
      return write(answer);
    },
    usage: answer.usage,
    report: (heard) => reportAnswer(answer, heard),
    withUsage: (usage) => write({ ...answer, usage }),
  };
}

/** Serves a client of another dialect with a provider's chat completions, by translating its output once more. */
export function relayedChat(chat: ChatCapability, client: ClientCodec, context: AnswerContext): ChatCapability {
  const codec = chatProvider();
  const shown = underName(client, context.shownModel);
  return {
    toUpstreamRequest(request, target) {
      const neutral = client.parse({ body: request.body, model: target.upstreamModel, stream: request.stream });
      const written = codec.write(neutral);
      const sent = chat.toUpstreamRequest(asChat(request, written.body), target);
      return written.dropped.length === 0 ? sent : { ...sent, dropped: [...(sent.dropped ?? []), ...written.dropped] };
    },
    fromUpstreamResponse(body, target) {
      const inner = chat.fromUpstreamResponse(body, target);
      const answer = codec.read(parseJson(inner.body.toString('utf8')));
      return toClient({ ...answer, usage: inner.usage }, shown, context);
    },
    openStream: (request, target, heard) =>
      new ChatToDialectStream(
        chat.openStream({ ...request, wantsUsage: true }, target, heard),
        codec.openReader(),
        shown.openWriter(context),
      ),
  };
}

const asChat = (request: ChatRequest, body: Record<string, unknown>): ChatRequest => ({
  path: '/v1/chat/completions',
  body,
  rawBody: Buffer.from(JSON.stringify(body)),
  stream: request.stream,
  wantsUsage: request.stream,
});

/**
 * Translates a stream of chat completions into the client's dialect. Usage and failures are those of the inner stream.
 */
class ChatToDialectStream extends WrappedStream {
  private readonly parser = new EventParser();
  private ended = false;

  constructor(
    inner: StreamTransform,
    private readonly reader: StreamReader,
    private readonly writer: StreamWriter,
  ) {
    super(inner);
  }

  push(bytes: Buffer): string | null {
    const out = this.translate(this.inner.push(bytes));
    return (this.inner.done ? out + this.finish() : out) || null;
  }

  end(): string | null {
    const out = this.translate(this.inner.end());
    return (this.inner.failure ? out : out + this.finish()) || null;
  }

  override closing(usage: Usage): string {
    return this.writer.closing(usage);
  }

  private translate(chat: Buffer | string | null): string {
    if (chat === null) return '';
    const bytes = typeof chat === 'string' ? Buffer.from(chat) : chat;
    const events = this.parser.push(bytes).flatMap((event) => this.reader.push(event));
    return events.length === 0 ? '' : this.writer.push(events);
  }

  private finish(): string {
    if (this.ended) return '';
    this.ended = true;
    return this.writer.end();
  }
}
