import { parseExact, writeJson } from '../../shared/exact-json.js';
import type {
  ChatAnswer,
  ChatCapability,
  ChatRequest,
  ConversationCapability,
  FrameParser,
  StreamTransform,
  UpstreamRequest,
} from '../../dialects/contract.js';
import type { Target } from '../../dialects/target.js';
import { chatOptionsOf } from '../../dialects/accepts.js';
import type { NeutralAnswer } from '../../dialects/neutral/answer.js';
import type {
  AnswerContext,
  ClientCodec,
  ProviderCodec,
  StreamReader,
  StreamWriter,
} from '../../dialects/neutral/codec.js';
import { AnswerCollector } from '../../dialects/neutral/collect.js';
import { chatFieldName } from '../../dialects/neutral/field-name.js';
import { fitRequest, type Fitting } from '../../dialects/neutral/fitted-request.js';
import { remoteMedia, withMedia, type FetchedMedia } from '../../dialects/neutral/remote-media.js';
import { reportAnswer } from '../../dialects/neutral/report.js';
import type { NeutralRequest } from '../../dialects/neutral/request.js';
import { withToolForms, type ToolForms } from '../../dialects/neutral/tool-forms.js';
import { TranslatedStream } from '../../dialects/neutral/translated-stream.js';
import { overriddenBody } from '../../dialects/overrides/body-override.js';
import { chatProvider } from '../../dialects/languages/openai/chat-write.js';
import { writeBody } from '../../dialects/wire/forms/written-body.js';
import { WrappedStream } from '../../dialects/wire/pass-through/wrapped-stream.js';
import { EventParser } from '../../dialects/wire/sse/event-parser.js';
import type { Usage } from '../../shared/usage.js';
import { keyedBody, keyedRequest, type CacheKey } from './cache-key.js';

/** Chat through the neutral form, which can embed downloaded media. */
export interface TranslatedChat extends ChatCapability {
  /** URLs in the request that the provider does not fetch itself. */
  remoteMedia(request: ChatRequest, target: Target): string[];
  /** Provides the downloaded media. Called before the request is written. */
  putMedia(fetched: ReadonlyMap<string, FetchedMedia>): void;
}

export const isTranslated = (chat: ChatCapability): chat is TranslatedChat => 'remoteMedia' in chat;

/** Serves a client of one dialect with a provider of another, through the neutral form. One instance per attempt. */
export function translatedChat(
  provider: ConversationCapability,
  client: ClientCodec,
  context: AnswerContext,
  cacheKey?: CacheKey,
): TranslatedChat {
  let media: ReadonlyMap<string, FetchedMedia> = new Map();
  let parsed: NeutralRequest | null = null;
  let forms: ToolForms = new Map();
  const shown = underName(
    withToolForms(client, () => forms),
    context.shownModel,
  );
  const parse = (request: ChatRequest, target: Target): NeutralRequest =>
    (parsed ??= client.parse({ body: request.body, model: target.upstreamModel, stream: request.stream }));
  return {
    remoteMedia(request, target) {
      const codec = provider.codec(target);
      if (!codec.fetches) return [];
      const urls = remoteMedia(parse(request, target), (url) => codec.fetches?.(url) ?? true);
      if (urls.length > 0) codec.checkMedia?.(parse(request, target));
      return urls;
    },
    putMedia(fetched) {
      media = fetched;
    },
    toUpstreamRequest(request, target) {
      const codec = provider.codec(target);
      const fitted = fitRequest(withMedia(parse(request, target), media), fittingOf(codec, target));
      const written = codec.write(fitted.request);
      forms = fitted.forms;
      // The request is written. The response may take minutes and does not need the parsed body, so it is freed.
      parsed = null;
      media = new Map();
      const keyed = keyedBody(written.body, codec.dialect, cacheKey);
      const body = target.passThrough ? keyed : overriddenBody(keyed, target);
      const named = written.model ?? body['model'];
      const model = typeof named === 'string' ? named : target.upstreamModel;
      const sent = provider.toUpstreamRequest(
        body,
        { stream: request.stream, model, headers: request.headers },
        target,
      );
      return withDropped(keyedRequest(sent, codec.dialect, cacheKey), fitted.dropped, written.dropped);
    },
    fromUpstreamResponse(body, target) {
      const codec = provider.codec(target);
      const whole = parseExact(body.toString('utf8'));
      // Some providers always stream.
      const streamed = whole === undefined ? collected(codec.openReader(), body, provider.openFrames?.()) : null;
      const answer = streamed ?? codec.read(whole);
      client.check?.(answer);
      return answerFor(answer, shown, context);
    },
    openStream: (_request, target, transcript) =>
      new TranslatedStream(
        provider.codec(target).openReader(),
        shown.openWriter(context),
        transcript,
        provider.openFrames?.(),
      ),
  };
}

/**
 * Adapts the tools of a request to the provider. Only OpenAI’s dialects have tools that accept plain text, and only
 * some chat providers support them.
 */
const fittingOf = ({ dialect }: Pick<ProviderCodec, 'dialect'>, { accepts }: Target): Fitting => ({
  dialect,
  customTools: dialect === 'openai-responses' || (dialect === 'openai-chat' && accepts.customTools),
});

function withDropped(sent: UpstreamRequest, ...more: ReadonlyArray<readonly string[]>): UpstreamRequest {
  const names = more.flat();
  return names.length === 0 ? sent : { ...sent, dropped: [...new Set([...(sent.dropped ?? []), ...names])] };
}

/** Returns the client codec with a fixed model name. */
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

/** Writes a response in the client's dialect. */
export function answerFor(answer: NeutralAnswer, client: ClientCodec, context: AnswerContext): ChatAnswer {
  const write = (said: NeutralAnswer): Buffer => Buffer.from(writeJson(client.toAnswer(said, context)));
  return {
    get body() {
      return write(answer);
    },
    usage: answer.usage,
    report: (transcript) => reportAnswer(answer, transcript),
    withUsage: (usage) => write({ ...answer, usage }),
  };
}

/** Serves a client of another dialect with a provider's chat completions, by translating its output once more. */
export function relayedChat(
  chat: ChatCapability,
  client: ClientCodec,
  context: AnswerContext,
  cacheKey?: CacheKey,
): ChatCapability {
  let forms: ToolForms = new Map();
  const codec = chatProvider();
  const shown = underName(
    withToolForms(client, () => forms),
    context.shownModel,
  );
  return {
    toUpstreamRequest(request, target) {
      const neutral = client.parse({ body: request.body, model: target.upstreamModel, stream: request.stream });
      const fitted = fitRequest(neutral, fittingOf(codec, target));
      const written = chatProvider(chatOptionsOf(target)).write(fitted.request);
      forms = fitted.forms;
      const sent = chat.toUpstreamRequest(asChat(request, keyedBody(written.body, codec.dialect, cacheKey)), target);
      const dropped = sent.dropped?.map((name) => chatFieldName(name, client.dialect));
      const keyed = keyedRequest(sent, codec.dialect, cacheKey);
      return withDropped({ ...keyed, dropped }, fitted.dropped, written.dropped);
    },
    fromUpstreamResponse(body, target) {
      const inner = chat.fromUpstreamResponse(body, target);
      const answer = codec.read(parseExact(inner.body.toString('utf8')));
      client.check?.(answer);
      return answerFor({ ...answer, usage: inner.usage }, shown, context);
    },
    openStream: (request, target, transcript) =>
      new ChatToDialectStream(
        chat.openStream({ ...request, wantsUsage: true }, target, transcript),
        codec.openReader(),
        shown.openWriter(context),
      ),
  };
}

const asChat = (request: ChatRequest, body: Record<string, unknown>): ChatRequest => ({
  path: '/v1/chat/completions',
  body,
  // Most providers need changes of the body, and then write it themselves.
  get rawBody() {
    return writeBody(body);
  },
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
