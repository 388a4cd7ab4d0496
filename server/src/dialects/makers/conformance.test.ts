import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChatRequest, StreamTransform } from '../contract.js';
import type { Target } from '../target.js';
import type { Usage } from '../../shared/usage.js';
import { TextMeter } from '../../gateway/reserve/metering/text-meter.js';
import { parseEvent } from '../wire/sse/event-parser.js';
import { adapters, targetFor } from '../../../../tests/support/relay-dialects.js';
import { isFullSuite } from '../../../../tests/support/suite.js';

/** The promises that every adapter keeps, whatever its provider's dialect. A new dialect adds its recordings here. */
interface Dialect {
  readonly name: string;
  /** A provider's real stream, as bytes. */
  readonly stream: Buffer;
  readonly usage: Usage;
  readonly text: string;
  /** A stream with a tool call in pieces. */
  readonly toolStream: Buffer;
  /** An error in the middle of a stream. */
  readonly errorStream: Buffer;
}

const folder = join(import.meta.dirname, '../../../../tests/recorded');
const sse = (events: readonly string[]): Buffer => Buffer.from(events.map((event) => `data: ${event}\n\n`).join(''));
const chunk = (delta: object, finish: string | null = null): string =>
  JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: finish }] });
const toolDelta = (index: number, call: object): string => chunk({ tool_calls: [{ index, ...call }] });

const recordedEvents = readFileSync(join(folder, 'openai/openai-text.chunks.txt'), 'utf8').split('\n').filter(Boolean);
const recordedText = recordedEvents
  .map(
    (event) =>
      (JSON.parse(event) as { choices: Array<{ delta: { content?: string } }> }).choices[0]?.delta.content ?? '',
  )
  .join('');

const openai: Dialect = {
  name: 'openai',
  stream: sse([...recordedEvents, '[DONE]']),
  text: recordedText,
  usage: {
    promptTokens: 16,
    completionTokens: 300,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    audioInputTokens: 0,
    audioOutputTokens: 0,
  },
  toolStream: sse([
    toolDelta(0, { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '' } }),
    toolDelta(0, { function: { arguments: '{"city":' } }),
    toolDelta(0, { function: { arguments: '"Paris"}' } }),
    chunk({}, 'tool_calls'),
    '[DONE]',
  ]),
  errorStream: sse([
    chunk({ content: 'Hi' }),
    '{"error":{"message":"overloaded","type":"server_error","code":"busy"}}',
  ]),
};

/** All members send clients the same dialect, so all are tested with the same recording. */
const family = [
  ...[1, 3, 4, 8, 17, 19, 20, 22, 25, 26, 27, 31, 35, 39, 40, 42, 43, 45, 46, 47, 48, 53, 58, 60, 62, 63],
];
/** The other types share the forwarding code, for which splitting at every position is tested once. */
const rebuilding = [1, 4, 22, 27, 35, 39, 42, 43, 45, 48];
/** OpenAI itself and the custom URL are split at every position of the whole recording. */
const cutWhole = [1, 8];
const dialectOf: Readonly<Record<string, Dialect>> = Object.fromEntries(family.map((type) => [type, openai]));

const target = (type: number, setting: Target['setting'] = {}): Target =>
  targetFor({
    type,
    baseUrl: 'https://provider.example',
    other: 'account',
    setting,
    upstreamModel: 'gpt-4o',
    requestedModel: 'gpt-4o',
    models: ['gpt-4o'],
  });

function request(body: Record<string, unknown>): ChatRequest {
  const whole = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }], ...body };
  const options = body['stream_options'] as { include_usage?: boolean } | undefined;
  return {
    path: '/v1/chat/completions',
    body: whole,
    rawBody: Buffer.from(JSON.stringify(whole)),
    stream: body['stream'] === true,
    wantsUsage: options?.include_usage === true,
  };
}

interface Played {
  readonly out: string;
  readonly meter: TextMeter;
  readonly transform: StreamTransform;
}

/** OpenRouter's own clients ask for no usage, because it reports the usage of every stream. */
const reportsAlways = [20];

function play(type: number, pieces: readonly Buffer[], setting?: Target['setting'], wantsUsage = false): Played {
  const meter = new TextMeter('gpt-4o', 1024 * 1024);
  const asked = request({ stream: true, ...(wantsUsage ? { stream_options: { include_usage: true } } : {}) });
  const transform = adapters[type]?.chat?.openStream(asked, target(type, setting), meter);
  if (!transform) throw new Error(`type ${type} does not stream`);
  let out = '';
  for (const piece of pieces) out += (transform.push(piece) ?? '').toString();
  out += (transform.end() ?? '').toString();
  return { out, meter, transform };
}

/** The first and the last events. */
function excerpt(stream: Buffer): Buffer {
  const events = stream.toString('latin1').split('\n\n');
  return Buffer.from([...events.slice(0, 6), ...events.slice(-5)].join('\n\n'), 'latin1');
}

const chatTypes = Object.keys(adapters).filter((type) => adapters[Number(type)]?.chat);

it('knows a dialect for every adapter in the registry', () => {
  expect(chatTypes.filter((type) => !dialectOf[type])).toEqual([]);
});

describe.each(chatTypes.map((type) => [Number(type), dialectOf[type] ?? openai] as const))(
  'channel type %i',
  (type, dialect) => {
    const settings: ReadonlyArray<[string, Target['setting']]> = [
      ['as it comes', {}],
      ['rebuilt', { forceFormat: true }],
    ];

    it.each(settings)('a stream %s is the same wherever the network cuts the bytes', (_name, setting) => {
      // Beginning and end of the recording contain every kind of event; they are split at every position, or every eighth.
      const bytes = excerpt(dialect.stream);
      const whole = play(type, [bytes], setting);
      expect(whole.transform.usage()).toEqual(dialect.usage);
      expect(whole.transform.done).toBe(true);
      const step = rebuilding.includes(type) ? (isFullSuite ? 1 : 8) : 17;
      for (let at = 0; at <= bytes.length; at += step) {
        const { out, transform } = play(type, [bytes.subarray(0, at), bytes.subarray(at)], setting);
        if (out !== whole.out) throw new Error(`differs when cut at ${at}`);
        if (JSON.stringify(transform.usage()) !== JSON.stringify(dialect.usage)) throw new Error(`usage, cut at ${at}`);
      }
    });

    if (cutWhole.includes(type)) {
      // Each event is tested at other positions, unless in a full suite.
      const stride = isFullSuite ? 1 : 8;
      it('every position of the whole recording may be where the network cuts', () => {
        // Each event between its neighbours and before the final ones: no part of a stream reaches further back, as the
        // byte-by-byte run over all of it shows.
        const events = dialect.stream
          .toString('latin1')
          .split('\n\n')
          .filter(Boolean)
          .map((event) => `${event}\n\n`);
        const closing = events.slice(-3).join('');
        for (let index = 0; index < events.length - 3; index++) {
          const before = events[index - 1] ?? '';
          const here = events[index] ?? '';
          const bytes = Buffer.from(before + here + (events[index + 1] ?? '') + closing, 'latin1');
          const whole = play(type, [bytes]).out;
          for (let at = before.length + (index % stride); at <= before.length + here.length; at += stride) {
            const { out, transform } = play(type, [bytes.subarray(0, at), bytes.subarray(at)]);
            if (out !== whole || !transform.done) throw new Error(`event ${index} differs when cut at ${at}`);
          }
        }
      });
    }

    it.each(settings)('a stream %s is the same byte by byte, cut everywhere at once', (_name, setting) => {
      const bytes = rebuilding.includes(type) ? dialect.stream : excerpt(dialect.stream);
      const single = [...bytes].map((byte) => Buffer.from([byte]));
      const pieces = play(type, single, setting);
      expect(pieces.out).toBe(play(type, [bytes], setting).out);
      expect(pieces.transform.usage()).toEqual(dialect.usage);
    });

    it('says what the provider said, all of it', async () => {
      const { meter, transform } = play(type, [dialect.stream]);
      transform.report();
      expect(meter.transcript).toBe(dialect.text);
      // The expected value is the provider's own count for this text, within a tolerance for the splits.
      expect(Math.abs((await meter.tokens()) - dialect.usage.completionTokens)).toBeLessThanOrEqual(3);
    });

    it('keeps unknown fields of requests, zeros and false included', () => {
      const body = {
        temperature: 0,
        frequency_penalty: 0,
        ...(target(type).accepts.tools ? { parallel_tool_calls: false } : {}),
        logit_bias: {},
        brand_new: { a: [1] },
      };
      const sent = adapters[type]?.chat?.toUpstreamRequest(request(body), target(type));
      expect(JSON.parse(String(sent?.body))).toMatchObject(body);
    });

    it('sends a field of OpenAI’s accounts where the provider knows it, and drops it by name elsewhere', () => {
      const to = target(type);
      const sent = adapters[type]?.chat?.toUpstreamRequest(request({ store: false }), to);
      const isSent = 'store' in (JSON.parse(String(sent?.body)) as object);
      expect([isSent, sent?.dropped?.includes('store') ?? false]).toEqual(
        to.accepts.accountFields.includes('store') ? [true, false] : [false, true],
      );
    });

    it('never sends a key that is not the channel’s', () => {
      const asked = { ...request({}), path: '/v1/chat/completions?key=sk-of-the-client&x=1' };
      const sent = adapters[type]?.chat?.toUpstreamRequest(asked, target(type));
      expect(JSON.stringify(sent)).not.toContain('sk-of-the-client');
    });

    it('hears tool calls', async () => {
      const { meter, transform } = play(type, [dialect.toolStream]);
      transform.report();
      expect(transform.complete).toBe(true);
      expect(meter.hasOutput).toBe(true);
      expect(meter.transcript).toBe('weather{"city":"Paris"}');
      expect(await meter.tokens()).toBe(13);
    });

    it('stops at an error and keeps what came before', () => {
      const { out, transform } = play(type, [dialect.errorStream]);
      expect(transform.failure).toMatchObject({ status: 502, detail: { message: 'overloaded', code: 'busy' } });
      expect(out).toContain('"Hi"');
      expect(out).not.toContain('overloaded');
    });

    it('is not complete when the bytes just end', () => {
      const cut = dialect.stream.subarray(0, dialect.stream.indexOf('\n\n', 2000) + 2);
      expect(play(type, [cut]).transform.complete).toBe(false);
    });

    it('asks the provider for the usage of every stream, whether or not the client does', () => {
      for (const options of [{}, { stream_options: { include_usage: true } }, { stream_options: null }]) {
        const sent = adapters[type]?.chat?.toUpstreamRequest(request({ stream: true, ...options }), target(type));
        expect(JSON.parse(String(sent?.body))).toMatchObject({ stream_options: { include_usage: true } });
      }
    });

    it('ends with the usage for who asked for it', () => {
      const usage = { ...dialect.usage, completionTokens: 9 };
      const asked = play(type, [dialect.stream], {}, true).transform.closing(usage).toString();
      const events = asked
        .trim()
        .split('\n\n')
        .map((event) => parseEvent(event)?.data ?? '');
      expect(JSON.parse(events[0] ?? '')).toMatchObject({
        choices: [],
        usage: { prompt_tokens: 16, completion_tokens: 300 },
      });
      expect(events[1]).toBe('[DONE]');
      const unasked = play(type, [dialect.stream]).transform.closing(usage).toString();
      expect(unasked).toBe(reportsAlways.includes(type) ? asked : 'data: [DONE]\n\n');
    });
  },
);
