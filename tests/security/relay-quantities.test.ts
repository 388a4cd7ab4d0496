import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RelayHarness, userMessage } from '../contract/relay-harness.js';
import { json } from '../support/upstream/replies.js';
import { wav } from '../support/wav.js';

let relay: RelayHarness;

beforeAll(async () => {
  relay = await RelayHarness.start();
  relay.setOptions({ SelfUseModeEnabled: true });
});
afterAll(async () => {
  await relay.stop();
});
beforeEach(async () => {
  relay.upstream.reset();
  await relay.clearChannels();
});
afterEach(async () => {
  expect(await relay.openReservations()).toBe(0);
  expect(await relay.drift()).toEqual([]);
});

describe('negative or overflowing quantities (CVE-2026-71479)', () => {
  const chatBody = { model: 'gpt-4o', messages: userMessage('hi') };
  const image = { model: 'dall-e-3', prompt: 'p' };
  const gemini = { contents: [{ parts: [{ text: 'hi' }] }] };
  const quantities = ['18446744073686646784', '-1', '1e300', '9007199254740993', '0.5'];
  const places: ReadonlyArray<readonly [path: string, body: object, field: string]> = [
    ['/v1/chat/completions', chatBody, 'max_tokens'],
    ['/v1/chat/completions', chatBody, 'max_completion_tokens'],
    ['/v1/messages', chatBody, 'max_tokens'],
    ['/v1/responses', { model: 'gpt-4o', input: 'hi' }, 'max_output_tokens'],
    ['/v1/completions', { model: 'gpt-4o', prompt: 'hi' }, 'max_tokens'],
    ['/v1beta/models/gpt-4o:generateContent', gemini, 'maxOutputTokens'],
    ['/v1/images/generations', image, 'n'],
  ];

  it.each(places)('%s %j: %s', async (path, body, field) => {
    await relay.addChannel({ models: 'gpt-4o,dall-e-3' });
    const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota: 50_000 }) });
    for (const quantity of quantities) {
      // The body has a number of any size that JSON allows.
      const inner = `"${field}":${quantity}`;
      const outer = field === 'maxOutputTokens' ? `"generationConfig":{${inner}}` : inner;
      const response = await relay.post(path, key, `${JSON.stringify(body).slice(0, -1)},${outer}}`);
      expect([quantity, response.status]).toEqual([quantity, 400]);
      await response.text();
    }
    expect(relay.upstream.requests).toHaveLength(0);
    expect(await relay.balance(userId)).toEqual({ quota: 50_000, used: 0, requests: 0 });
  });

  it('a recording whose header claims less than it holds is charged for what it holds', async () => {
    await relay.addChannel({ models: 'whisper-1' });
    const { key, userId } = await relay.addToken();
    const minute = wav(60);
    minute.writeUInt32LE(2, 40);
    relay.upstream.script({}, json({ text: 'hello' }));
    const form = new FormData();
    form.set('model', 'whisper-1');
    form.set('file', new File([new Uint8Array(minute)], 'a.wav', { type: 'audio/wav' }));
    expect((await relay.postForm('/v1/audio/transcriptions', key, form)).status).toBe(200);
    expect(await relay.logs(userId)).toMatchObject([{ quota: 15_000, prompt_tokens: 1000 }]);
  });

  it('a recording that says it has no length, or a lifetime of it', async () => {
    await relay.addChannel({ models: 'whisper-1' });
    const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota: 50_000 }) });
    const nothing = wav(0);
    const endless = wav(1);
    // The header announces four gigabytes at one byte per second.
    endless.writeUInt32LE(1, 28);
    endless.writeUInt32LE(0xffffffff, 40);
    for (const bytes of [nothing, endless]) {
      const form = new FormData();
      form.set('model', 'whisper-1');
      form.set('file', new File([new Uint8Array(bytes)], 'a.wav', { type: 'audio/wav' }));
      await (await relay.postForm('/v1/audio/transcriptions', key, form)).text();
    }
    const { quota, used } = await relay.balance(userId);
    expect(used).toBeGreaterThanOrEqual(0);
    expect(quota).toBeLessThanOrEqual(50_000);
  });

  it('a recording of four billion samples that take no bytes is refused, and calls go on', async () => {
    await relay.addChannel({ models: 'whisper-1' });
    const { key } = await relay.addToken();
    const recording = await readFile('server/src/gateway/reserve/metering/__fixtures__/fragments.mp4');
    const run = recording.indexOf('trun') + 4;
    recording.writeUInt32BE(1, run);
    recording.writeUInt32BE(0xffffffff, run + 4);
    const form = new FormData();
    form.set('model', 'whisper-1');
    form.set('file', new File([new Uint8Array(recording)], 'a.mp4', { type: 'audio/mp4' }));
    const response = await relay.postForm('/v1/audio/transcriptions', key, form);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('file is not a readable audio file');
    expect(relay.upstream.requests).toEqual([]);
  });

  it.each([
    ['negative', { prompt_tokens: -5_000_000, completion_tokens: -1 }],
    ['fractional', { prompt_tokens: 0.5, completion_tokens: 1e300 }],
    ['text', { prompt_tokens: '-5', completion_tokens: '1' }],
    [
      'more cached than sent',
      { prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 1e9 } },
    ],
  ])('usage a provider makes up: %s', async (_name, usage) => {
    await relay.addChannel({ models: 'gpt-4o' });
    const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota: 9_000_000_000_000 }) });
    const choices = [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }];
    relay.upstream.script({}, json({ choices, usage }));
    await (await relay.chat(key, chatBody)).text();
    const [row] = await relay.logs(userId);
    expect(row?.quota).toBeGreaterThanOrEqual(0);
    expect((await relay.balance(userId)).quota).toBeLessThanOrEqual(9_000_000_000_000);
  });
});

describe('where the key of a channel goes', () => {
  it('is decided by the channel alone, whatever a body or a header names (CVE-2026-84377, CVE-2025-66405)', async () => {
    await relay.addChannel({ models: 'gpt-4o' });
    const { key } = await relay.addToken();
    let reached = 0;
    const thief = createServer((_request, response) => {
      reached++;
      response.end('{}');
    });
    await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(thief.address() as AddressInfo).port}`;
    const named = { api_base: address, base_url: address, api_key: 'x', extra_body: { api_base: address } };
    const headers = { 'x-portkey-custom-host': address, 'x-forwarded-host': '127.0.0.1', 'x-base-url': address };
    const body = { model: 'gpt-4o', messages: userMessage('hi'), ...named };
    expect((await relay.chat(key, body, { headers })).status).toBe(200);

    relay.upstream.script({}, (response) => {
      response.writeHead(302, { location: `${address}/v1/chat/completions` }).end();
    });
    const redirected = await relay.chat(key, { model: 'gpt-4o', messages: userMessage('hi') });
    expect(redirected.status).toBe(502);
    expect(redirected.headers.get('location')).toBeNull();
    expect(reached).toBe(0);
    await new Promise((resolve) => thief.close(resolve));
  });
});

describe('what a form may be', () => {
  const boundary = 'b';
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="model"\r\n\r\nwhisper-1\r\n`;
  it.each([
    ['incomplete', head],
    ['endless in its head', `--${boundary}\r\n${'x-a: b\r\n'.repeat(10_000)}\r\n`],
    ['of too many parts', head.repeat(1100) + `--${boundary}--\r\n`],
    ['without names', `--${boundary}\r\ncontent-disposition: form-data\r\n\r\nx\r\n--${boundary}--\r\n`],
  ])('refuses one that is %s', async (_name, body) => {
    await relay.addChannel({ models: 'whisper-1' });
    const { key } = await relay.addToken();
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    const response = await relay.post('/v1/audio/transcriptions', key, body, { headers });
    expect(response.status).toBe(400);
    expect(relay.upstream.requests).toHaveLength(0);
  });
});
