/** Guardrails, captures and spans of realtime sessions. */
import { RealtimeClients } from '../support/realtime-client.js';
import { startScriptedServer, type ScriptedServer } from '../support/scripted-server.js';
import { eventually, TaskSite } from '../support/task-site.js';
import {
  send,
  startRealtimeUpstream,
  usageOf,
  type RealtimeEvent,
  type RealtimeUpstream,
} from '../support/upstream/realtime.js';

const model = 'gpt-4o-realtime-preview';
const usage = usageOf({ textIn: 10, textOut: 10, audioIn: 0, audioOut: 0 });
const mail = 'ann@mail.example';

let site: TaskSite;
let upstream: RealtimeUpstream;
let clients: RealtimeClients;
let collector: ScriptedServer;

beforeAll(async () => {
  collector = await startScriptedServer(() => ({ body: {} }));
  site = await TaskSite.open({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '20',
    OTEL_METRICS_EXPORTER: 'none',
  });
  upstream = await startRealtimeUpstream();
  clients = new RealtimeClients(site.server.url, model);
  await site.server.api.createChannel(site.root, { baseUrl: upstream.url, key: 'sk-up', models: [model] });
});
beforeEach(async () => {
  collector.calls.length = 0;
  await site.setOption('guardrails.rules', '[]');
  await site.setOption('content_capture.rules', '[]');
});
afterEach(async () => {
  clients.close();
  const held = async () => (await site.rows('SELECT 1 FROM reservations')).length;
  expect(await eventually(held, (count) => count === 0)).toBe(0);
  expect(await site.drift()).toEqual([]);
});
afterAll(async () => {
  await upstream.stop();
  await site.close();
  await collector.stop();
});

const rules = (...list: object[]) => site.setOption('guardrails.rules', JSON.stringify(list));
const personal = { name: 'personal', stage: 'both', action: 'mask', check: 'patterns', patterns: ['email'] };
const fruit = { name: 'fruit', stage: 'both', action: 'block', check: 'words', words: ['pineapple'] };
const say = (text: string): RealtimeEvent => ({
  type: 'conversation.item.create',
  item: {
    type: 'message',
    role: 'user',
    content: [
      { type: 'input_text', text },
      { type: 'input_audio', audio: 'QUFBQQ==' },
    ],
  },
});
/** The provider speaks these pieces: transcript deltas, and the whole text twice at the end. */
const speaks = (...pieces: string[]): void => {
  const at = { response_id: 'r', item_id: 'i', output_index: 0, content_index: 0 };
  upstream.answer = ({ socket }) => {
    send(socket, { type: 'response.created', response: { id: 'r' } });
    for (const delta of pieces) send(socket, { type: 'response.output_audio_transcript.delta', ...at, delta });
    send(socket, { type: 'response.output_audio.delta', ...at, delta: 'QUFB' });
    const transcript = pieces.join('');
    send(socket, { type: 'response.output_audio_transcript.done', ...at, transcript });
    const output = [{ id: 'i', type: 'message', content: [{ type: 'output_audio', transcript }] }];
    send(socket, { type: 'response.done', response: { id: 'r', output, usage } });
  };
};
const open = () => clients.session(site.key);
const received = () => upstream.sessions.at(-1)?.events ?? [];
const deltasOf = (events: readonly RealtimeEvent[]): string =>
  events
    .filter(({ type }) => type === 'response.output_audio_transcript.delta')
    .map(({ delta }) => String(delta))
    .join('');
const rowOf = async (): Promise<Record<string, unknown>> => {
  const rows = await eventually(
    () => site.rows<{ other: string }>('SELECT other FROM logs WHERE type = 2 ORDER BY id DESC LIMIT 1'),
    (found) => found.length > 0,
  );
  return JSON.parse(rows[0]?.other ?? '{}') as Record<string, unknown>;
};
const notes = async (): Promise<unknown> => ((await rowOf())['admin_info'] as Record<string, unknown>)['guardrails'];

it('masks text events of the client and windows of the response, and keeps their order and the sound', async () => {
  await rules(personal);
  // The address is split over two windows.
  const long = 'word '.repeat(60);
  speaks(`${long}write to ann@ma`, `il.example ${long}`, 'the end');
  const client = await open();
  client.send({ type: 'session.update', session: { instructions: `I am ${mail}`, voice: 'alloy' } });
  client.send({ type: 'input_audio_buffer.append', audio: 'QUFBQQ==' });
  client.send(say(`Mail ${mail}`));
  client.send({ type: 'response.create' });
  await client.until('response.done');
  expect(received().map(({ type }) => type)).toEqual([
    ...['session.update', 'input_audio_buffer.append', 'conversation.item.create', 'response.create'],
  ]);
  expect(received()[0]).toEqual({
    type: 'session.update',
    event_id: expect.stringMatching(/^tollgate_update_/) as string,
    session: { instructions: 'I am [email]', voice: 'alloy' },
  });
  expect(JSON.stringify(received()[2])).toBe(JSON.stringify(say('Mail [email]')));
  const whole = `${long}write to [email] ${long}the end`;
  expect(deltasOf(client.events)).toBe(whole);
  expect(client.events.filter(({ type }) => type === 'response.output_audio_transcript.delta').length).toBeGreaterThan(
    1,
  );
  expect(client.events.find(({ type }) => type === 'response.output_audio_transcript.done')).toMatchObject({
    transcript: whole,
  });
  expect(client.events.find(({ type }) => type === 'response.output_audio.delta')).toMatchObject({ delta: 'QUFB' });
  expect(JSON.stringify(client.events.at(-1))).not.toContain(mail);
  expect(await notes()).toEqual([
    { rule: 'personal', stage: 'input', action: 'mask', matched: ['email'] },
    { rule: 'personal', stage: 'output', action: 'mask', matched: ['email'] },
  ]);
});

it('a blocked event of the client is not forwarded, and the session goes on', async () => {
  await rules({ ...fruit, stage: 'input' });
  speaks('fine');
  const client = await open();
  client.send(say('a pineapple'));
  client.send(say('an apple'));
  client.send({ type: 'response.create' });
  await client.until('response.done');
  expect(received().map(({ type }) => type)).toEqual(['conversation.item.create', 'response.create']);
  expect(JSON.stringify(received()[0])).toContain('an apple');
  expect(client.events.find(({ type }) => type === 'error')).toMatchObject({ error: { code: 'guardrail_blocked' } });
  expect(await notes()).toEqual([{ rule: 'fruit', stage: 'input', action: 'block', matched: ['pineapple'] }]);
});

it('a blocked response ends the session, is not shown and is charged', async () => {
  await rules({ ...fruit, stage: 'output' });
  const before = await site.balances();
  speaks('I like pine', 'apple a lot');
  const client = await open();
  client.send({ type: 'response.create' });
  expect(await client.untilClosed()).toBe(1008);
  expect(JSON.stringify(client.events)).not.toMatch(/pine|apple a/);
  expect(client.events.find(({ type }) => type === 'error')).toMatchObject({ error: { code: 'guardrail_blocked' } });
  expect(client.events.some(({ type }) => type === 'response.done')).toBe(false);
  await eventually(
    async () => (await site.balances()).quota,
    (quota) => quota < before.quota,
  );
  expect((await site.balances()).quota).toBeLessThan(before.quota);
  expect(await notes()).toEqual([{ rule: 'fruit', stage: 'output', action: 'block', matched: ['pineapple'] }]);
});

it('masks whole items of the conversation, by who wrote them, and no transcript of a segment passes', async () => {
  await rules({ ...personal, stage: 'input' }, { ...fruit, stage: 'output', action: 'mask' });
  const written = (text: string, role: string): RealtimeEvent => ({
    item: { id: 'i', type: 'message', role, content: [{ type: 'output_audio', audio: 'QUFB', transcript: text }] },
  });
  upstream.answer = ({ socket }) => {
    for (const type of ['added', 'created', 'done', 'retrieved']) {
      send(socket, { type: `conversation.item.${type}`, ...written(`${mail} pineapple`, 'user') });
      send(socket, { type: `conversation.item.${type}`, ...written(`${mail} pineapple`, 'assistant') });
    }
    const segment = 'conversation.item.input_audio_transcription.segment';
    send(socket, { type: segment, item_id: 'i', id: 'seg', text: mail, start: 0, end: 1 });
    send(socket, { type: 'response.done', response: { id: 'r', output: [], usage } });
  };
  const client = await open();
  client.send({ type: 'response.create' });
  await client.until('response.done');
  const items = client.events.filter(({ type }) => String(type).startsWith('conversation.item.'));
  expect(items).toEqual(
    ['added', 'created', 'done', 'retrieved'].flatMap((type) => [
      { type: `conversation.item.${type}`, ...written('[email] pineapple', 'user') },
      { type: `conversation.item.${type}`, ...written(`${mail} [removed]`, 'assistant') },
    ]),
  );
});

it('a blocked item of the conversation ends the session and is not shown', async () => {
  await rules({ ...fruit, stage: 'output' });
  upstream.answer = ({ socket }) => {
    const item = { id: 'i', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'pineapple' }] };
    send(socket, { type: 'conversation.item.done', item });
  };
  const client = await open();
  client.send({ type: 'response.create' });
  expect(await client.untilClosed()).toBe(1008);
  expect(client.events.some(({ type }) => type === 'conversation.item.done')).toBe(false);
});

it('captures texts and transcripts of chosen callers when the session ends', async () => {
  await site.setOption('content_capture.rules', JSON.stringify([{ tokens: [site.tokenId], redact: ['email'] }]));
  upstream.answer = ({ socket }) => {
    send(socket, { type: 'conversation.item.input_audio_transcription.completed', transcript: `my mail is ${mail}` });
    send(socket, { type: 'response.output_audio_transcript.delta', delta: 'hello ' });
    send(socket, { type: 'response.output_audio_transcript.delta', delta: mail });
    send(socket, { type: 'response.done', response: { id: 'r', usage } });
  };
  const client = await open();
  client.send(say('good day'));
  client.send({ type: 'response.create' });
  await client.until('response.done');
  // The client's own session is not changed.
  expect(deltasOf(client.events)).toBe(`hello ${mail}`);
  client.socket.close();
  const [row] = await eventually(
    () => site.rows<Record<string, string>>('SELECT request, response, model_name FROM captured_contents'),
    (found) => found.length > 0,
  );
  expect(JSON.parse(row?.['request'] ?? '')).toEqual({ input: ['good day', 'my mail is [email]'] });
  expect([row?.['response'], row?.['model_name']]).toEqual(['hello [email]\n', model]);
  expect(((await rowOf())['admin_info'] as Record<string, unknown>)['captured']).toBe(true);
});

it('a session is a span with its usage and a child for the provider, which continues the trace', async () => {
  speaks('hello');
  const client = await open();
  client.send({ type: 'response.create' });
  await client.until('response.done');
  client.socket.close();
  const spans = (): Record<string, unknown>[] =>
    collector.calls.flatMap(({ body }) =>
      (
        JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Record<string, unknown>[] }[] }[] }
      ).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((each) => each.spans)),
    );
  // Spans of the previous session may arrive as late as this.
  const [, traceId] = String(upstream.sessions.at(-1)?.headers['traceparent']).split('-');
  const found = await eventually(
    () => Promise.resolve(spans().filter((span) => span['traceId'] === traceId)),
    (list) => list.length >= 2,
  );
  expect(found.map(({ name }) => name)).toEqual(Array(2).fill(`realtime ${model}`));
  const session = found.find(({ kind }) => kind === 2);
  const attempt = found.find(({ kind }) => kind === 3);
  expect(attempt?.['parentSpanId']).toBe(session?.['spanId']);
  const attributes = Object.fromEntries(
    (session?.['attributes'] as { key: string; value: object }[]).map(({ key, value }) => [
      key,
      Object.values(value)[0],
    ]),
  );
  expect(attributes).toMatchObject({
    'gen_ai.operation.name': 'realtime',
    'gen_ai.usage.input_tokens': '10',
    'gen_ai.usage.output_tokens': '10',
    'url.path': '/v1/realtime',
    'tollgate.outcome': 'ok',
  });
  expect(upstream.sessions.at(-1)?.headers['traceparent']).toBe(
    `00-${String(session?.['traceId'])}-${String(attempt?.['spanId'])}-01`,
  );
});
