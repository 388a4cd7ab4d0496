import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConversationCapability } from '../contract.js';
import type { Target } from '../target.js';
import type { Usage } from '../../shared/usage.js';
import { TextMeter } from '../../gateway/reserve/metering/text-meter.js';
import type { AnswerContext } from '../neutral/codec.js';
import { TranslatedStream } from '../neutral/translated-stream.js';
import { chatClient } from '../languages/openai/chat-client.js';
import { messagesClient } from '../languages/anthropic/messages-client.js';
import { providerOf } from '../makers/providers.js';
import { adapters, targetFor } from '../../../../tests/support/relay-dialects.js';

/* The promises that every provider with its own dialect keeps. A new provider adds its streams here. */

type Json = Record<string, unknown>;

interface Own {
  readonly key: string;
  readonly model?: string;
  readonly other?: string;
  /** How a stream separates its events. Absent: server-sent events. */
  readonly frames?: 'lines';
  /** A stream that ends normally. */
  readonly stream: Buffer;
  readonly text: string;
  /** Prompt and completion tokens. Null: the provider reports none. */
  readonly usage: readonly [number, number] | null;
  /** A stream that calls `weather` with `{"city":"Paris"}`, for providers with tools. */
  readonly tools?: Buffer;
  /** `Hi`, then an error. */
  readonly errors: Buffer;
  readonly failure: { readonly status: number; readonly message: string };
  /** The response without streaming. */
  readonly whole: unknown;
}

const sse = (...events: readonly unknown[]): Buffer =>
  Buffer.from(events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join(''));

const lines = (...objects: readonly unknown[]): Buffer =>
  Buffer.from(objects.map((each) => `${JSON.stringify(each)}\n`).join(''));

const recorded = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../../../tests/recorded', name), 'utf8');
const recordedStream = (name: string): Buffer => sse(...recorded(name).split('\n').filter(Boolean));

const cohereText = (text: string): Json => ({
  type: 'content-delta',
  index: 0,
  delta: { message: { content: { text } } },
});
const cohereCall = (type: string, call: Json): Json => ({ type, index: 0, delta: { message: { tool_calls: call } } });
const hunyuan = (delta: Json, finish = ''): Json => ({
  Id: 'h',
  Created: 1,
  Choices: [{ Delta: delta, FinishReason: finish }],
  Usage: { PromptTokens: 7, CompletionTokens: 3, TotalTokens: 10 },
});
const ollama = (message: Json, more: Json = {}): Json => ({
  model: 'm',
  created_at: '2026-11-27T00:00:00Z',
  message: { role: 'assistant', ...message },
  done: false,
  ...more,
});
const ollamaEnd = { done: true, done_reason: 'stop', prompt_eval_count: 7, eval_count: 3 };
const ernie = (result: string, ends = false): Json => ({
  id: 'as-1',
  created: 1,
  is_end: ends,
  result,
  usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
});

/** By channel type. `alternative`: the adapter of channels with that `chat_upstream`. */
const providers: Readonly<Record<string, Own>> = {
  '4 alternative': {
    key: 'k',
    frames: 'lines',
    stream: lines(ollama({ content: 'Héllo ' }), ollama({ content: '世界' }), ollama({ content: '' }, ollamaEnd)),
    text: 'Héllo 世界',
    usage: [7, 3],
    tools: lines(
      ollama({ content: '', tool_calls: [{ function: { name: 'weather', arguments: { city: 'Paris' } } }] }),
      ollama({ content: '' }, ollamaEnd),
    ),
    errors: lines(ollama({ content: 'Hi' }), { error: 'limit' }),
    failure: { status: 502, message: 'limit' },
    whole: ollama({ content: 'Héllo 世界' }, ollamaEnd),
  },
  15: {
    key: 'AK|SK',
    stream: sse(ernie('Héllo '), { note: 'unknown' }, ernie('世界', true)),
    text: 'Héllo 世界',
    usage: [7, 3],
    // Without `data:`, as the provider sends it.
    errors: Buffer.concat([sse(ernie('Hi')), Buffer.from('{"error_code":18,"error_msg":"limit"}\n')]),
    failure: { status: 429, message: 'limit' },
    whole: { ...ernie('Héllo 世界'), is_truncated: false, brand_new: 1 },
  },
  16: {
    key: 'id.secret',
    stream: Buffer.from(
      'event: add\nid: 1\ndata: Héllo \n\nevent: brand_new\ndata: x\n\nevent:add\ndata:世界\n\nevent: finish\ndata: \nmeta: {"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}\n\n',
    ),
    text: 'Héllo 世界',
    usage: [7, 3],
    errors: Buffer.from('event: add\ndata: Hi\n\nevent: error\ndata: limit\n\n'),
    failure: { status: 502, message: 'limit' },
    whole: {
      success: true,
      data: {
        task_id: 't',
        choices: [{ role: 'assistant', content: '"Héllo 世界"' }],
        usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
      },
    },
  },
  21: {
    key: 'k',
    other: 'lib',
    stream: sse({ content: 'Héllo ' }, { brand: 'new' }, { content: '世界', finish: true }),
    text: 'Héllo 世界',
    usage: null,
    errors: sse({ content: 'Hi' }, { errCode: 5, message: 'limit' }),
    failure: { status: 502, message: 'limit' },
    whole: { success: true, answer: 'Héllo 世界', errCode: 0 },
  },
  23: {
    key: '1|id|secret',
    stream: sse(hunyuan({ Role: 'assistant', Content: 'Héllo ' }), { Note: 'x' }, hunyuan({ Content: '世界' }, 'stop')),
    text: 'Héllo 世界',
    usage: [7, 3],
    tools: sse(
      hunyuan({ ToolCalls: [{ Id: 'c1', Type: 'function', Function: { Name: 'weather', Arguments: '{"city":' } }] }),
      hunyuan({ ToolCalls: [{ Id: 'c1', Function: { Name: '', Arguments: '"Paris"}' } }] }),
      hunyuan({}, 'tool_calls'),
    ),
    errors: sse(hunyuan({ Content: 'Hi' }), { ErrorMsg: { Code: 'RequestLimitExceeded', Msg: 'limit' } }),
    failure: { status: 429, message: 'limit' },
    whole: {
      Response: {
        Id: 'h',
        Choices: [{ FinishReason: 'stop', Message: { Content: 'Héllo 世界' } }],
        Usage: { PromptTokens: 7, CompletionTokens: 3 },
      },
    },
  },
  34: {
    key: 'k',
    stream: sse(
      { type: 'message-start', id: 'm' },
      { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
      cohereText('Héllo '),
      { type: 'citation-start', delta: {} },
      cohereText('世界'),
      { type: 'content-end', index: 0 },
      {
        type: 'message-end',
        delta: { finish_reason: 'COMPLETE', usage: { billed_units: { input_tokens: 7, output_tokens: 3 } } },
      },
    ),
    text: 'Héllo 世界',
    usage: [7, 3],
    tools: sse(
      { type: 'message-start', id: 'm' },
      cohereCall('tool-call-start', { id: 'c1', type: 'function', function: { name: 'weather', arguments: '' } }),
      cohereCall('tool-call-delta', { function: { arguments: '{"city":' } }),
      cohereCall('tool-call-delta', { function: { arguments: '"Paris"}' } }),
      { type: 'tool-call-end', index: 0 },
      { type: 'message-end', delta: { finish_reason: 'TOOL_CALL' } },
    ),
    errors: sse(cohereText('Hi'), { type: 'message-end', delta: { finish_reason: 'ERROR' } }),
    failure: { status: 502, message: 'The provider could not finish its response' },
    whole: {
      id: 'm',
      message: { content: [{ type: 'text', text: 'Héllo 世界' }] },
      finish_reason: 'COMPLETE',
      usage: { billed_units: { input_tokens: 7, output_tokens: 3 } },
    },
  },
  '34 alternative': {
    key: 'k',
    frames: 'lines',
    stream: lines(
      { is_finished: false, event_type: 'stream-start', generation_id: 'g' },
      { is_finished: false, event_type: 'text-generation', text: 'Héllo ' },
      { is_finished: false, event_type: 'brand-new' },
      { is_finished: false, event_type: 'text-generation', text: '世界' },
      {
        is_finished: true,
        event_type: 'stream-end',
        finish_reason: 'COMPLETE',
        response: { text: 'Héllo 世界', meta: { billed_units: { input_tokens: 7, output_tokens: 3 } } },
      },
    ),
    text: 'Héllo 世界',
    usage: [7, 3],
    // A call with tools goes to the newer API, whose events are server-sent.
    tools: sse(
      { type: 'message-start', id: 'm' },
      cohereCall('tool-call-start', { id: 'c1', type: 'function', function: { name: 'weather', arguments: '' } }),
      cohereCall('tool-call-delta', { function: { arguments: '{"city":"Paris"}' } }),
      { type: 'tool-call-end', index: 0 },
      { type: 'message-end', delta: { finish_reason: 'TOOL_CALL' } },
    ),
    errors: lines(
      { is_finished: false, event_type: 'text-generation', text: 'Hi' },
      { is_finished: true, event_type: 'stream-end', finish_reason: 'ERROR' },
    ),
    failure: { status: 502, message: 'The provider could not finish its response' },
    whole: {
      response_id: 'r',
      text: 'Héllo 世界',
      finish_reason: 'COMPLETE',
      meta: { billed_units: { input_tokens: 7, output_tokens: 3 } },
    },
  },
  37: {
    key: 'app-k',
    stream: sse(
      { event: 'workflow_started', data: {} },
      { event: 'message', message_id: 'd', answer: 'Héllo ' },
      { event: 'ping' },
      { event: 'agent_message', message_id: 'd', answer: '世界' },
      { event: 'workflow_finished', data: { status: 'succeeded' } },
      { event: 'message_end', message_id: 'd', metadata: { usage: { prompt_tokens: 7, completion_tokens: 3 } } },
    ),
    text: 'Héllo 世界',
    usage: [7, 3],
    errors: sse({ event: 'message', answer: 'Hi' }, { event: 'error', status: 429, code: 'busy', message: 'limit' }),
    failure: { status: 429, message: 'limit' },
    whole: {
      conversation_id: 'd',
      answer: 'Héllo 世界',
      metadata: { usage: { prompt_tokens: 7, completion_tokens: 3 } },
    },
  },
};

const typeOf = (name: string): number => parseInt(name, 10);

const context: AnswerContext = { id: 'r', created: 1, model: 'asked', promptTokens: 0, includeUsage: false, body: {} };

const targetOf = (type: string): Target =>
  targetFor({
    type: typeOf(type),
    baseUrl: 'https://provider.example',
    key: providers[type]?.key ?? '',
    other: providers[type]?.other ?? '',
    upstreamModel: providers[type]?.model ?? 'm',
    requestedModel: 'asked',
    credential: 'token',
  });

function capabilityOf(type: string): ConversationCapability {
  const adapter = type.endsWith('alternative') ? providerOf(typeOf(type)).alternative : adapters[typeOf(type)];
  const capability = adapter?.conversation;
  if (!capability) throw new Error(`type ${type} does not converse`);
  return capability;
}

function play(type: string, parts: readonly Buffer[]) {
  const capability = capabilityOf(type);
  const meter = new TextMeter('m', 1024 * 1024);
  const reader = capability.codec(targetOf(type)).openReader();
  const stream = new TranslatedStream(reader, chatClient.openWriter(context), meter, capability.openFrames?.());
  let out = '';
  for (const part of parts) out += stream.push(part) ?? '';
  out += stream.end() ?? '';
  return { out, stream, meter };
}

function send(type: string, body: Json) {
  const target = targetOf(type);
  const capability = capabilityOf(type);
  const request = chatClient.parse({
    body: { model: 'm', messages: [{ role: 'user', content: 'hi' }], ...body },
    model: target.upstreamModel,
  });
  const written = capability.codec(target).write(request);
  const call = { stream: request.stream, model: written.model ?? target.upstreamModel };
  return { ...capability.toUpstreamRequest(written.body, call, target), dropped: written.dropped };
}

/** The text of a stream, however it was split. */
const said = (out: string): string =>
  out
    .split('\n\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => {
      const { choices } = JSON.parse(line.slice('data: '.length)) as {
        choices: Array<{ delta: { content?: string; tool_calls?: unknown }; finish_reason: string | null }>;
      };
      return choices.map(({ delta, finish_reason: end }) => (delta.content ?? '') + (end ? `|${end}` : '')).join('');
    })
    .join('');

const takesStop = ['4 alternative', '15', '23', '34', '34 alternative'];
const cases = Object.entries(providers);
const spoken = Object.entries(adapters).filter(([, adapter]) => adapter.conversation);
/** Types with their own tests: Gemini and Claude; hosts of Claude; a WebSocket; one that never streamed. */
const elsewhere = ['11', '14', '18', '24', '33', '41'];

it('knows a stream for every provider that converses', () => {
  const missing = spoken.map(([type]) => type).filter((type) => !providers[type] && !elsewhere.includes(type));
  expect(missing).toEqual([]);
});

describe('a provider that also accepts chat completions', () => {
  // Vertex AI chooses the protocol by the model.
  const model = 'gemini-2.5-pro';
  const target = (type: number, key: string): Target =>
    targetFor({
      type,
      baseUrl: 'https://provider.example',
      key,
      other: '',
      upstreamModel: model,
      requestedModel: model,
    });
  const rows = spoken.flatMap(([type, { conversation }]) =>
    ['password', '1|id|secret']
      .map((key) => [Number(type), target(Number(type), key), conversation] as const)
      .filter(([, each]) => conversation?.codec(each).dialect === 'openai-chat'),
  );

  it('is of types 18 and 23', () => {
    expect([...new Set(rows.map(([type]) => type))]).toEqual([18, 23]);
  });

  it.each(rows)('is asked for the usage of every stream, whether or not the client asks: type %i', (_type, to, own) => {
    for (const options of [
      {},
      { stream_options: { include_usage: true } },
      { stream_options: { include_usage: false } },
    ]) {
      const body = { model, messages: [{ role: 'user', content: 'hi' }], stream: true, ...options };
      const written = own?.codec(to).write(chatClient.parse({ body, model }));
      const sent = own?.toUpstreamRequest(written?.body ?? {}, { stream: true, model }, to);
      expect(JSON.parse(String(sent?.body))).toMatchObject({ stream_options: { include_usage: true } });
    }
  });
});

describe.each(cases)('channel type %s', (type, own) => {
  it('says the same wherever the network cuts the bytes', () => {
    const whole = play(type, [own.stream]);
    expect(said(whole.out)).toBe(`${own.text}|stop`);
    for (let at = 0; at <= own.stream.length; at++) {
      const { out, stream } = play(type, [own.stream.subarray(0, at), own.stream.subarray(at)]);
      if (said(out) !== said(whole.out)) throw new Error(`differs when cut at ${at}`);
      if (JSON.stringify(stream.usage()) !== JSON.stringify(whole.stream.usage()))
        throw new Error(`usage, cut at ${at}`);
    }
    const single = play(
      type,
      [...own.stream].map((byte) => Buffer.from([byte])),
    );
    expect(said(single.out)).toBe(said(whole.out));
  });

  it('tells what it cost, exactly, and all that it said', () => {
    const { stream, meter } = play(type, [own.stream]);
    stream.report();
    expect(meter.transcript).toBe(own.text);
    expect(stream.complete).toBe(true);
    const usage: Usage | null = stream.usage();
    expect(usage && [usage.promptTokens, usage.completionTokens]).toEqual(own.usage);
  });

  it('is not complete when the bytes just end', () => {
    const end = own.frames === 'lines' ? '\n' : '\n\n';
    const first = own.stream.subarray(0, own.stream.lastIndexOf(end, own.stream.length - end.length - 1) + end.length);
    expect(play(type, [first]).stream.complete).toBe(false);
  });

  it('abandoned anywhere, has told what came and nothing else', () => {
    for (let at = 0; at < own.stream.length; at += 7) {
      const capability = capabilityOf(type);
      const meter = new TextMeter('m', 1024 * 1024);
      const reader = capability.codec(targetOf(type)).openReader();
      const stream = new TranslatedStream(reader, chatClient.openWriter(context), meter, capability.openFrames?.());
      const out = stream.push(own.stream.subarray(0, at)) ?? '';
      stream.report();
      expect(own.text.startsWith(meter.transcript)).toBe(true);
      expect(said(out).replace(/\|stop$/, '')).toBe(meter.transcript);
    }
  });

  it('stops at an error and keeps what came before', () => {
    const { out, stream } = play(type, [own.errors]);
    expect(stream.failure).toMatchObject({ status: own.failure.status, message: own.failure.message });
    expect(said(out)).toBe('Hi');
  });

  it('answers the same in one piece', () => {
    const answer = capabilityOf(type).codec(targetOf(type)).read(own.whole);
    expect(answer.choices).toEqual([{ index: 0, parts: [{ kind: 'text', text: own.text }], finish: 'stop' }]);
    expect(answer.usage && [answer.usage.promptTokens, answer.usage.completionTokens]).toEqual(own.usage);
  });

  it('refuses what is no answer', () => {
    const codec = capabilityOf(type).codec(targetOf(type));
    for (const body of [null, [], 'x', {}, { choices: [] }]) expect(() => codec.read(body)).toThrow();
  });

  it('carries tools, or drops them by name and refuses a call that asks for one', () => {
    const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }];
    if (!own.tools) {
      const sent = send(type, { tools, tool_choice: 'auto' });
      expect(sent.dropped).toContain('tools[0].weather');
      expect(String(sent.body)).not.toContain('weather');
      expect(() => send(type, { tools, tool_choice: 'required' })).toThrow(/^tools is not supported/);
      return;
    }
    expect(String(send(type, { tools }).body)).toContain('weather');
    const { out, stream, meter } = play(type, [own.tools]);
    stream.report();
    expect(meter.transcript).toBe('weather{"city":"Paris"}');
    expect(said(out)).toBe('|tool_calls');
  });

  it('refuses what it cannot mean and names the hints it leaves out', () => {
    expect(() => send(type, { n: 2 })).toThrow(/^n is not supported/);
    const audio = [{ type: 'input_audio', input_audio: { data: 'AA', format: 'wav' } }];
    expect(() => send(type, { messages: [{ role: 'user', content: audio }] })).toThrow(/messages/);
    if (!takesStop.includes(type)) expect(() => send(type, { stop: ['x'] })).toThrow(/^stop is not supported/);
    else expect(String(send(type, { stop: ['xyzzy'] }).body)).toContain('xyzzy');
    const { dropped } = send(type, { logit_bias: { 1: 1 }, service_tier: 'flex', brand_new: 1 });
    expect(dropped).toEqual(expect.arrayContaining(['logit_bias', 'service_tier', 'brand_new']));
  });

  it('is asked by a client of another dialect too', () => {
    const body = {
      model: 'm',
      max_tokens: 9,
      system: 'S',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
    };
    const written = capabilityOf(type).codec(targetOf(type)).write(messagesClient.parse({ body }));
    expect(JSON.stringify(written.body)).toContain('hi');
  });
});

describe('Cohere, as recorded', () => {
  it('calls two tools after a plan', () => {
    const { out, stream, meter } = play('34', [recordedStream('cohere/cohere-tool-call.chunks.txt')]);
    stream.report();
    expect(said(out)).toBe('|tool_calls');
    expect(meter.transcript).toMatch(
      /^I will use.*weather\{"location": "San Francisco"\}cityAttractions\{"city": "San Francisco"\}$/s,
    );
    const answer = adapters[34]?.conversation
      ?.codec(targetOf('34'))
      .read(JSON.parse(recorded('cohere/cohere-tool-call.json')));
    expect(answer?.choices[0]?.parts.map(({ kind }) => kind)).toEqual(['reasoning', 'toolCall', 'toolCall']);
    expect(answer?.usage).toMatchObject({ promptTokens: 119, completionTokens: 52 });
  });

  it('answers in text, streamed and whole', () => {
    const { out, stream } = play('34', [recordedStream('cohere/cohere-text.chunks.txt')]);
    expect(said(out)).toMatch(/\|stop$/);
    expect(stream.complete).toBe(true);
    const answer = adapters[34]?.conversation
      ?.codec(targetOf('34'))
      .read(JSON.parse(recorded('cohere/cohere-text.json')));
    expect(answer?.choices[0]?.finish).toBe('stop');
  });

  it('embeds', () => {
    const answer = { contentType: 'application/json', body: Buffer.from(recorded('cohere/cohere-embedding.json')) };
    const request = {
      path: '/v1/embeddings',
      body: { model: 'm', input: ['a', 'b'] },
      rawBody: Buffer.from(''),
      form: null,
    };
    const told = adapters[34]?.embeddings?.fromUpstreamResponse(answer, request, targetOf('34'));
    expect((JSON.parse(String(told?.body)) as { data: unknown[] }).data).toHaveLength(2);
    expect(told?.usage).toMatchObject({ promptTokens: 10 });
  });
});
