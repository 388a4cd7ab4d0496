import { EventStreamCodec } from '@smithy/eventstream-codec';
import type { ConversationCapability } from '../contract.js';
import type { Target } from '../target.js';
import type { Usage } from '../../shared/usage.js';
import { TextMeter } from '../../gateway/reserve/metering/text-meter.js';
import type { AnswerContext } from '../neutral/codec.js';
import { TranslatedStream } from '../neutral/translated-stream.js';
import { chatClient } from '../languages/openai/chat-client.js';
import { adapters, targetFor } from '../../../../tests/support/relay-dialects.js';

/*
 * The promises of `own-conformance.test.ts` for Claude, Gemini and Spark on every host: as events, as AWS's binary
 * frames, as WebSocket messages.
 */

type Json = Readonly<Record<string, unknown>>;

interface Host {
  readonly type: number;
  readonly model: string;
  readonly key: string;
  readonly frame: (event: Json) => Buffer;
  /** Returns `Héllo 世界` with 7 prompt and 3 completion tokens. */
  readonly good: readonly Json[];
  /** Calls `weather` with `{"city":"Paris"}`; null where the provider has no tools. */
  readonly tools: readonly Json[] | null;
  /** `Hi`, then an error. */
  readonly failing: Buffer;
  readonly status: number;
}

const data = (event: Json): Buffer => Buffer.from(`data: ${JSON.stringify(event)}\n\n`);
const namedEvent = (event: Json): Buffer =>
  Buffer.from(`event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`);
const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
  (text) => Buffer.from(text),
);
const awsFrame = (headers: Readonly<Record<string, string>>, body: Json): Buffer =>
  Buffer.from(
    codec.encode({
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, { type: 'string', value }])),
      body: Buffer.from(JSON.stringify(body)),
    }),
  );
const awsChunk = (event: Json): Buffer =>
  awsFrame(
    { ':message-type': 'event', ':event-type': 'chunk', ':content-type': 'application/json' },
    { bytes: Buffer.from(JSON.stringify(event)).toString('base64') },
  );

const claudeStart: Json = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    role: 'assistant',
    model: 'claude',
    content: [],
    usage: { input_tokens: 7, output_tokens: 1 },
  },
};
const claudeText = (text: string): Json => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text },
});
const claudeOpen: Json = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
const claudeEnd = (reason: string): Json[] => [
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 3 } },
  { type: 'message_stop' },
];
const claudeGood = [claudeStart, claudeOpen, claudeText('Héllo '), claudeText('世界'), ...claudeEnd('end_turn')];
const claudeTools = [
  claudeStart,
  { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 't', name: 'weather', input: {} } },
  ...['{"city":', '"Paris"}'].map((partial_json) => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'input_json_delta', partial_json },
  })),
  ...claudeEnd('tool_use'),
];
const claudeError = { type: 'error', error: { type: 'overloaded_error', message: 'limit' } };
const claudeHi = [claudeStart, claudeOpen, claudeText('Hi')];

const geminiChunk = (part: Json, finish?: string): Json => ({
  candidates: [{ index: 0, content: { role: 'model', parts: [part] }, ...(finish ? { finishReason: finish } : {}) }],
  usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 },
  responseId: 'r',
});
const geminiGood = [geminiChunk({ text: 'Héllo ' }), geminiChunk({ text: '世界' }, 'STOP')];
const geminiTools = [geminiChunk({ functionCall: { name: 'weather', args: { city: 'Paris' } } }, 'STOP')];
const geminiError = { error: { code: 503, message: 'limit', status: 'UNAVAILABLE' } };
const geminiHi = geminiChunk({ text: 'Hi' });

const spark = (content: string, status: number, more: Json = {}): Json => ({
  header: { code: 0, sid: 's', status },
  payload: { choices: { status, seq: 0, text: [{ content, role: 'assistant', index: 0 }] }, ...more },
});
const sparkUsage = { usage: { text: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } } };

const serviceAccount = '{"project_id":"p","client_email":"a@b.example","private_key":"x"}';
const joined = (frame: Host['frame'], events: readonly Json[]): Buffer => Buffer.concat(events.map(frame));

const hosts: Readonly<Record<string, Host>> = {
  'Claude at Anthropic (14)': {
    type: 14,
    model: 'claude-sonnet-4-5',
    key: 'sk',
    frame: namedEvent,
    good: claudeGood,
    tools: claudeTools,
    failing: joined(namedEvent, [...claudeHi, claudeError]),
    status: 529,
  },
  'Claude at AWS (33)': {
    type: 33,
    model: 'claude-3-haiku-20240307',
    key: 'AK|SK|us-east-1',
    frame: awsChunk,
    good: claudeGood,
    tools: claudeTools,
    failing: Buffer.concat([
      joined(awsChunk, claudeHi),
      awsFrame({ ':message-type': 'exception', ':exception-type': 'throttlingException' }, { message: 'limit' }),
    ]),
    status: 429,
  },
  'Claude at Vertex (41)': {
    type: 41,
    model: 'claude-sonnet-4-5@20250929',
    key: serviceAccount,
    frame: namedEvent,
    good: claudeGood,
    tools: claudeTools,
    failing: joined(namedEvent, [...claudeHi, claudeError]),
    status: 529,
  },
  'Gemini at Google (24)': {
    type: 24,
    model: 'gemini-2.5-flash',
    key: 'k',
    frame: data,
    good: geminiGood,
    tools: geminiTools,
    failing: joined(data, [geminiHi, geminiError]),
    status: 503,
  },
  'Gemini at Vertex (41)': {
    type: 41,
    model: 'gemini-2.5-flash',
    key: serviceAccount,
    frame: data,
    good: geminiGood,
    tools: geminiTools,
    failing: joined(data, [geminiHi, geminiError]),
    status: 503,
  },
  'Spark (18)': {
    type: 18,
    model: 'SparkDesk-v3.5',
    key: 'app|secret|key',
    frame: data,
    tools: null,
    good: [spark('Héllo ', 0), spark('世界', 2, sparkUsage)],
    failing: joined(data, [spark('Hi', 0), { header: { code: 11202, message: 'limit', sid: 's' } }]),
    status: 429,
  },
};

const context: AnswerContext = { id: 'r', created: 1, model: 'asked', promptTokens: 0, includeUsage: false, body: {} };

const targetOf = ({ type, model, key }: Host): Target =>
  targetFor({
    type,
    key,
    upstreamModel: model,
    requestedModel: 'asked',
    credential: 'token',
  });

function play(host: Host, parts: readonly Buffer[], ends = true) {
  const capability: ConversationCapability | undefined = adapters[host.type]?.conversation;
  if (!capability) throw new Error('does not converse');
  const meter = new TextMeter('m', 1024 * 1024);
  const reader = capability.codec(targetOf(host)).openReader();
  const stream = new TranslatedStream(reader, chatClient.openWriter(context), meter, capability.openFrames?.());
  let out = '';
  for (const part of parts) out += stream.push(part) ?? '';
  if (ends) out += stream.end() ?? '';
  return { out, stream, meter };
}

const said = (out: string): string =>
  out
    .split('\n\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)) as { choices?: Array<{ delta: { content?: string } }> })
    .map(({ choices = [] }) => choices.map(({ delta }) => delta.content ?? '').join(''))
    .join('');

const text = 'Héllo 世界';
const counts = (usage: Usage | null): unknown => usage && [usage.promptTokens, usage.completionTokens];

describe.each(Object.entries(hosts))('%s', (_name, host) => {
  const bytes = joined(host.frame, host.good);

  it('says the same wherever the network cuts the bytes, and costs the same', () => {
    for (let at = 0; at <= bytes.length; at++) {
      const { out, stream } = play(host, [bytes.subarray(0, at), bytes.subarray(at)]);
      if (said(out) !== text || !stream.complete) throw new Error(`differs when cut at ${at}`);
      expect(counts(stream.usage())).toEqual([7, 3]);
    }
    const single = play(
      host,
      [...bytes].map((byte) => Buffer.from([byte])),
    );
    expect(said(single.out)).toBe(text);
  });

  it('passes over what it does not know', () => {
    const [first = {}, ...rest] = host.good.map((event) => ({ ...event, brand_new: { a: [1] } }));
    const strange = { type: 'brand_new', brand_new: true };
    const { out, stream } = play(host, [joined(host.frame, [first, strange, ...rest])]);
    expect([said(out), stream.complete, counts(stream.usage())]).toEqual([text, true, [7, 3]]);
  });

  const { tools } = host;
  if (tools) {
    it('hears the call of a tool', () => {
      const { out, stream, meter } = play(host, [joined(host.frame, tools)]);
      stream.report();
      expect(meter.transcript.replace(/[\s\\]/g, '')).toBe('weather{"city":"Paris"}');
      expect(out).toContain('"finish_reason":"tool_calls"');
    });
  }

  it('stops at an error and keeps what came before', () => {
    const { out, stream } = play(host, [host.failing]);
    expect(said(out)).toBe('Hi');
    expect(stream.failure).toMatchObject({ status: host.status, message: expect.stringContaining('limit') as string });
  });

  it('abandoned anywhere, has told what came and is not complete', () => {
    for (let events = 0; events < host.good.length; events++) {
      const { out, stream, meter } = play(host, [joined(host.frame, host.good.slice(0, events))], false);
      stream.report();
      expect(text.startsWith(meter.transcript)).toBe(true);
      expect(meter.transcript).toBe(said(out));
      const usage = stream.usage();
      expect(usage === null || (usage.promptTokens <= 7 && usage.completionTokens <= 3)).toBe(true);
    }
    const last = host.good.slice(0, -Math.min(3, host.good.length - 1));
    expect(play(host, [joined(host.frame, last)]).stream.complete).toBe(false);
  });
});
