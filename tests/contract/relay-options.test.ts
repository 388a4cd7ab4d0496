import { randomBytes, randomInt } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chat, json } from '../support/upstream/replies.js';
import { failure } from '../support/upstream/faults.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started));

describe('words nobody may send', () => {
  const word = 'so Forbidden_Word it is';
  const parts = [{ type: 'text', text: word }];
  const document = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: word } };
  const input = Array.from({ length: 100 }).reduce<object>((inner) => ({ inner }), { word });
  const nested = { type: 'tool_use', id: 't', name: 'f', input };
  it.each([
    ['/v1/chat/completions', { messages: userMessage(word) }],
    ['/v1/chat/completions', { messages: [...userMessage('hi'), { role: 'user', content: parts }] }],
    ['/v1/messages', { max_tokens: 5, messages: [{ role: 'user', content: parts }] }],
    ['/v1/messages', { max_tokens: 5, messages: userMessage('hi'), system: word }],
    ['/v1/messages', { max_tokens: 5, messages: [{ role: 'user', content: [document] }] }],
    ['/v1/messages', { max_tokens: 5, messages: [{ role: 'assistant', content: [nested] }] }],
    ['/v1/responses', { input: word }],
    ['/v1/responses', { input: [{ role: 'user', content: [{ type: 'input_text', text: word }] }] }],
    ['/v1beta/models/gpt-4o:generateContent', { contents: [{ parts: [{ text: word }] }] }],
    ['/v1/completions', { prompt: word }],
    ['/v1/moderations', { input: [word] }],
    ['/v1/images/generations', { prompt: word }],
    ['/v1/audio/speech', { input: word }],
  ])('are refused at %s', async (path, body) => {
    await relay.addChannel();
    relay.setOptions({ SensitiveWords: ['forbidden_word'] });
    const { key, userId } = await relay.addToken();
    const response = await relay.post(path, key, { model: 'gpt-4o', ...body });
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: Record<string, unknown> };
    expect(error['message']).toMatch(/^sensitive words detected \(request id: /);
    if (!path.includes('v1beta') && !path.includes('messages')) expect(error['code']).toBe('sensitive_words_detected');
    expect(JSON.stringify(error)).not.toContain('forbidden_word');
    expect(relay.upstream.requests).toHaveLength(0);
    expect((await relay.balance(userId)).used).toBe(0);
    expect(relay.logLines.some((line) => line.includes('"word":"forbidden_word"'))).toBe(true);
  });

  const part = (text: string) => ({ type: 'text', text });
  it.each<[string, (texts: string[]) => object]>([
    ['/v1/chat/completions', (texts) => ({ messages: texts.flatMap(userMessage) })],
    [
      '/v1/messages',
      (texts) => ({ max_tokens: 5, messages: texts.map((text) => ({ role: 'user', content: [part(text)] })) }),
    ],
    ['/v1/responses', (texts) => ({ input: texts.map((text) => ({ role: 'user', content: text })) })],
    ['/v1beta/models/gpt-4o:generateContent', (texts) => ({ contents: texts.map((text) => ({ parts: [{ text }] })) })],
  ])('are found in every turn of a conversation at %s', async (path, bodyOf) => {
    await relay.addChannel({ type: 43, models: 'gpt-4o' });
    const { key } = await relay.addToken();
    const statusOf = async (...texts: string[]): Promise<number> => {
      const body = { model: 'gpt-4o', ...bodyOf(['So good it is. '.repeat(6000), 'Yes.', ...texts]) };
      return (await relay.post(path, key, body)).status;
    };
    relay.setOptions({ SensitiveWords: ['forbidden_word'] });
    expect(await statusOf('And?')).toBe(200);
    expect(await statusOf('And?', 'No.')).toBe(200);
    for (let again = 0; again < 2; again++) expect(await statusOf('And?', 'No.', word, 'Go on.')).toBe(400);
    expect(await statusOf('And?', 'No.', 'Go on.')).toBe(200);
    relay.setOptions({ SensitiveWords: ['so good'] });
    expect(await statusOf('And?', 'No.', 'Go on.', 'Well.')).toBe(400);
  });

  it('are not looked for when either switch is off', async () => {
    await relay.addChannel();
    const { key } = await relay.addToken();
    const body = { model: 'gpt-4o', messages: userMessage('test_sensitive') };
    expect((await relay.chat(key, body)).status).toBe(400);
    relay.setOptions({ CheckSensitiveEnabled: false });
    expect((await relay.chat(key, body)).status).toBe(200);
    relay.setOptions({ CheckSensitiveOnPromptEnabled: false });
    expect((await relay.chat(key, body)).status).toBe(200);
  });

  it('are written to the log and pass, when calls are not to be rejected', async () => {
    await relay.addChannel();
    relay.setOptions({ SensitiveWords: ['passing_word'], StopOnSensitiveEnabled: false });
    const { key } = await relay.addToken();
    const found = (): boolean => relay.logLines.some((line) => line.includes('"word":"passing_word"'));
    expect(found()).toBe(false);
    expect((await relay.chat(key, { model: 'gpt-4o', messages: userMessage('a passing_word') })).status).toBe(200);
    expect(found()).toBe(true);
  });
});

describe('option LogErrorEnabled', () => {
  const errorRows = (userId: number): Promise<Array<Record<string, unknown>>> =>
    relay.sql('SELECT * FROM logs WHERE user_id = $1 AND type = 6', [userId]);

  it('writes a row for a call nobody could serve, without keys or addresses', async () => {
    const channelId = await relay.addChannel();
    relay.setOptions({ LogErrorEnabled: true });
    const { key, userId } = await relay.addToken();
    relay.upstream.script(
      {},
      failure(402, 'No money at https://api.example.com for sk-abcdefghijkl', 'billing', 'broke'),
    );
    const response = await relay.chat(key, { model: 'gpt-4o', messages: userMessage('hi') });
    expect(response.status).toBe(402);
    let rows = await errorRows(userId);
    for (let tries = 0; rows.length === 0 && tries < 2000; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      rows = await errorRows(userId);
    }
    const [row] = rows;
    expect(row).toMatchObject({
      quota: '0',
      model_name: 'gpt-4o',
      channel_id: channelId,
      request_id: response.headers.get('x-oneapi-request-id'),
    });
    expect(row?.['content']).not.toMatch(/api\.example|abcdefghijkl/);
    expect(JSON.parse(row?.['other'] as string)).toMatchObject({
      error_type: 'billing',
      error_code: 'broke',
      status_code: 402,
      channel_id: channelId,
      channel_type: 1,
      admin_info: { use_channel: [String(channelId)] },
    });
  });

  it.each([
    ['no repetition', randomBytes(3000).toString('base64')],
    [
      'three bytes a character',
      Array.from({ length: 4000 }, () => String.fromCharCode(0x4e00 + randomInt(20_000))).join(''),
    ],
  ])('writes a row for a long message of %s, which no index takes whole', async (_, message) => {
    await relay.addChannel();
    relay.setOptions({ LogErrorEnabled: true });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, failure(402, message, 'billing', 'broke'));
    const response = await relay.chat(key, { model: 'gpt-4o', messages: userMessage('hi') });
    expect(response.status).toBe(402);
    let rows = await errorRows(userId);
    for (let tries = 0; rows.length === 0 && tries < 250; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      rows = await errorRows(userId);
    }
    expect(rows).toHaveLength(1);
    const content = String(rows[0]?.['content']);
    expect(content.length).toBeGreaterThan(600);
    expect(message.startsWith(content.slice(0, 600))).toBe(true);
  });

  it.each([
    ['no channel serves', 'served-by-none', 503, 'model_not_found', /^No available channel for model served-by-none /],
    ['has no price', 'priced-by-none', 400, 'model_not_priced', /ratio or price not set/],
  ] as const)('writes a row for a call to a model that %s', async (_, model, status, code, content) => {
    await relay.addChannel({ models: 'gpt-4o,priced-by-none' });
    relay.setOptions({ LogErrorEnabled: true });
    const { key, userId } = await relay.addToken();
    const response = await relay.chat(key, { model, messages: userMessage('hi'), stream: true });
    expect(response.status).toBe(status);
    let rows = await errorRows(userId);
    for (let tries = 0; rows.length === 0 && tries < 2000; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      rows = await errorRows(userId);
    }
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      quota: '0',
      model_name: model,
      group: 'default',
      channel_id: 0,
      is_stream: true,
      request_id: response.headers.get('x-oneapi-request-id'),
    });
    expect(rows[0]?.['content']).toMatch(content);
    expect(JSON.parse(rows[0]?.['other'] as string)).toMatchObject({
      error_code: code,
      status_code: status,
      channel_id: 0,
      admin_info: { use_channel: [] },
    });
    // A model name that a client invented is not counted as a model.
    expect(await relay.sql('SELECT 1 FROM model_failures WHERE model_name = $1', [model])).toEqual([]);
  });

  it('writes nothing while it is off, nor for what the client got wrong', async () => {
    await relay.addChannel();
    relay.setOptions({ LogErrorEnabled: false });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, failure(402, 'broke', 'billing'));
    await relay.chat(key, { model: 'gpt-4o', messages: userMessage('hi') });
    relay.setOptions({ LogErrorEnabled: true });
    await relay.chat(key, { model: 'gpt-4o' });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await errorRows(userId)).toEqual([]);
  });
});

it('counts a call nobody could serve among the failed ones of its hour, also without a row of its own', async () => {
  const channelId = await relay.addChannel();
  const { key, userId } = await relay.addToken();
  relay.upstream.script({}, failure(400, 'broken', 'invalid_request_error'));
  const read = () => relay.sql('SELECT * FROM usage_hourly WHERE user_id = $1', [userId]);
  for (const expected of ['1', '2']) {
    expect((await relay.chat(key, { model: 'gpt-4o', messages: userMessage('hi') })).status).toBe(400);
    let [row] = await read();
    for (let tries = 0; row?.['failed_calls'] !== expected && tries < 2000; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      [row] = await read();
    }
    expect(row).toMatchObject({
      failed_calls: expected,
      calls: '0',
      quota: '0',
      channel_id: channelId,
      model_name: 'gpt-4o',
    });
  }
});

describe('addresses in a call, for providers that fetch nothing', () => {
  const model = 'gemini-2.0-flash';
  const ask = (key: string, url: string): Promise<Response> =>
    relay.chat(key, {
      model,
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
    });

  it.each(['http://127.0.0.1:1/a.png', 'http://169.254.169.254/latest/meta-data', 'http://[::1]/a.png'])(
    'never reach %s',
    async (url) => {
      await relay.addChannel({ type: 24, models: model });
      const { key, userId } = await relay.addToken();
      const response = await ask(key, url);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { code: 'invalid_image' } });
      expect(relay.upstream.requests).toHaveLength(0);
      expect((await relay.balance(userId)).used).toBe(0);
    },
  );

  it('never reach a listener on this machine, by whatever name', async () => {
    let reached = 0;
    const listener = createServer((_request, response) => {
      reached++;
      response.end();
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const { port } = listener.address() as AddressInfo;
    await relay.addChannel({ type: 24, models: model });
    const { key } = await relay.addToken();
    for (const host of ['127.0.0.1', 'localhost', '0x7f000001', '[::ffff:127.0.0.1]']) {
      expect((await ask(key, `http://${host}:${port}/a.png`)).status).toBe(400);
    }
    expect(reached).toBe(0);
    await new Promise((resolve) => listener.close(resolve));
  });
});

it('reports what is left after a charge that leaves less than the threshold', async () => {
  await relay.addChannel();
  const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota: 10_000 }) });
  relay.upstream.script({}, chat({ text: 'ok', usage: { prompt_tokens: 1000, completion_tokens: 500 } }));
  await (await relay.chat(key, { model: 'gpt-4o', messages: userMessage('hi') })).json();
  // Example B1 of docs/reference/relay/billing.md#worked-examples
  const reported = (): unknown => relay.lowBalances.filter((each) => each.userId === userId);
  expect(reported()).toEqual([]);
  relay.setOptions({ QuotaRemindThreshold: 6250 });
  relay.upstream.script({}, chat({ text: 'ok', usage: { prompt_tokens: 1000, completion_tokens: 500 } }));
  await (await relay.chat(key, { model: 'gpt-4o', messages: userMessage('hi') })).json();
  expect(reported()).toEqual([{ userId, left: 2500 }]);
  relay.upstream.script({}, json({ error: { message: 'no' } }, 400));
  await (await relay.chat(key, { model: 'gpt-4o', messages: userMessage('hi') })).json();
  expect(reported()).toHaveLength(1);
});
