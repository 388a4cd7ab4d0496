import { EventStreamCodec } from '@smithy/eventstream-codec';
import { resetBeforeFirstByte } from '../support/upstream/faults.js';
import { chat, events, json } from '../support/upstream/replies.js';
import { recordedEvents } from '../support/upstream/recordings.js';
import type { Reply } from '../support/upstream/upstream.js';
import { payloadsOf, type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

/*
 * Providers with their own protocol, through the whole relay: the request they get, the response of the client, the
 * charge.
 */

let relay: RelayHarness;

relaySuite((started) => (relay = started), {
  values: { RetryTimes: 0, ModelRatio: { m: 1 }, CompletionRatio: { m: 1 } },
});
afterEach(async () => {
  expect(await relay.unexplained()).toEqual([]);
});

const ask = (more: object = {}): object => ({ model: 'm', messages: userMessage('hi'), ...more });

interface Completion {
  readonly choices: Array<{ readonly message: { readonly content: string }; readonly finish_reason: string }>;
  readonly usage: Record<string, number>;
}

const said = (stream: string): string =>
  payloadsOf(stream)
    .filter((payload): payload is string => typeof payload === 'string' && payload.startsWith('{'))
    .map((payload) => JSON.parse(payload) as { choices: Array<{ delta: { content?: string } }> })
    .flatMap(({ choices }) => choices.map(({ delta }) => delta.content ?? ''))
    .join('');

const stream = (...data: readonly unknown[]): Reply =>
  events(
    data.map((each) => JSON.stringify(each)),
    { done: false },
  );

const ernie = {
  id: 'as-1',
  created: 1,
  result: 'Hey',
  usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
};

describe('ERNIE, whose key is exchanged', () => {
  it('exchanges it once for calls that come together, and charges what was reported', async () => {
    const channel = await relay.addChannel({ type: 15, models: 'm', key: 'AK|SK' });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, json(ernie));
    relay.upstream.script({ path: '/oauth' }, json({ access_token: '24.fake', expires_in: 2_592_000 }));
    const responses = await Promise.all([1, 2, 3].map(() => relay.chat(key, ask())));
    for (const response of responses) {
      const answer = (await response.json()) as Completion;
      expect(answer.choices[0]).toMatchObject({ message: { content: 'Hey' }, finish_reason: 'stop' });
    }
    const asked = relay.upstream.requests.map(({ path }) => path.split('?')[0]);
    expect(asked.filter((path) => path === '/oauth/2.0/token')).toHaveLength(1);
    expect(relay.upstream.requests.at(-1)?.path).toBe(
      '/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/m?access_token=24.fake',
    );
    expect(await relay.logs(userId)).toEqual(
      [1, 2, 3].map(
        () =>
          expect.objectContaining({
            quota: 10,
            prompt_tokens: 7,
            completion_tokens: 3,
            channel_id: channel,
          }) as unknown,
      ),
    );
    expect(relay.logLines.join('')).not.toContain('24.fake');
  });

  it('gets another when the one it has has ended', async () => {
    await relay.addChannel({ type: 15, models: 'm', key: 'AK|SK2' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json({ error_code: 110, error_msg: 'token invalid' }), json(ernie));
    relay.upstream.script(
      { path: '/oauth' },
      json({ access_token: 'old', expires_in: 9999 }),
      json({ access_token: 'new', expires_in: 9999 }),
    );
    expect((await relay.chat(key, ask())).status).toBe(401);
    expect((await relay.chat(key, ask())).status).toBe(200);
    expect(relay.upstream.requests.at(-1)?.path).toContain('access_token=new');
  });

  it('tells of a key that is refused, without the key', async () => {
    await relay.addChannel({ type: 15, models: 'm', key: 'AK|SecretOfMine' });
    const { key } = await relay.addToken();
    relay.upstream.script(
      { path: '/oauth' },
      json({ error: 'invalid_client', error_description: 'unknown client id' }),
    );
    const response = await relay.chat(key, ask());
    expect(response.status).toBe(401);
    expect(await response.text()).not.toContain('SecretOfMine');
  });
});

it('Cohere serves a client of Messages, and says what was left out', async () => {
  await relay.addChannel({ type: 34, models: 'm' });
  const { key, userId } = await relay.addToken();
  relay.upstream.script({ path: '/v2/chat' }, events(recordedEvents('cohere/cohere-text'), { done: false }));
  const body = { ...ask({ stream: true, max_tokens: 50 }), metadata: { user_id: 'u' } };
  const response = await relay.post('/v1/messages', key, body);
  expect(response.status).toBe(200);
  expect(response.headers.get('x-tollgate-dropped')).toBe('metadata.user_id');
  const text = await response.text();
  expect(text).toContain('event: message_start');
  expect(text.trimEnd()).toMatch(/event: message_stop\ndata: .*$/);
  expect(relay.upstream.requests[0]?.body).toMatchObject({ model: 'm', stream: true, max_tokens: 50 });
  const [log] = await relay.logs(userId);
  expect(log?.prompt_tokens).toBeGreaterThan(0);
  expect(log?.quota).toBeGreaterThan(0);
});

describe('Claude at Bedrock', () => {
  const codec = new EventStreamCodec(
    (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
    (text) => Buffer.from(text),
  );
  const frame = (kind: string, payload: object): Uint8Array =>
    codec.encode({
      headers: {
        ':message-type': { type: 'string', value: kind },
        ...(kind === 'exception' ? { ':exception-type': { type: 'string', value: 'throttlingException' } } : {}),
      },
      body: Buffer.from(JSON.stringify(payload)),
    });
  const chunk = (event: object): Uint8Array =>
    frame('event', { bytes: Buffer.from(JSON.stringify(event)).toString('base64') });
  const start = {
    type: 'message_start',
    message: { id: 'msg_1', model: 'x', usage: { input_tokens: 7, output_tokens: 1 } },
  };
  const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hey' } };
  const frames =
    (...parts: readonly Uint8Array[]): Reply =>
    (response) => {
      response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
      for (const part of parts) response.write(part);
      response.end();
    };
  const whole = frames(
    chunk(start),
    chunk({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    chunk(delta),
    chunk({ type: 'content_block_stop', index: 0 }),
    chunk({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } }),
    chunk({ type: 'message_stop' }),
  );

  it('streams frames to a client of chat', async () => {
    await relay.addChannel({
      type: 33,
      models: 'm',
      key: 'AK|SK|us-east-1',
      mapping: '{"m":"claude-3-haiku-20240307"}',
    });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, whole);
    const response = await relay.chat(key, ask({ stream: true, max_tokens: 9 }));
    expect(said(await response.text())).toBe('Hey');
    const [asked] = relay.upstream.requests;
    expect(asked?.path).toBe('/model/us.anthropic.claude-3-haiku-20240307-v1%3A0/invoke-with-response-stream');
    expect(asked?.headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AK\/\d{8}\/us-east-1\/bedrock\/aws4_request/,
    );
    expect(await relay.logs(userId)).toMatchObject([
      { prompt_tokens: 7, completion_tokens: 3, quota: 10, is_stream: true },
    ]);
  });

  it('ends with an error when it is throttled in the middle, and charges what came', async () => {
    await relay.addChannel({ type: 33, models: 'm', key: 'AK|SK|us-east-1' });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, frames(chunk(start), chunk(delta), frame('exception', { message: 'Too many requests' })));
    const response = await relay.post('/v1/messages', key, ask({ stream: true, max_tokens: 9 }));
    const text = await response.text();
    expect(text).toContain('"text":"Hey"');
    expect(text).toContain('event: error');
    expect(text).not.toContain('message_stop');
    expect(await relay.logs(userId)).toHaveLength(1);
  });
});

describe('Dify', () => {
  const agent = stream(
    { event: 'agent_message', message_id: 'd', answer: 'He' },
    { event: 'agent_message', message_id: 'd', answer: 'y' },
    { event: 'message_end', message_id: 'd', metadata: { usage: { prompt_tokens: 7, completion_tokens: 3 } } },
  );

  it('agents stream whoever asks: a client that wants one answer gets one', async () => {
    await relay.addChannel({ type: 37, models: 'm', other: 'agent' });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, agent);
    const response = await relay.chat(key, ask());
    expect(response.headers.get('content-type')).toContain('application/json');
    const answer = (await response.json()) as Completion;
    expect(answer.choices).toMatchObject([{ message: { content: 'Hey' }, finish_reason: 'stop' }]);
    expect(relay.upstream.requests[0]).toMatchObject({
      path: '/v1/chat-messages',
      body: { response_mode: 'streaming' },
    });
    expect(await relay.logs(userId)).toMatchObject([{ prompt_tokens: 7, completion_tokens: 3, quota: 10 }]);
  });

  it('workflows answer with their output', async () => {
    await relay.addChannel({ type: 37, models: 'm', other: 'workflow' });
    const { key } = await relay.addToken();
    relay.upstream.script(
      {},
      json({ workflow_run_id: 'w', data: { status: 'succeeded', outputs: { text: 'Hey' }, total_tokens: 9 } }),
    );
    const answer = (await (await relay.chat(key, ask())).json()) as Completion;
    expect(answer.choices[0]?.message.content).toBe('Hey');
    expect(relay.upstream.requests[0]).toMatchObject({
      path: '/v1/workflows/run',
      body: { inputs: { query: 'USER: \nhi\n' } },
    });
  });
});

it('an error with status 200 is one, and another channel may do better', async () => {
  relay.setOptions({ RetryTimes: 1, ModelRatio: { m: 1 }, CompletionRatio: { m: 1 } });
  await relay.addChannel({ type: 23, models: 'm', key: '1|id|secret', priority: 1 });
  await relay.addChannel({ type: 34, models: 'm' });
  const { key, userId } = await relay.addToken();
  const busy = { Response: { Error: { Code: 'RequestLimitExceeded', Message: 'busy' }, RequestId: 'r' } };
  relay.upstream.script({}, json(busy));
  relay.upstream.script(
    { path: '/v2/chat' },
    json({
      id: 'c',
      message: { content: [{ type: 'text', text: 'Hey' }] },
      finish_reason: 'COMPLETE',
      usage: { billed_units: { input_tokens: 7, output_tokens: 3 } },
    }),
  );
  const response = await relay.chat(key, ask());
  expect(response.status).toBe(200);
  expect(relay.upstream.requests.map(({ path }) => path)).toEqual(['/', '/v2/chat']);
  expect(relay.upstream.requests[0]?.headers['x-tc-action']).toBe('ChatCompletions');
  expect(await relay.logs(userId)).toMatchObject([{ quota: 10 }]);
});

it('DashScope draws in the background: the client waits for the picture', async () => {
  relay.setOptions({ ModelPrice: { 'wanx-v1': 0.02 } });
  await relay.addChannel({ type: 17, models: 'wanx-v1' });
  const { key, userId } = await relay.addToken();
  const task = (status: string, more: object = {}): Reply =>
    json({ output: { task_id: 't1', task_status: status, ...more }, request_id: 'r' });
  relay.upstream.script({}, task('PENDING'));
  relay.upstream.script(
    { path: '/api/v1/tasks/t1' },
    task('SUCCEEDED', { results: [{ url: 'https://img.example/1.png' }] }),
  );
  const response = await relay.post('/v1/images/generations', key, {
    model: 'wanx-v1',
    prompt: 'cat',
    size: '1024x1024',
  });
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ data: [{ url: 'https://img.example/1.png' }] });
  expect(relay.upstream.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /api/v1/services/aigc/text2image/image-synthesis',
    'GET /api/v1/tasks/t1',
  ]);
  expect(relay.upstream.requests[0]?.headers['x-dashscope-async']).toBe('enable');
  expect((await relay.logs(userId))[0]?.quota).toBe(10_000);
});

it('DashScope gets one order although a look at its job fails', async () => {
  relay.setOptions({ ModelPrice: { 'wanx-v1': 0.02 } });
  for (let count = 0; count < 2; count++) await relay.addChannel({ type: 17, models: 'wanx-v1' });
  const { key, userId } = await relay.addToken();
  const task = (status: string, more: object = {}): Reply =>
    json({ output: { task_id: 't1', task_status: status, ...more }, request_id: 'r' });
  const looks = [
    json({ code: 'InternalError', message: 'try again' }, 503),
    resetBeforeFirstByte(),
    task('SUCCEEDED', { results: [{ url: 'https://img.example/1.png' }] }),
  ];
  relay.upstream.script({}, task('PENDING'));
  relay.upstream.script({ path: '/api/v1/tasks/t1' }, (response, request) => looks.shift()?.(response, request));
  const response = await relay.post('/v1/images/generations', key, { model: 'wanx-v1', prompt: 'cat' });
  expect([response.status, await response.json()]).toEqual([
    200,
    expect.objectContaining({ data: [{ url: 'https://img.example/1.png' }] }),
  ]);
  expect(relay.upstream.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  expect(await relay.logs(userId)).toMatchObject([{ quota: 10_000 }]);
});

it('Azure is asked for a deployment, with its own header', async () => {
  await relay.addChannel({ type: 3, models: 'm', other: '2025-01-01' });
  const { key } = await relay.addToken();
  relay.upstream.script({}, chat({ text: 'Hey' }));
  expect(said(await (await relay.chat(key, ask({ stream: true }))).text())).toBe('Hey');
  const [asked] = relay.upstream.requests;
  expect(asked?.path).toBe('/openai/deployments/m/chat/completions?api-version=2025-01-01');
  expect(asked?.headers).toMatchObject({ 'api-key': 'sk-upstream-secret' });
  expect(asked?.headers.authorization).toBeUndefined();
});

it('Mistral’s thoughts reach a client of Messages as thinking', async () => {
  await relay.addChannel({ type: 42, models: 'm' });
  const { key } = await relay.addToken();
  relay.upstream.script({}, events(recordedEvents('mistral/mistral-reasoning')));
  const text = await (await relay.post('/v1/messages', key, ask({ stream: true, max_tokens: 99 }))).text();
  expect(text).toContain('"type":"thinking_delta","thinking":"The user is asking"');
  expect(text).toContain('"type":"text_delta","text":"2 + 2 = 4"');
});

it('what a provider cannot mean is refused by name, and costs nothing', async () => {
  await relay.addChannel({ type: 16, models: 'm', key: 'id.secret' });
  const { key, userId } = await relay.addToken();
  const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }];
  const response = await relay.chat(key, ask({ tools, tool_choice: 'required' }));
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('tools') as unknown } });
  expect(relay.upstream.requests).toEqual([]);
  expect(await relay.logs(userId)).toEqual([]);
});
