/** The channel's address answers with status 200 and a web page, or with nothing: sign-in pages, parked domains, proxies. */
import { chat, json } from '../support/upstream/replies.js';
import type { Reply } from '../support/upstream/upstream.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;
relaySuite((started) => (relay = started), { values: { RetryTimes: 1, SelfUseModeEnabled: true } });

const page =
  (length: number): Reply =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(`\n<!doctype html><html>${'x'.repeat(length)}</html>`);
  };
const nothing: Reply = (response) => {
  response.writeHead(204);
  response.end();
};
const sound: Reply = (response) => {
  response.writeHead(200, { 'content-type': 'audio/mpeg' });
  response.end('sound');
};
const vector = json({ data: [{ embedding: [1] }], usage: { prompt_tokens: 2, total_tokens: 2 } });
const drawn = json({ data: [{ b64_json: 'aGk=' }] });
const images = { model: 'dall-e-3', prompt: 'A cat' };
const speech = { model: 'tts-1', input: 'Hello', voice: 'alloy' };

it.each<
  [path: string, body: { readonly model: string; readonly [field: string]: unknown }, wrong: Reply, right: Reply]
>([
  ['/v1/images/generations', images, page(10), drawn],
  ['/v1/images/generations', images, page(200_000), drawn],
  ['/v1/images/generations', images, nothing, drawn],
  ['/v1/embeddings', { model: 'text-embedding-3-small', input: 'hi' }, page(10), vector],
  ['/v1/audio/speech', speech, page(10), sound],
  ['/v1/audio/speech', speech, page(200_000), sound],
  ['/v1/audio/speech', speech, nothing, sound],
  [
    '/v1/chat/completions',
    { model: 'gpt-4o', messages: userMessage('hi'), stream: true },
    page(200_000),
    chat({ text: 'Hello' }),
  ],
])('%s moves on to another channel', async (path, body, wrong, right) => {
  await relay.addChannel({ models: body.model });
  await relay.addChannel({ models: body.model });
  const { key, userId } = await relay.addToken();
  relay.upstream.script({}, wrong, right);
  const response = await relay.post(path, key, body);
  expect([response.status, await response.text()]).toEqual([200, expect.not.stringContaining('<html>')]);
  expect(relay.upstream.requests).toHaveLength(2);
  expect(await relay.logsOf(userId, 1)).toHaveLength(1);
});

it('costs nothing where every address answers so', async () => {
  await relay.addChannel({ models: 'dall-e-3' });
  const { key, userId } = await relay.addToken();
  relay.upstream.script({}, page(10));
  const response = await relay.post('/v1/images/generations', key, images);
  expect([response.status, await response.text()]).toEqual([502, expect.stringContaining('invalid_response')]);
  expect(await relay.logs(userId)).toEqual([]);
});

it('a stream under a wrong name is a stream', async () => {
  await relay.addChannel();
  const { key } = await relay.addToken();
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
  const choice = { index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' };
  relay.upstream.script({}, (response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`data: ${JSON.stringify({ ...chunk, choices: [choice] })}\n\ndata: [DONE]\n\n`);
  });
  const body = { model: 'gpt-4o', messages: userMessage('hi'), stream: true };
  const text = await (await relay.post('/v1/chat/completions', key, body)).text();
  expect(text).toContain('"content":"Hi"');
  expect(text).not.toContain('"error"');
});
