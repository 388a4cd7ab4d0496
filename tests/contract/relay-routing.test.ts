import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { failure } from '../support/upstream/faults.js';
import { families, refuses, says } from '../support/upstream/families.js';
import { json } from '../support/upstream/replies.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

/** Tests of the channels that a call uses and does not use again (docs/reference/relay/routing.md). */
let relay: RelayHarness;
/** The only clock of the relay. The tests move it. */
let now = Date.now();

relaySuite((started) => (relay = started), { clock: { now: () => now }, values: { SelfUseModeEnabled: true } });

const body = { model: 'gpt-4o', messages: userMessage('hi') };
const statusOf = async (key: string): Promise<number> => {
  const response = await relay.chat(key, body);
  await response.text();
  return response.status;
};

/** Returns an address without a listener, which counts attempts to connect and can be opened. */
async function deadAddress() {
  const server = createServer((_request, response) => {
    asked++;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ choices: [{ message: { content: 'ok' } }], usage: { prompt_tokens: 1 } }));
  });
  let asked = 0;
  const listen = (port: number): Promise<void> => new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  await close();
  return { url: `http://127.0.0.1:${port}`, open: () => listen(port), close, asked: () => asked };
}

describe('a channel that cannot be reached', () => {
  const triesOf = (): number =>
    relay.logLines.filter((line) => line.includes('upstream attempt failed') && line.includes('UPSTREAM_UNREACHABLE'))
      .length;

  it('goes into cooldown after five failures, and comes back by a call of a client, with no call of our own', async () => {
    const dead = await deadAddress();
    await relay.addChannel({ priority: 9, baseUrl: dead.url });
    await relay.addChannel({ priority: 1 });
    relay.setOptions({ SelfUseModeEnabled: true, RetryTimes: 1 });
    const { key } = await relay.addToken();
    const before = triesOf();
    for (let call = 0; call < 8; call++) expect(await statusOf(key)).toBe(200);
    // Five calls tried the dead channel, and three used the other channel at once.
    expect(triesOf() - before).toBe(5);
    expect(relay.upstream.requests).toHaveLength(8);

    await dead.open();
    now += 29_000;
    expect(await statusOf(key)).toBe(200);
    expect(dead.asked()).toBe(0);
    // After the cooldown, one of the next calls tries the channel, which serves again.
    now += 1_000;
    expect(await statusOf(key)).toBe(200);
    expect(dead.asked()).toBe(1);
    expect(await statusOf(key)).toBe(200);
    expect(dead.asked()).toBe(2);
    expect(relay.upstream.requests).toHaveLength(9);
    await dead.close();
  });

  it('lets one call alone try whether it is back', async () => {
    const dead = await deadAddress();
    await relay.addChannel({ priority: 9, baseUrl: dead.url });
    await relay.addChannel({ priority: 1 });
    relay.setOptions({ SelfUseModeEnabled: true, RetryTimes: 1 });
    const { key } = await relay.addToken();
    for (let call = 0; call < 5; call++) expect(await statusOf(key)).toBe(200);
    const before = triesOf();
    now += 30_000;
    const statuses = await Promise.all(Array.from({ length: 10 }, () => statusOf(key)));
    expect(statuses).toEqual(Array(10).fill(200));
    expect(triesOf() - before).toBe(1);
  });

  it('is back by the test of an admin, too, and one that fails keeps nobody from trying later', async () => {
    const dead = await deadAddress();
    const channelId = await relay.addChannel({ priority: 9, baseUrl: dead.url });
    await relay.addChannel({ priority: 1 });
    relay.setOptions({ SelfUseModeEnabled: true, RetryTimes: 1 });
    const { key } = await relay.addToken();
    const probe = () => relay.probe.send({ channelId, model: body.model, endpoint: 'chat', body, retires: false });
    for (let call = 0; call < 5; call++) expect(await statusOf(key)).toBe(200);
    now += 30_000;
    expect(await probe()).toMatchObject({ success: false, unreachable: true, refused: false });
    await dead.open();
    expect(await statusOf(key)).toBe(200);
    expect(dead.asked()).toBe(0);
    now += 30_000;
    expect(await probe()).toMatchObject({ success: true });
    expect(await statusOf(key)).toBe(200);
    expect(dead.asked()).toBe(2);
    await dead.close();
  });
});

describe('a channel is switched off', () => {
  const dies = async (type: number, status: number, message: string, more: object = {}): Promise<boolean> => {
    const model = families.find((family) => family.type === type)?.model ?? 'gpt-4o';
    const id = await relay.addChannel({ type, models: model });
    relay.setOptions({ SelfUseModeEnabled: true, AutomaticDisableChannelEnabled: true, ...more });
    relay.upstream.script({}, refuses(status, message));
    const { key } = await relay.addToken();
    await (await relay.chat(key, { ...body, model })).text();
    return relay.disabled.some((entry) => entry.id === id);
  };

  it.each([
    ['by status 401', 14, 401, 'no', {}, true],
    ['by status 403 at Gemini', 24, 403, 'no', {}, true],
    ['not by status 403 at OpenAI', 1, 403, 'no', {}, false],
    ['by a keyword of the default list', 1, 400, 'Sorry. YOUR CREDIT BALANCE IS TOO LOW to go on', {}, true],
    ['by a keyword of the admin', 1, 500, 'we ran out of Biscuits', { AutomaticDisableKeywords: ['biscuits'] }, true],
    ['not by what is no keyword', 1, 500, 'something else', { AutomaticDisableKeywords: ['biscuits'] }, false],
    ['not while the site does not want it', 14, 401, 'no', { AutomaticDisableChannelEnabled: false }, false],
  ])('%s', async (_how, type, status, message, more, dead) => {
    expect(await dies(type, status, message, more)).toBe(dead);
  });

  it('not by what the client got wrong', async () => {
    const id = await relay.addChannel();
    relay.setOptions({ SelfUseModeEnabled: true, AutomaticDisableChannelEnabled: true });
    const { key } = await relay.addToken({ userId: await relay.addUser({ quota: 1 }) });
    expect((await relay.chat(key, { ...body, max_tokens: 1000 })).status).toBe(403);
    expect((await relay.chat(key, { model: 'gpt-4o' })).status).toBe(400);
    expect(relay.disabled.some((entry) => entry.id === id)).toBe(false);
  });
});

describe('param_override', () => {
  const override = '{"temperature":0.7,"brand_new":{"a":[1]}}';
  it.each([
    ['/v1/chat/completions', 1, body],
    ['/v1/chat/completions', 14, body],
    ['/v1/chat/completions', 24, body],
    ['/v1/messages', 14, { ...body, max_tokens: 5 }],
    ['/v1/messages', 1, { ...body, max_tokens: 5 }],
    ['/v1/responses', 1, { model: 'gpt-4o', input: 'hi' }],
    ['/v1beta/models/gpt-4o:generateContent', 24, { contents: [{ parts: [{ text: 'hi' }] }] }],
    ['/v1/completions', 1, { model: 'gpt-4o', prompt: 'hi' }],
    ['/v1/embeddings', 1, { model: 'gpt-4o', input: 'hi' }],
    ['/v1/moderations', 1, { model: 'gpt-4o', input: 'hi' }],
    ['/v1/rerank', 1, { model: 'gpt-4o', query: 'q', documents: ['a'] }],
    ['/v1/images/generations', 1, { model: 'gpt-4o', prompt: 'p' }],
    ['/v1/audio/speech', 1, { model: 'gpt-4o', input: 'hi' }],
  ])('is merged over what goes up for %s at type %i', async (path, type, given) => {
    await relay.addChannel({ type, override });
    relay.upstream.script({}, path.includes('chat') || path.includes('messages') ? says({ text: 'x' }) : json({}));
    if (path.includes('enerate') || path.includes('responses')) relay.upstream.script({}, says({ text: 'x' }));
    const { key } = await relay.addToken();
    await (await relay.post(path, key, given)).text();
    expect(relay.upstream.requests[0]?.body).toMatchObject({ temperature: 0.7, brand_new: { a: [1] } });
  });
});

it.each(families)('status_code_mapping of $name decides what clients of every dialect see', async ({ type, model }) => {
  await relay.addChannel({ type, models: model, statusMapping: '{"418":429,"500":"503"}' });
  const { key } = await relay.addToken();
  for (const [raw, seen] of [
    [418, 429],
    [500, 503],
    [502, 502],
    [404, 404],
  ] as const) {
    relay.upstream.script({}, failure(raw, 'no', 'x'));
    const chat = await relay.chat(key, { ...body, model });
    expect([raw, chat.status]).toEqual([raw, seen]);
    const messages = await relay.post('/v1/messages', key, { ...body, model, max_tokens: 5 });
    expect([raw, messages.status]).toEqual([raw, seen]);
  }
});
