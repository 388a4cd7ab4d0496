import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultOptionValues } from '../../server/src/options/option-registry.js';
import type {
  Adapter,
  ConversationCapability,
  StreamTransform,
  Transcript,
  UpstreamRequest,
} from '../../server/src/dialects/contract.js';
import type { Target } from '../../server/src/dialects/target.js';
import type { Usage } from '../../server/src/shared/usage.js';
import { familySettings } from '../../server/src/gateway/send/attempt-exchange.js';
import type {
  AnswerContext,
  ClientCodec,
  ProviderCodec,
  WrittenRequest,
} from '../../server/src/dialects/neutral/codec.js';
import { AnswerCollector } from '../../server/src/dialects/neutral/collect.js';
import type { Dialect } from '../../server/src/dialects/neutral/dialect.js';
import type { NeutralEvent } from '../../server/src/dialects/neutral/event.js';
import { TranslatedStream } from '../../server/src/dialects/neutral/translated-stream.js';
import { defaultClaudeSettings } from '../../server/src/dialects/languages/anthropic/claude-settings.js';
import { messagesClient } from '../../server/src/dialects/languages/anthropic/messages-client.js';
import { messagesProvider } from '../../server/src/dialects/languages/anthropic/messages-write.js';
import { geminiClient } from '../../server/src/dialects/languages/gemini/gemini-client.js';
import { defaultGeminiSettings } from '../../server/src/dialects/languages/gemini/gemini-settings.js';
import { geminiProvider } from '../../server/src/dialects/languages/gemini/gemini-write.js';
import { chatClient } from '../../server/src/dialects/languages/openai/chat-client.js';
import { chatProvider } from '../../server/src/dialects/languages/openai/chat-write.js';
import { responsesClient } from '../../server/src/dialects/languages/responses/responses-client.js';
import { responsesProvider } from '../../server/src/dialects/languages/responses/responses-write.js';
import { providerOf, providers as providerTable } from '../../server/src/dialects/makers/providers.js';
import { EventParser, eventsOf } from '../../server/src/dialects/wire/sse/event-parser.js';

export type Json = Record<string, unknown>;

const folder = join(import.meta.dirname, '..');

/** One worked example of the provider reference. */
export interface Fixture {
  readonly id: string;
  readonly ch: Json;
  readonly in: { readonly path: string; readonly headers?: Record<string, string>; readonly body: Json };
  readonly up?: Json;
  readonly ur?: { readonly status: number; readonly body: unknown };
  readonly us?: readonly unknown[];
  readonly out?: { readonly status: number; readonly body: unknown };
  readonly os?: readonly unknown[];
  readonly usage?: Record<string, number>;
}

export function fixture(family: string, id: string): Fixture {
  const all = JSON.parse(readFileSync(join(folder, `fixtures/relay-providers/${family}.json`), 'utf8')) as Fixture[];
  const found = all.find((each) => each.id === id);
  if (!found) throw new Error(`no fixture ${id}`);
  return found;
}

/** Expected objects are subsets, arrays match in order and length, `<any>` matches anything, `!absent` must not exist. */
export function expectSubset(actual: unknown, expected: unknown, at = '$'): void {
  if (expected === '<any>') return;
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length)
      expect({ at, actual }).toEqual({ at, actual: expected });
    expected.forEach((each, index) => expectSubset((actual as unknown[])[index], each, `${at}[${index}]`));
  } else if (typeof expected === 'object' && expected !== null) {
    const fields = (actual ?? {}) as Json;
    for (const [name, value] of Object.entries(expected)) {
      if (value === '!absent') expect({ at, has: fields[name] }).toEqual({ at, has: undefined });
      else expectSubset(fields[name], value, `${at}.${name}`);
    }
  } else expect({ at, actual }).toEqual({ at, actual: expected });
}

/** Adapters by channel type, as the provider table has them. */
export const adapters: Readonly<Record<number, Adapter>> = Object.fromEntries(
  providerTable.filter(({ adapter }) => Object.keys(adapter).length > 0).map(({ id, adapter }) => [id, adapter]),
);

/**
 * The fields of a target that come from the provider's row.
 * @param own base URL of the channel, may be empty
 */
export function targetOfRow(
  type: number,
  own = '',
  accepts = providerOf(type).accepts,
): Pick<Target, 'type' | 'baseUrl' | 'accepts'> {
  return { type, baseUrl: own || providerOf(type).defaultBaseUrl, accepts };
}

export const targetFor = (more: Partial<Target> = {}): Target => ({
  channelId: 1,
  key: 'sk-fake',
  organization: '',
  other: '',
  createdAt: null,
  setting: {},
  upstreamModel: 'model-x',
  requestedModel: 'model-x',
  models: [],
  forceStreamUsage: true,
  override: null,
  passThrough: false,
  families: familySettings(defaultOptionValues()),
  credential: '',
  now: 1_763_600_000_000,
  ...more,
  ...targetOfRow(more.type ?? 0, more.baseUrl, more.accepts),
});

export const contextFor = (more: Partial<AnswerContext> = {}): AnswerContext => ({
  id: 'test',
  created: 1_763_600_000,
  model: 'model-x',
  promptTokens: 0,
  includeUsage: true,
  body: {},
  ...more,
});

export const clients: Readonly<Record<Dialect, ClientCodec>> = {
  'openai-chat': chatClient,
  'anthropic-messages': messagesClient,
  'gemini-generate': geminiClient,
  'openai-responses': responsesClient,
};

export const providers: Readonly<Record<Dialect, ProviderCodec>> = {
  'openai-chat': chatProvider(),
  'anthropic-messages': messagesProvider(defaultClaudeSettings),
  'gemini-generate': geminiProvider(defaultGeminiSettings),
  'openai-responses': responsesProvider,
};

export const bodyOf = (request: UpstreamRequest): Json => JSON.parse(String(request.body)) as Json;

/** A call by a client of another dialect, translated as in the relay. */
export function send(
  client: ClientCodec,
  provider: ConversationCapability,
  body: Json,
  target: Target,
): { written: WrittenRequest; upstream: UpstreamRequest } {
  const request = client.parse({ body, model: target.upstreamModel });
  const written = provider.codec(target).write(request);
  const call = { stream: request.stream, model: written.model ?? target.upstreamModel };
  return { written, upstream: provider.toUpstreamRequest(written.body, call, target) };
}

/** Payloads as a provider sends them: text unchanged, objects as JSON, with event names if the dialect has them. */
export const sse = (payloads: readonly unknown[], named = false): string =>
  payloads
    .map((payload) => {
      const data = typeof payload === 'string' ? payload : JSON.stringify(payload);
      const type = named ? (JSON.parse(data) as { type?: string }).type : undefined;
      return `${type === undefined ? '' : `event: ${type}\n`}data: ${data}\n\n`;
    })
    .join('');

/** Payloads of a stream that a client received. */
export function payloads(stream: string): unknown[] {
  return eventsOf({ bytes: Buffer.from(stream), text: Buffer.from(stream).toString('latin1') }).map(({ data }) =>
    data === '[DONE]' ? data : (JSON.parse(data) as unknown),
  );
}

export class Heard implements Transcript {
  said = '';
  calls = 0;
  others = 0;
  text(text: string): void {
    this.said += text;
  }
  toolCall(): void {
    this.calls++;
  }
  otherContent(): void {
    this.others++;
  }
}

const nothing: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  audioInputTokens: 0,
  audioOutputTokens: 0,
};

/** The usage of a call, for tests that do not depend on it. */
export const usage: Usage = { ...nothing, promptTokens: 9, completionTokens: 7, cachedTokens: 2 };

/** The stream that a client of a dialect gets for these events, each batch in one read. */
export function written(dialect: Dialect, batches: readonly (readonly NeutralEvent[])[]): string {
  const writer = clients[dialect].openWriter(contextFor());
  return batches.map((batch) => writer.push(batch)).join('') + writer.end() + writer.closing(usage);
}

/** Sends a stream through a transform, split at the positions in `cuts`. */
export function play(transform: StreamTransform, stream: string, cuts: readonly number[] = []): string {
  const bytes = Buffer.from(stream);
  const out: Buffer[] = [];
  const keep = (piece: Buffer | string | null): void => {
    if (piece !== null) out.push(Buffer.from(piece));
  };
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    keep(transform.push(bytes.subarray(from, cut)));
    from = cut;
  }
  if (!transform.done) keep(transform.end());
  if (!transform.failure) keep(transform.closing(transform.usage() ?? nothing));
  return Buffer.concat(out).toString('utf8');
}

export const playThrough = (
  provider: ProviderCodec,
  client: ClientCodec,
  stream: string,
  context = contextFor(),
  heard: Transcript = new Heard(),
): { out: string; transform: StreamTransform } => {
  const transform = new TranslatedStream(provider.openReader(), client.openWriter(context), heard);
  return { out: play(transform, stream), transform };
};

/** The content of a stream in the neutral form. */
export function collect(provider: ProviderCodec, stream: string): AnswerCollector {
  const collector = new AnswerCollector();
  for (const event of eventsIn(provider, stream)) collector.push(event);
  return collector;
}

export function eventsIn(provider: ProviderCodec, stream: string): NeutralEvent[] {
  const reader = provider.openReader();
  const parser = new EventParser();
  return [...parser.push(Buffer.from(stream)), ...parser.end()].flatMap((event) => reader.push(event));
}

/** A stream of a real provider, one event per line. */
export const recordedLines = (name: string): string[] =>
  readFileSync(join(folder, 'recorded', name), 'utf8')
    .split('\n')
    .filter(Boolean);

export const recordedAnswer = (name: string): Json =>
  JSON.parse(readFileSync(join(folder, 'recorded', name), 'utf8')) as Json;

export const recordedNames = (dialect: string, ending: string): string[] =>
  readdirSync(join(folder, 'recorded', dialect))
    .filter((name) => name.endsWith(ending))
    .map((name) => `${dialect}/${name}`);
