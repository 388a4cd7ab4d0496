import type {
  ChatAnswer,
  ChatCapability,
  ChatRequest,
  ConversationCapability,
  FrameParser,
  StreamTransform,
  Target,
} from '../adapter.js';
import type { UpstreamError } from '../errors/upstream-error.js';
import type { Usage } from '../usage.js';
import type { NeutralAnswer } from '../neutral/answer.js';
import type { AnswerContext, ClientCodec, StreamReader, StreamWriter } from '../neutral/codec.js';
import { AnswerCollector } from '../neutral/collect.js';
import { parseJson } from '../neutral/fields.js';
import { remoteMedia, withMedia, type FetchedMedia } from '../neutral/remote-media.js';
import type { NeutralRequest } from '../neutral/request.js';
import { tellAnswer } from '../neutral/tell.js';
import { translatedStream } from '../neutral/translated-stream.js';
import { chatProvider } from '../protocols/openai/chat-write.js';
import { EventParser } from '../sse/event-parser.js';

/** Chat through the neutral form, which can take in what lies at an address. */
export interface TranslatedChat extends ChatCapability {
  /** Addresses of the call that the provider does not fetch itself. */
  remoteMedia(request: ChatRequest, target: Target): string[];
  /** What stood behind them; called before the request is written. */
  putMedia(fetched: ReadonlyMap<string, FetchedMedia>): void;
}

export const isTranslated = (chat: ChatCapability): chat is TranslatedChat => 'remoteMedia' in chat;

/** Serves a client of one dialect at a provider of another, through the neutral form. One for each try of a call. */
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
      // It is written: the answer may take minutes, and nothing of it is needed meanwhile.
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
      // Some stream whoever asks.
      const streamed = whole === undefined ? collected(codec.openReader(), body, provider.openFrames?.()) : null;
      return toClient(streamed ?? codec.read(whole), shown, context);
    },
    openStream: (_request, target, heard) =>
      translatedStream(provider.codec(target).openReader(), shown.openWriter(context), heard, provider.openFrames?.()),
  };
}

/** The same client, to whom the model has one name whatever the provider calls it. */
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

/** @returns null when the bytes are no stream that came to its end @throws UpstreamError when it reports an error */
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
    tell: (heard) => tellAnswer(answer, heard),
    withUsage: (usage) => write({ ...answer, usage }),
  };
}

/** Serves a client of another dialect by a provider's chat completions: what they answer is translated once more. */
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
      new SecondTranslation(
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

/** A stream that already is chat completions, written in the client's dialect. Counting and failures stay the first one's. */
class SecondTranslation implements StreamTransform {
  private readonly parser = new EventParser();
  private ended = false;

  constructor(
    private readonly inner: StreamTransform,
    private readonly reader: StreamReader,
    private readonly writer: StreamWriter,
  ) {}

  push(bytes: Buffer): string | null {
    const out = this.translate(this.inner.push(bytes));
    return (this.inner.done ? out + this.finish() : out) || null;
  }

  end(): string | null {
    const out = this.translate(this.inner.end());
    return (this.inner.failure ? out : out + this.finish()) || null;
  }

  tell(): void {
    this.inner.tell();
  }

  closing(usage: Usage): string {
    return this.writer.closing(usage);
  }

  usage(): Usage | null {
    return this.inner.usage();
  }

  get done(): boolean {
    return this.inner.done;
  }

  get complete(): boolean {
    return this.inner.complete;
  }

  get failure(): UpstreamError | null {
    return this.inner.failure;
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
