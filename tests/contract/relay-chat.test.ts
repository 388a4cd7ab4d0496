import { chat, events, json, recorded } from '../support/upstream/replies.js';
import { recordedAnswer, recordedEvents } from '../support/upstream/recordings.js';
import type { Reply } from '../support/upstream/upstream.js';
import { payloadsOf, type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started));

describe('a JSON answer', () => {
  it('passes byte for byte, both ways, and costs exactly the documented amount', async () => {
    const channelId = await relay.addChannel();
    const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota: 100_000 }) });
    relay.upstream.script({}, recorded('openai/openai-text'));
    const body =
      '{ "model":"gpt-4o", "messages":[{"role":"user","content":"hi"}], "seed":9007199254740993, "unknown":{"a":1} }';

    const response = await relay.chat(key, body);

    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(recordedAnswer('openai/openai-text'));
    expect(response.headers.get('x-upstream-request-id')).toBe('upstream-request');
    const requestId = response.headers.get('x-oneapi-request-id');
    expect(requestId).toMatch(/^\d{14}/);
    expect([response.headers.get('x-request-id'), response.headers.get('request-id')]).toEqual([requestId, requestId]);
    const [sent] = relay.upstream.requests;
    expect(sent?.rawBody.toString()).toBe(body);
    expect(sent?.path).toBe('/v1/chat/completions');
    expect(sent?.key).toBe('sk-upstream-secret');

    // 16 prompt and 363 completion tokens of gpt-4o: (16 + 363 * 4) * 1.25
    const [log] = await relay.logs(userId);
    expect(log).toMatchObject({
      quota: 1835,
      prompt_tokens: 16,
      completion_tokens: 363,
      model_name: 'gpt-4o',
      channel_id: channelId,
      is_stream: false,
      group: 'default',
      content: 'model ratio 1.25, completion ratio 4.00, group ratio 1.00',
      request_id: response.headers.get('x-oneapi-request-id'),
      other: {
        model_ratio: 1.25,
        group_ratio: 1,
        completion_ratio: 4,
        model_price: -1,
        cache_tokens: 0,
        cache_ratio: 0.5,
        frt: -1000,
        group: 'default',
        request_path: '/v1/chat/completions',
        admin_info: { use_channel: [String(channelId)] },
      },
    });
    expect(await relay.balance(userId)).toEqual({ quota: 100_000 - 1835, used: 1835, requests: 1 });
  });

  it.each([201, 202, 203])('serves and charges what a provider answers with %i', async (status) => {
    await relay.addChannel();
    const { key, userId } = await relay.addToken();
    const usage = { prompt_tokens: 16, completion_tokens: 363, total_tokens: 379 };
    const message = { role: 'assistant', content: 'made' };
    const body = { id: 'c', object: 'chat.completion', created: 1, model: 'gpt-4o', usage };
    relay.upstream.script({}, json({ ...body, choices: [{ index: 0, message, finish_reason: 'stop' }] }, status));
    const response = await relay.chat(key, { model: 'gpt-4o', messages: userMessage('hi') });
    expect([response.status, await response.json()]).toMatchObject([200, { choices: [{ message }] }]);
    expect(await relay.balance(userId)).toMatchObject({ quota: 1_000_000 - 1835 });
  });

  it('never carries a header of the client beyond what the call needs', async () => {
    await relay.addChannel({ organization: 'org-ours' });
    const { key } = await relay.addToken();
    await relay.chat(
      key,
      { model: 'gpt-4o', messages: userMessage('hi') },
      {
        headers: { cookie: 'session=secret', 'x-custom': 'mine', 'openai-organization': 'org-theirs' },
      },
    );
    const headers = relay.upstream.requests[0]?.headers ?? {};
    expect(Object.keys(headers).sort()).toEqual(
      [
        'accept',
        'accept-encoding',
        'authorization',
        'connection',
        'content-length',
        'content-type',
        'host',
        'openai-organization',
      ].sort(),
    );
    expect(headers['openai-organization']).toBe('org-ours');
    expect(JSON.stringify(relay.upstream.requests[0]?.headers)).not.toContain(key.slice(3));
  });

  it('copies back safe headers only', async () => {
    await relay.addChannel();
    const { key } = await relay.addToken();
    relay.upstream.script(
      {},
      json({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } }, 200, {
        'set-cookie': 'a=b',
        server: 'nginx',
        'openai-organization': 'org-ours',
        'openai-processing-ms': '12',
        'x-ratelimit-remaining-requests': '99',
      }),
    );
    const { headers } = await relay.chat(key, { model: 'gpt-4o', messages: userMessage('hi') });
    expect(headers.get('set-cookie')).toBeNull();
    expect(headers.get('server')).toBeNull();
    expect(headers.get('openai-organization')).toBeNull();
    expect(headers.get('openai-processing-ms')).toBe('12');
    expect(headers.get('x-ratelimit-remaining-requests')).toBe('99');
  });

  it('gives cached tokens their discount and each group its factor', async () => {
    await relay.addChannel({ group: 'default,vip' });
    relay.setOptions({ GroupRatio: { default: 1, vip: 0.8 } });
    const { key, userId } = await relay.addToken({ userId: await relay.addUser({ group: 'vip' }) });
    relay.upstream.script(
      {},
      chat({
        text: 'ok',
        usage: { prompt_tokens: 1000, completion_tokens: 500, prompt_tokens_details: { cached_tokens: 400 } },
      }),
    );
    await (await relay.chat(key, { model: 'gpt-4o', messages: userMessage('hi') })).json();
    // Example B2 of docs/reference/relay/billing.md#worked-examples
    expect((await relay.logs(userId))[0]).toMatchObject({ quota: 2800, group: 'vip' });
  });

  it('counts here what the provider does not report, and gives an empty reply away', async () => {
    await relay.addChannel();
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, chat({ text: 'hello world', usage: null }), chat({ text: ' ', usage: null }));
    const body = { model: 'gpt-4o', messages: userMessage('hi') };
    await (await relay.chat(key, body)).json();
    await (await relay.chat(key, body)).json();
    const [counted, empty] = await relay.logs(userId);
    // Examples T1 and T4 of docs/reference/relay/token-counting.md#worked-examples: (8 + 2 * 4) * 1.25
    expect(counted).toMatchObject({
      prompt_tokens: 8,
      completion_tokens: 2,
      quota: 20,
      other: { counted_locally: true },
    });
    expect(empty).toMatchObject({ prompt_tokens: 0, completion_tokens: 0, quota: 0 });
    expect((await relay.balance(userId)).requests).toBe(1);
  });

  it('bills a reply of tool calls alone', async () => {
    await relay.addChannel();
    const { key, userId } = await relay.addToken();
    const toolCalls = [
      { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } },
    ];
    relay.upstream.script({}, chat({ text: '', toolCalls, usage: null }));
    await (await relay.chat(key, { model: 'gpt-4o', messages: userMessage('hi') })).json();
    const [log] = await relay.logs(userId);
    // weather 1, {"city":"Paris"} 5, and 7 for the call
    expect(log?.completion_tokens).toBe(13);
  });

  it('clamps what a hostile provider reports', async () => {
    await relay.addChannel();
    const { key, userId } = await relay.addToken();
    relay.upstream.script(
      {},
      json({
        choices: [{ message: { content: 'x' } }],
        usage: { prompt_tokens: -5, completion_tokens: 3.9, prompt_tokens_details: { cached_tokens: 50 } },
      }),
      json({
        choices: [{ message: { content: 'x' } }],
        usage: { prompt_tokens: 2, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 1e18 } },
      }),
    );
    const body = { model: 'gpt-4o', messages: userMessage('hi') };
    await (await relay.chat(key, body)).json();
    await (await relay.chat(key, body)).json();
    const logs = await relay.logs(userId);
    // More cached tokens than the prompt has are counted beside it.
    expect(logs[0]).toMatchObject({ prompt_tokens: 50, completion_tokens: 3, quota: 46 });
    // The prompt is charged up to the published maximum of the model, as for a prompt that is reported as that long.
    expect(logs[1]).toMatchObject({ prompt_tokens: 256_000, completion_tokens: 1, other: { cache_tokens: 256_000 } });
    expect(logs.every((log) => log.quota >= 0)).toBe(true);
  });
});

describe('a streamed answer', () => {
  it('passes byte for byte, keeps the forced usage chunk to itself, and costs what it says', async () => {
    const channelId = await relay.addChannel();
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, recorded('openai/openai-text'));

    const response = await relay.chat(key, { model: 'gpt-4o', stream: true, messages: userMessage('hi') });

    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    const chunks = recordedEvents('openai/openai-text');
    expect(payloadsOf(await response.text())).toEqual([...chunks.slice(0, -1), '[DONE]']);
    expect(relay.upstream.requests[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
    // (16 + 300 * 4) * 1.25
    const [log] = await relay.logs(userId);
    expect(log).toMatchObject({
      quota: 1520,
      prompt_tokens: 16,
      completion_tokens: 300,
      is_stream: true,
      channel_id: channelId,
    });
    expect(log?.other['frt']).toBeGreaterThanOrEqual(0);
  });

  it('gives the usage chunk to who asks for it, the body going up untouched', async () => {
    await relay.addChannel();
    const { key } = await relay.addToken();
    relay.upstream.script({}, recorded('openai/openai-text'));
    const body =
      '{"model":"gpt-4o","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"hi"}]}';
    const response = await relay.chat(key, body);
    expect(payloadsOf(await response.text())).toEqual([...recordedEvents('openai/openai-text'), '[DONE]']);
    expect(relay.upstream.requests[0]?.rawBody.toString()).toBe(body);
  });

  it('is charged before its end is sent', async () => {
    await relay.addChannel();
    const { key, userId } = await relay.addToken();
    const response = await relay.chat(key, { model: 'gpt-4o', stream: true, messages: userMessage('hi') });
    await response.text();
    expect(await relay.logs(userId)).toHaveLength(1);
  });

  it('counts here what no chunk reports, and tells who asked', async () => {
    await relay.addChannel();
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, chat({ text: ['hello', ' world'], usage: null }));
    const response = await relay.chat(key, {
      model: 'gpt-4o',
      stream: true,
      stream_options: { include_usage: true },
      messages: userMessage('hi'),
    });
    const payloads = payloadsOf(await response.text());
    expect(JSON.parse(payloads.at(-2) ?? '')).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 8, completion_tokens: 2, total_tokens: 10 },
    });
    expect((await relay.logs(userId))[0]).toMatchObject({ prompt_tokens: 8, completion_tokens: 2, quota: 20 });
  });

  it('takes usage from any chunk and lets content chunks with usage through', async () => {
    await relay.addChannel();
    const { key, userId } = await relay.addToken();
    const chunk =
      '{"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}],"usage": {"prompt_tokens":5,"completion_tokens":3}}';
    relay.upstream.script({}, events([chunk]));
    const response = await relay.chat(key, { model: 'gpt-4o', stream: true, messages: userMessage('hi') });
    expect(payloadsOf(await response.text())).toEqual([chunk, '[DONE]']);
    expect((await relay.logs(userId))[0]).toMatchObject({ prompt_tokens: 5, completion_tokens: 3 });
  });

  describe('while the provider is silent', () => {
    const silent =
      (milliseconds: number, then: Reply): Reply =>
      async (response, request) => {
        await new Promise((resolve) => setTimeout(resolve, milliseconds));
        await then(response, request);
      };
    const streams = [
      ['/v1/chat/completions', ': PING\n\n', 1, { messages: userMessage('hi') }],
      ['/v1/messages', 'event: ping\ndata: {"type":"ping"}\n\n', 1, { messages: userMessage('hi'), max_tokens: 9 }],
      ['/v1/responses', ': PING\n\n', 25, { input: 'hi' }],
    ] as const;
    beforeEach(() => relay.setOptions({ 'general_setting.ping_interval_seconds': 1 }));

    it.each(streams)('a stream of %s is kept alive before its first event', async (path, ping, type, input) => {
      await relay.addChannel({ type });
      const { key } = await relay.addToken();
      relay.upstream.script({}, silent(2500, chat({ text: 'late' })));
      const text = await (await relay.post(path, key, { model: 'gpt-4o', stream: true, ...input })).text();
      expect(text.startsWith(ping + ping)).toBe(true);
      expect(text).toContain('late');
    });

    it('another channel may still serve it', async () => {
      relay.setOptions({ 'general_setting.ping_interval_seconds': 1, RetryTimes: 1 });
      await relay.addChannel({ key: 'first', priority: 1 });
      const second = await relay.addChannel({ key: 'second' });
      const { key, userId } = await relay.addToken();
      relay.upstream.script({ key: 'first' }, silent(1500, json({ error: { message: 'overloaded' } }, 503)));
      const response = await relay.chat(key, { model: 'gpt-4o', stream: true, messages: userMessage('hi') });
      const text = await response.text();
      expect([response.status, text]).toEqual([200, expect.stringMatching(/^: PING\n\n[^]*upstream[^]*\[DONE\]/)]);
      expect((await relay.logs(userId))[0]).toMatchObject({ channel_id: second });
    });

    it('a failure is an event of the client’s dialect', async () => {
      await relay.addChannel();
      const { key } = await relay.addToken();
      relay.upstream.script({}, silent(1500, json({ error: { message: 'no such thing' } }, 400)));
      const text = await (
        await relay.post('/v1/messages', key, {
          model: 'gpt-4o',
          stream: true,
          max_tokens: 9,
          messages: userMessage('hi'),
        })
      ).text();
      expect(text).toMatch(/^event: ping\ndata: \{"type":"ping"\}\n\nevent: error\ndata: .*no such thing/);
    });

    it('a Gemini client and a response in one piece get no comment', async () => {
      await relay.addChannel();
      const { key } = await relay.addToken();
      relay.upstream.script({}, silent(1500, chat({ text: 'late' })));
      const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
      const [stream, whole] = await Promise.all([
        relay.post('/v1beta/models/gpt-4o:streamGenerateContent?alt=sse', key, { contents }),
        relay.chat(key, { model: 'gpt-4o', messages: userMessage('hi') }),
      ]);
      expect(await stream.text()).toMatch(/^data: /);
      expect(await whole.json()).toMatchObject({ object: 'chat.completion' });
    });
  });

  it('pings in the middle of a stream', async () => {
    await relay.addChannel();
    relay.setOptions({ 'general_setting.ping_interval_seconds': 1 });
    const { key } = await relay.addToken();
    relay.upstream.script({}, chat({ text: ['a', 'b'], gapMilliseconds: 700 }));
    const text = await (await relay.chat(key, { model: 'gpt-4o', stream: true, messages: userMessage('hi') })).text();
    expect(text).toContain(': PING\n\n');
    expect(payloadsOf(text).at(-1)).toBe('[DONE]');
  });
});

it('keeps what was said where the admin logs that, and only there', async () => {
  await relay.addChannel();
  relay.setOptions({ LogChatContentEnabled: true });
  const { key, userId } = await relay.addToken();
  const messages = [
    { role: 'system', content: 'be brief' },
    { role: 'user', content: 'first' },
    { role: 'assistant', content: 'yes' },
    { role: 'user', content: [{ type: 'text', text: 'my key is sk-abcdefghijk' }] },
  ];
  await (await relay.chat(key, { model: 'gpt-4o', messages })).json();
  await (await relay.chat(key, { model: 'gpt-4o', stream: true, messages })).text();
  for (const { other } of await relay.logs(userId)) {
    expect(other).toMatchObject({
      input_content: 'my key is [key]',
      output_content: 'Hello from the upstream!',
      context: 'user: first\nassistant: yes',
      system_prompt: 'be brief',
    });
  }
});

describe('channel settings', () => {
  it('maps the model upstream and prices by what was asked', async () => {
    await relay.addChannel({ models: 'gpt-4o-mini', mapping: '{"gpt-4o-mini":"a","a":"b"}' });
    const { key, userId } = await relay.addToken();
    const response = await relay.chat(key, { model: 'gpt-4o-mini', temperature: 0, messages: userMessage('hi') });
    await response.json();
    expect(relay.upstream.requests[0]?.body).toEqual({ model: 'b', temperature: 0, messages: userMessage('hi') });
    expect((await relay.logs(userId))[0]).toMatchObject({
      model_name: 'gpt-4o-mini',
      other: { model_ratio: 0.075, is_model_mapped: true, upstream_model_name: 'b' },
    });
  });

  it('maps the model of a Messages call, and leaves ids of 64 bits in tool arguments as they are', async () => {
    await relay.addChannel({ type: 14, models: 'claude-sonnet-4-5', mapping: '{"claude-sonnet-4-5":"b"}' });
    const { key } = await relay.addToken();
    const history = '[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"t",';
    const messages = `${history}"name":"delete","input":{"message_id": 1318304912345678901}}]},{"role":"user","content":"go"}]`;
    relay.upstream.script({}, json({ type: 'message', role: 'assistant', content: [], usage: { input_tokens: 1 } }));
    await relay.post('/v1/messages', key, `{"model":"claude-sonnet-4-5","max_tokens":9,"messages":${messages}}`);
    const sent = relay.upstream.requests[0]?.rawBody.toString();
    expect(sent).toContain('"model":"b"');
    expect(sent).toContain('"message_id": 1318304912345678901');
  });

  it('tells a circle of names instead of following it', async () => {
    await relay.addChannel({ mapping: '{"gpt-4o":"a","a":"gpt-4o"}' });
    const { key } = await relay.addToken();
    const response = await relay.chat(key, { model: 'gpt-4o', messages: userMessage('hi') });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'model_mapping_contains_cycle' } });
  });

  it('merges param_override over the body', async () => {
    await relay.addChannel({ override: '{"temperature":0.1,"extra":{"a":1}}' });
    const { key } = await relay.addToken();
    await (await relay.chat(key, { model: 'gpt-4o', temperature: 1, messages: userMessage('hi') })).json();
    expect(relay.upstream.requests[0]?.body).toMatchObject({ temperature: 0.1, extra: { a: 1 } });
  });

  it('turns a whole answer into a stream where the channel cannot stream', async () => {
    await relay.addChannel({ setting: '{"stream_support":"NON_STREAM_ONLY"}' });
    const { key, userId } = await relay.addToken();
    const toolCalls = [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }];
    relay.upstream.script({}, chat({ text: '', toolCalls, usage: { prompt_tokens: 3, completion_tokens: 4 } }));
    const response = await relay.chat(key, {
      model: 'gpt-4o',
      stream: true,
      stream_options: { include_usage: true },
      messages: userMessage('hi'),
    });
    const text = await response.text();
    expect(text.startsWith(': WAITING FOR UPSTREAM \n\n')).toBe(true);
    const [chunk, usage, done] = payloadsOf(text);
    expect(JSON.parse(chunk ?? '')).toMatchObject({
      object: 'chat.completion.chunk',
      choices: [
        { delta: { role: 'assistant', tool_calls: [{ index: 0, id: 'call_1' }] }, finish_reason: 'tool_calls' },
      ],
    });
    expect(JSON.parse(usage ?? '')).toMatchObject({ choices: [], usage: { prompt_tokens: 3 } });
    expect(done).toBe('[DONE]');
    expect(relay.upstream.requests[0]?.body).toMatchObject({ stream: false });
    expect(relay.upstream.requests[0]?.body).not.toHaveProperty('stream_options');
    const [log] = await relay.logs(userId);
    expect(log).toMatchObject({ is_stream: true, completion_tokens: 4 });
    // The log has the time of the only piece: older consoles show -1000 of a stream as "-1.0 s".
    expect(log?.other['frt']).toBeGreaterThan(0);
  });

  it('wraps reasoning into content for channels that are set so', async () => {
    await relay.addChannel({ setting: '{"thinking_to_content":true}' });
    const { key } = await relay.addToken();
    const delta = (content: object): string =>
      JSON.stringify({ choices: [{ index: 0, delta: content, finish_reason: null }] });
    relay.upstream.script(
      {},
      events([delta({ reasoning_content: 'a' }), delta({ reasoning_content: 'b' }), delta({ content: 'C' })]),
    );
    const response = await relay.chat(key, { model: 'gpt-4o', stream: true, messages: userMessage('hi') });
    const contents = payloadsOf(await response.text())
      .slice(0, -1)
      .map(
        (payload) => (JSON.parse(payload) as { choices: [{ delta: { content: string } }] }).choices[0].delta.content,
      );
    expect(contents).toEqual(['<think>\na', 'b', '\n</think>\n', 'C']);
  });

  it('calls the whole address of a custom channel', async () => {
    await relay.addChannel({ type: 8, baseUrl: `${relay.upstream.url}/api/{model}/call`, models: 'gpt-4o' });
    const { key } = await relay.addToken();
    relay.upstream.script({ path: '/api/gpt-4o/call' }, chat({ text: 'ok' }));
    const response = await relay.chat(key, { model: 'gpt-4o', messages: userMessage('hi') });
    expect(response.status).toBe(200);
    expect(relay.upstream.requests[0]?.path).toBe('/api/gpt-4o/call');
  });

  it('uses its keys in turn, parted by commas or lines', async () => {
    await relay.addChannel({ key: 'sk-a, sk-b\nsk-c' });
    const { key } = await relay.addToken();
    for (let call = 0; call < 6; call++) {
      await (await relay.chat(key, { model: 'gpt-4o', messages: userMessage('hi') })).json();
    }
    const keys = relay.upstream.requests.map((request) => request.key);
    expect([...keys].sort()).toEqual(['sk-a', 'sk-a', 'sk-b', 'sk-b', 'sk-c', 'sk-c']);
    expect(keys[0]).toBe(keys[3]);
  });
});
