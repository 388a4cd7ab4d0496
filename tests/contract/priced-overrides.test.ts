/** An override of a channel that changes a field which prices the call: the provider gets what is reserved and charged. */
import { says } from '../support/upstream/families.js';
import { json } from '../support/upstream/replies.js';
import type { Reply } from '../support/upstream/upstream.js';
import { type LogRow, type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

const quotaPerDollar = 500_000;
const imagePrice = 0.02;

let relay: RelayHarness;
relaySuite((started) => (relay = started), {
  values: { SelfUseModeEnabled: true, ModelPrice: { drawer: imagePrice, 'dall-e-3': imagePrice } },
});

afterEach(async () => {
  expect(await relay.unexplained()).toEqual([]);
  expect(await relay.replayedDifferently()).toEqual([]);
});

type Json = Record<string, unknown>;

/** Draws as many images as the request asks for, in OpenAI's or in Google's field. */
const draws: Reply = (response, request) => {
  const {
    n,
    num_images: named,
    parameters,
  } = (request.body ?? {}) as Record<'n' | 'num_images', number | undefined> & {
    parameters?: { sampleCount?: number };
  };
  const count = parameters?.sampleCount ?? Math.max(n ?? 1, named ?? 1);
  const images = Array.from({ length: count }, () => ({ url: 'https://x.example', bytesBase64Encoded: 'aGk=' }));
  return json({ data: images, predictions: images })(response, request);
};
const limitNames = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens'];
/** Returns as many output tokens as the request allows. */
const writes: Reply = (response, request) => {
  const body = request.body ?? {};
  const config = (body['generationConfig'] ?? {}) as Json;
  const limits = limitNames.map((name) => Number(body[name] ?? config[name] ?? 0));
  const choices = Number(body['n'] ?? 1);
  return says({ text: 'hi', promptTokens: 1, completionTokens: Math.max(...limits) * choices })(response, request);
};

async function called(path: string, body: Json, quota = 5_000_000): Promise<{ status: number; row?: LogRow }> {
  const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota }) });
  const response = await relay.post(path, key, body);
  await response.text();
  if (response.status !== 200) return { status: response.status };
  const [row] = await relay.logsOf(userId, 1);
  return { status: 200, row: row as LogRow };
}

describe('an image', () => {
  const order = { model: 'drawer', prompt: 'p' };

  it.each<[string, Json, Json, number]>([
    ['a number', { n: 4 }, {}, 4],
    ['a number in place of the client’s', { n: 4 }, { n: 2 }, 4],
    ['a lower number', { n: 1 }, { n: 3 }, 1],
    ['another name of the number', { num_images: 4 }, { n: 2 }, 4],
    ['a number by an operation', { operations: [{ mode: 'set', path: 'n', value: 3 }] }, {}, 3],
    ['a number for other models', { operations: [{ mode: 'set', path: 'n', value: 3, models: ['x'] }] }, {}, 1],
    ['a size', { size: '1792x1024' }, {}, 2],
    ['a smaller size', { size: '1024x1024' }, { size: '1792x1024' }, 1],
    ['a quality', { model: 'dall-e-3', quality: 'hd' }, { model: 'dall-e-3' }, 2],
  ])('is charged as the channel orders it: %s', async (_name, override, more, images) => {
    await relay.addChannel({ models: 'drawer,dall-e-3', override: JSON.stringify(override) });
    relay.upstream.script({}, draws);
    const { row } = await called('/v1/images/generations', { ...order, ...more });
    expect(row?.quota).toBe(imagePrice * quotaPerDollar * images);
  });

  it('is charged by what was made where the provider names the number otherwise', async () => {
    await relay.addChannel({
      type: 24,
      models: 'imagen-4.0-generate-001',
      override: '{"parameters":{"sampleCount":4}}',
    });
    relay.setOptions({ ModelPrice: { 'imagen-4.0-generate-001': imagePrice } });
    relay.upstream.script({}, draws);
    const { row } = await called('/v1/images/generations', { model: 'imagen-4.0-generate-001', prompt: 'p' });
    expect(row?.quota).toBe(imagePrice * quotaPerDollar * 4);
  });

  it('is refused where the balance does not pay for the order of the channel', async () => {
    await relay.addChannel({ models: 'drawer', override: '{"n":4}' });
    relay.upstream.script({}, draws);
    expect(await called('/v1/images/generations', order, 3 * imagePrice * quotaPerDollar)).toEqual({ status: 403 });
    expect(relay.upstream.requests).toHaveLength(0);
  });

  it('is charged by the channel that serves it', async () => {
    relay.setOptions({ RetryTimes: 1, ModelPrice: { drawer: imagePrice } });
    await relay.addChannel({ models: 'drawer', override: '{"n":4}', priority: 5 });
    await relay.addChannel({ models: 'drawer' });
    relay.upstream.script({}, json({ error: { message: 'down' } }, 500), draws);
    const { row } = await called('/v1/images/generations', order);
    expect(row?.quota).toBe(imagePrice * quotaPerDollar);
    expect(relay.upstream.requests[1]?.body).toEqual(order);
  });
});

describe('a text', () => {
  /** Quota that pays for some hundred tokens of output. */
  const smallBalance = 4000;
  const chat = { model: 'gpt-4o', messages: userMessage('hi'), max_tokens: 50 };
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];

  it.each<[path: string, type: number, override: Json, body: Json]>([
    ['/v1/chat/completions', 1, { max_tokens: 90_000 }, chat],
    ['/v1/chat/completions', 1, { max_completion_tokens: 90_000 }, chat],
    ['/v1/chat/completions', 1, { operations: [{ mode: 'set', path: 'max_tokens', value: 90_000 }] }, chat],
    ['/v1/chat/completions', 1, { n: 100 }, chat],
    ['/v1/chat/completions', 14, { max_tokens: 90_000 }, chat],
    ['/v1/chat/completions', 24, { generationConfig: { maxOutputTokens: 60_000 } }, chat],
    ['/v1/messages', 14, { max_tokens: 90_000 }, chat],
    ['/v1/messages', 1, { max_tokens: 90_000 }, chat],
    ['/v1/responses', 1, { max_output_tokens: 90_000 }, { model: 'gpt-4o', input: 'hi', max_output_tokens: 50 }],
    ['/v1beta/models/gpt-4o:generateContent', 24, { generationConfig: { maxOutputTokens: 60_000 } }, { contents }],
  ])('is no longer than its reservation pays for: %s, type %i, %j', async (path, type, override, body) => {
    await relay.addChannel({ type, override: JSON.stringify(override) });
    relay.upstream.script({}, writes);
    const { status, row } = await called(path, body, smallBalance);
    expect([status, row?.other['uncharged_quota']]).toEqual([status === 403 ? 403 : 200, undefined]);
    if (status === 403) expect(relay.upstream.requests).toHaveLength(0);
  });

  it('has the limit of the channel where the balance pays for it, and is charged', async () => {
    await relay.addChannel({ override: '{"max_tokens":9000}' });
    relay.upstream.script({}, writes);
    const { row } = await called('/v1/chat/completions', chat, 50_000_000);
    expect(relay.upstream.requests[0]?.body).toMatchObject({ max_tokens: 9000 });
    expect(row?.completion_tokens).toBe(9000);
  });
});
