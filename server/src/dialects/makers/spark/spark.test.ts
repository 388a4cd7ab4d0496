import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Target } from '../../target.js';
import { UpstreamError } from '../../errors/upstream-error.js';
import { TextMeter } from '../../../gateway/reserve/metering/text-meter.js';
import type { AnswerContext } from '../../neutral/codec.js';
import { TranslatedStream } from '../../neutral/translated-stream.js';
import { chatClient } from '../../languages/openai/chat-client.js';
import { signedAddress, sparkKeys, sparkModel } from './address.js';
import { spark } from './spark.js';
import { targetFor } from '../../../../../tests/support/relay-dialects.js';

type Json = Record<string, unknown>;

interface Fixture {
  readonly id: string;
  readonly date: string;
  readonly url: string;
  readonly in: { readonly body: Json };
  readonly ws_send: Json;
  readonly ws_recv: readonly Json[];
  readonly out: { readonly status: number };
}

const file = join(import.meta.dirname, '../../../../../tests/fixtures/relay-providers/own-protocols.json');
const fixture = (id: string): Fixture => {
  const found = (JSON.parse(readFileSync(file, 'utf8')) as Fixture[]).find((each) => each.id.startsWith(id));
  if (!found) throw new Error(`no fixture ${id}`);
  return found;
};

const targetOf = (more: Partial<Target> = {}): Target =>
  targetFor({
    type: 18,
    key: 'appid1|fakeapisecret|fakeapikey',
    upstreamModel: 'SparkDesk-v3.5',
    requestedModel: 'SparkDesk-v3.5',
    now: Date.parse('Tue, 18 Jun 2024 08:40:00 GMT'),
    ...more,
  });

function send(body: Json, more: Partial<Target> = {}) {
  const target = targetOf(more);
  const request = chatClient.parse({ body, model: target.upstreamModel });
  const written = spark.conversation?.codec(target).write(request);
  const call = { stream: request.stream, model: target.upstreamModel };
  const sent = spark.conversation?.toUpstreamRequest(written?.body ?? {}, call, target);
  if (!sent) throw new Error('nothing to send');
  return { ...sent, json: JSON.parse(String(sent.body)) as Json };
}

const context: AnswerContext = { id: 'r', created: 1, model: 'm', promptTokens: 0, includeUsage: false, body: {} };

function play(frames: readonly Json[]) {
  const reader = spark.conversation?.codec(targetOf()).openReader();
  if (!reader) throw new Error('no reader');
  const stream = new TranslatedStream(reader, chatClient.openWriter(context), new TextMeter('m', 0));
  const out = frames.map((frame) => stream.push(Buffer.from(`data: ${JSON.stringify(frame)}\n\n`)) ?? '').join('');
  return { stream, out };
}

const messages = [
  { role: 'system', content: 'S' },
  { role: 'user', content: 'hi' },
];

it('F58: the address is signed', () => {
  const { url } = fixture('F58');
  const target = targetOf();
  expect(signedAddress(sparkModel(target), sparkKeys(target), target.now)).toBe(url);
});

it('a base URL that names a WebSocket replaces the host, which is signed', () => {
  const baseUrl = 'wss://maas-api.cn-huabei-1.xf-yun.com/';
  const { url, socket } = send({ messages }, { baseUrl });
  expect(socket?.form).toBe('list');
  const { host, pathname, searchParams } = new URL(url);
  expect([host, pathname, searchParams.get('host')]).toEqual([
    'maas-api.cn-huabei-1.xf-yun.com',
    '/v3.5/chat',
    'maas-api.cn-huabei-1.xf-yun.com',
  ]);
  // The signature of the fixture is of another host.
  expect(searchParams.get('authorization')).not.toBe(new URL(fixture('F58').url).searchParams.get('authorization'));
});

it('F59: one frame is sent, and frames are read until the last', () => {
  const { in: call, ws_send: sent, ws_recv: frames } = fixture('F59');
  const asked = send(call.body);
  expect(asked).toMatchObject({ socket: { form: 'events' }, url: fixture('F58').url });
  expect(asked.json).toMatchObject(sent);
  const { stream, out } = play(frames);
  expect(stream).toMatchObject({ done: true, complete: true, failure: null });
  expect(stream.usage()).toMatchObject({ promptTokens: 4, completionTokens: 2 });
  expect(out).toContain('"content":"He"');
  expect(out).toContain('"finish_reason":"stop"');
  const whole = spark.conversation?.codec(targetOf()).read(frames);
  expect(whole?.choices).toEqual([{ index: 0, parts: [{ kind: 'text', text: 'Hey' }], finish: 'stop' }]);
  expect(whole?.usage).toMatchObject({ promptTokens: 4 });
});

it('F60: a code is an error, streamed and whole', () => {
  const { ws_recv: frames, out } = fixture('F60');
  expect(play(frames).stream.failure).toMatchObject({ status: out.status, detail: { code: 11200 } });
  expect(() => spark.conversation?.codec(targetOf()).read(frames)).toThrow(UpstreamError);
  expect(() => spark.conversation?.codec(targetOf()).read([])).toThrow('ended before');
});

it.each([
  ['SparkDesk-v3.5', '', '/v3.5/chat', 'generalv3.5'],
  ['SparkDesk', 'v2.1', '/v2.1/chat', 'generalv2'],
  ['SparkDesk', '', '/v1.1/chat', 'lite'],
  ['Spark-Max', '', '/v3.5/chat', 'generalv3.5'],
  ['Spark-4.0-Ultra', '', '/v4.0/chat', '4.0Ultra'],
  ['Spark-Pro-128K', '', '/chat/pro-128k', 'pro-128k'],
  ['SparkDesk-v9', '', '/v9/chat', 'generalv9'],
])('%s with version "%s" is asked at %s', (upstreamModel, other, path, domain) => {
  expect(sparkModel({ upstreamModel, other })).toMatchObject({ path, domain });
});

it('models that know no instructions agree to them', () => {
  const { json } = send({ messages, stream: true }, { upstreamModel: 'SparkDesk-v2.1' });
  expect(json['payload']).toEqual({
    message: {
      text: [
        { role: 'user', content: 'S' },
        { role: 'assistant', content: 'Okay' },
        { role: 'user', content: 'hi' },
      ],
    },
  });
});

it('a whole answer is asked for as one', () => {
  const { socket } = send({ messages });
  expect(socket?.form).toBe('list');
  expect(fixture('F59').ws_recv.map((frame) => socket?.isLast(JSON.stringify(frame)))).toEqual([false, true]);
  expect(socket?.isLast('{"header":{"code":11200,"status":0}}')).toBe(true);
});

it.each([
  ['https://spark-api-open.xf-yun.com', 'https://spark-api-open.xf-yun.com/v1/chat/completions'],
  ['https://spark-api-open.xf-yun.com/v2/', 'https://spark-api-open.xf-yun.com/v2/chat/completions'],
])('an address of its own speaks chat completions: %s', (baseUrl, url) => {
  const sent = send({ messages, seed: 1 }, { baseUrl });
  expect(sent).toMatchObject({ method: 'POST', url, json: { model: 'SparkDesk-v3.5', seed: 1 } });
  expect(sent.headers['authorization']).toBe('Bearer fakeapikey:fakeapisecret');
  expect(send({ messages }, { baseUrl, key: 'password' }).headers['authorization']).toBe('Bearer password');
  expect(sent).not.toHaveProperty('socket');
});

it('a password is taken by chat completions only', () => {
  const { url, headers } = send({ messages }, { key: 'password' });
  expect(url).toBe('https://spark-api-open.xf-yun.com/v1/chat/completions');
  expect(headers['authorization']).toBe('Bearer password');
});

it('a key of another form is refused', () => {
  expect(() => send({ messages }, { key: 'one|two' })).toThrow('APPID|APISecret|APIKey');
  const tools = [{ type: 'function', function: { name: 'f' } }];
  expect(() => send({ messages, tools, tool_choice: 'required' })).toThrow('tool');
  // A tool that the model may use is left out instead.
  expect(JSON.stringify(send({ messages, tools }).json)).not.toContain('"f"');
});
