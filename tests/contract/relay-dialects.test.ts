import { chat, events as sse, json } from '../support/upstream/replies.js';
import { errorEventAfter } from '../support/upstream/faults.js';
import type { Reply } from '../support/upstream/upstream.js';
import { payloadsOf, type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started));
afterEach(async () => {
  expect(await relay.unexplained()).toEqual([]);
});

type Json = Record<string, unknown>;

interface Message {
  readonly type: string;
  readonly content: Array<Record<string, unknown>>;
  readonly stop_reason: string;
  readonly usage: Record<string, number>;
}

const usage = { prompt_tokens: 1000, completion_tokens: 200, total_tokens: 1200 };
const claude = 'claude-opus-4-20250514';
const tool = {
  name: 'weather',
  description: 'Tells the weather',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const toolCall = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } };

/** The events of a stream, by their names. */
const named = (stream: string): Array<{ event: string; data: Record<string, unknown> }> =>
  stream
    .split('\n\n')
    .filter(Boolean)
    .map((block) => {
      const [, event = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
      return { event, data: JSON.parse(data) as Record<string, unknown> };
    });

describe('Messages at a provider of chat completions', () => {
  it('answers a message, and costs what Messages cost', async () => {
    await relay.addChannel({ models: claude, group: 'default' });
    relay.setOptions({ GroupRatio: { default: 1.2 } });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, chat({ text: ['Hello', ' there'], usage }));
    const response = await relay.post('/v1/messages', key, {
      model: claude,
      max_tokens: 500,
      system: 'Be brief.',
      messages: userMessage('hi'),
      top_k: 5,
    });
    expect(response.status).toBe(200);
    const message = (await response.json()) as Message;
    expect(message).toMatchObject({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'Hello there' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1000, output_tokens: 200 },
    });
    expect(relay.upstream.requests[0]).toMatchObject({
      path: '/v1/chat/completions',
      body: {
        model: claude,
        max_tokens: 500,
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'hi' },
        ],
      },
    });
    expect(relay.upstream.requests[0]?.body).not.toHaveProperty('top_k');
    expect(response.headers.get('x-tollgate-dropped')).toBe('top_k');
    // Example B19 of docs/reference/relay/billing.md#worked-examples
    const [log] = await relay.logs(userId);
    expect(log).toMatchObject({
      quota: 18_000,
      prompt_tokens: 1000,
      completion_tokens: 200,
      is_stream: false,
      other: {
        claude: true,
        cache_creation_tokens: 0,
        cache_creation_ratio: 1.25,
        dropped_parameters: ['top_k'],
        request_path: '/v1/messages',
      },
    });
  });

  it('drops the fraction of the charge, cache reads and writes included', async () => {
    await relay.addChannel({ models: 'claude-3-7-sonnet-20250219' });
    const { key, userId } = await relay.addToken();
    relay.upstream.script(
      {},
      chat({
        text: 'ok',
        usage: {
          prompt_tokens: 2510,
          completion_tokens: 100,
          prompt_tokens_details: { cached_tokens: 2000, cache_write_tokens: 500 },
        },
      }),
    );
    const body = { model: 'claude-3-7-sonnet-20250219', max_tokens: 10, messages: userMessage('hi') };
    const message = (await (await relay.post('/v1/messages', key, body)).json()) as Message;
    expect(message.usage).toMatchObject({
      input_tokens: 10,
      cache_read_input_tokens: 2000,
      cache_creation_input_tokens: 500,
      output_tokens: 100,
    });
    // Example B17 of docs/reference/relay/billing.md#worked-examples
    expect((await relay.logs(userId))[0]).toMatchObject({ quota: 2002, other: { cache_creation_tokens: 500 } });
    // Example B18 of docs/reference/relay/billing.md#worked-examples: a chat call with the same usage is rounded.
    await (await relay.chat(key, { model: 'claude-3-7-sonnet-20250219', messages: userMessage('hi') })).json();
    expect((await relay.logs(userId))[1]?.quota).toBe(2003);
  });

  it('streams messages, with tools both ways', async () => {
    await relay.addChannel({ models: claude });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, chat({ text: '', toolCalls: [toolCall], usage }));
    const response = await relay.post('/v1/messages', key, {
      model: claude,
      max_tokens: 500,
      stream: true,
      tools: [tool],
      tool_choice: { type: 'any' },
      messages: [
        ...userMessage('weather?'),
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_0', name: 'weather', input: { city: 'Rome' } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_0', content: 'sunny' }] },
      ],
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const events = named(await response.text());
    expect(events.map(({ event }) => event)).toEqual([
      'message_start',
      ...(events[1]?.event === 'ping' ? ['ping'] : []),
      'content_block_start',
      ...events.filter(({ event }) => event === 'content_block_delta').map(({ event }) => event),
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    const json = events.map(({ data }) => (data['delta'] as { partial_json?: string } | undefined)?.partial_json ?? '');
    expect(JSON.parse(json.join(''))).toEqual({ city: 'Paris' });
    expect(events.find(({ event }) => event === 'message_delta')?.data).toMatchObject({
      delta: { stop_reason: 'tool_use' },
      usage: { input_tokens: 1000, output_tokens: 200 },
    });
    expect(relay.upstream.requests[0]?.body).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
      tool_choice: 'required',
      tools: [{ type: 'function', function: { name: 'weather', parameters: tool.input_schema } }],
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          tool_calls: [{ id: 'toolu_0', function: { name: 'weather', arguments: '{"city":"Rome"}' } }],
        },
        { role: 'tool', tool_call_id: 'toolu_0', content: 'sunny' },
      ],
    });
    // (1000 + 200 * 5) * 7.5
    expect((await relay.logsOf(userId, 1))[0]).toMatchObject({ quota: 15_000, is_stream: true });
  });

  it('says what is wrong in its own words', async () => {
    await relay.addChannel({ models: claude });
    const { key } = await relay.addToken();
    const errorOf = async (body: unknown, headers: Record<string, string> = {}): Promise<unknown> => {
      const response = await relay.post('/v1/messages', key, body, { headers });
      return { status: response.status, ...((await response.json()) as object) };
    };
    const message = expect.stringContaining('(request id: ') as unknown;
    expect(await errorOf({ model: claude })).toEqual({
      status: 400,
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: expect.stringContaining('field messages is required') as unknown,
      },
    });
    expect(await errorOf({ messages: userMessage('hi') })).toMatchObject({
      status: 400,
      error: { message: expect.stringContaining('field model is required') as unknown },
    });
    expect(await errorOf({ model: claude }, { authorization: 'Bearer sk-unknown' })).toEqual({
      status: 401,
      type: 'error',
      error: { type: 'authentication_error', message },
    });
    relay.upstream.script({}, json({ error: { message: 'slow down', type: 'x' } }, 429, { 'retry-after': '7' }));
    const asked = { model: claude, max_tokens: 5, messages: userMessage('hi') };
    expect(await errorOf(asked)).toMatchObject({ status: 429, error: { type: 'rate_limit_error' } });
    relay.endCooldowns();
    relay.upstream.script({}, json({ type: 'error', error: { type: 'overloaded_error', message: 'busy' } }, 529));
    expect(await errorOf(asked)).toMatchObject({ status: 529, error: { type: 'overloaded_error' } });
    relay.upstream.script({}, errorEventAfter(5));
    const broken = await (await relay.post('/v1/messages', key, { ...asked, stream: true })).text();
    const events = named(broken);
    expect(events.at(-1)).toMatchObject({ event: 'error', data: { type: 'error', error: { type: 'api_error' } } });
    expect(broken).not.toContain('[DONE]');
  });

  it('counts tokens for nothing', async () => {
    await relay.addChannel({ models: claude });
    const { key, userId } = await relay.addToken();
    const count = async (body: object): Promise<unknown> =>
      (await relay.post('/v1/messages/count_tokens', key, { model: claude, ...body })).json();
    // Example T6 of docs/reference/relay/token-counting.md#worked-examples
    const messages = userMessage('Hello, Claude');
    expect(await count({ messages })).toEqual({ input_tokens: 6 });
    expect(await count({ messages, system: 'You are terse.' })).toEqual({ input_tokens: 10 });
    expect(relay.upstream.requests).toHaveLength(0);
    expect(await relay.logs(userId)).toHaveLength(0);
  });

  it('charges its own count where the provider reports nothing', async () => {
    await relay.addChannel({ models: claude });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, chat({ text: 'hello world', usage: null }));
    const body = { model: claude, max_tokens: 10, messages: userMessage('Hello, Claude') };
    const message = (await (await relay.post('/v1/messages', key, body)).json()) as Message;
    expect(message.usage).toMatchObject({ input_tokens: 6, output_tokens: 2 });
    expect((await relay.logs(userId))[0]).toMatchObject({ prompt_tokens: 6, completion_tokens: 2, quota: 120 });
  });
});

describe('Responses at a provider of chat completions', () => {
  it('answers whole and streamed', async () => {
    await relay.addChannel();
    const { key, userId } = await relay.addToken();
    relay.upstream.script({ path: '/v1/chat' }, chat({ text: ['Hello', ' there'], usage }));
    const body = { model: 'gpt-4o', input: 'hi', instructions: 'Be brief.', max_output_tokens: 100 };
    relay.upstream.script({ path: '/v1/responses' }, json({ error: { message: 'no such path' } }, 404));
    await relay.clearChannels();
    await relay.addChannel({ type: 25 });
    const response = await relay.post('/v1/responses', key, body);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      object: 'response',
      status: 'completed',
      output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hello there' }] }],
      usage: { input_tokens: 1000, output_tokens: 200 },
    });
    const events = named(await (await relay.post('/v1/responses', key, { ...body, stream: true })).text());
    expect(events[0]?.event).toBe('response.created');
    expect(events.at(-1)).toMatchObject({
      event: 'response.completed',
      data: { response: { usage: { input_tokens: 1000, output_tokens: 200 } } },
    });
    const logs = await relay.logsOf(userId, 2);
    // (1000 + 200 * 4) * 1.25
    expect(logs.map(({ quota }) => quota)).toEqual([2250, 2250]);
  });
});

describe('a citation that no text is open for', () => {
  const url = (at: string): string => `https://${at}.example`;
  const cited = (at: string): Json => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'citations_delta', citation: { type: 'web_search_result_location', url: url(at), title: at } },
  });
  const opened = (index: number, block: Json): Json => ({ type: 'content_block_start', index, content_block: block });
  const text = (piece: string): Json => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text: piece },
  });
  const tool = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: claude, content: [] };
  const stream = (...blocks: readonly Json[]): Reply =>
    sse(
      [
        { type: 'message_start', message: { ...message, usage: { input_tokens: 9, output_tokens: 1 } } },
        ...blocks,
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
        { type: 'message_stop' },
      ].map((event) => JSON.stringify(event)),
      { done: false },
    );

  it.each<[string, Reply, string[][], number]>([
    ['is of the text that follows', stream(opened(0, { type: 'text', text: '' }), cited('a'), text('A')), [['a']], 1],
    [
      'behind a call is of the text behind it',
      stream(text('A'), opened(1, tool), cited('b'), { type: 'content_block_stop', index: 1 }, text('B')),
      [[], ['b']],
      1,
    ],
    [
      'at the end is of the last text',
      stream(text('A'), opened(1, tool), { type: 'content_block_stop', index: 1 }, cited('a')),
      [['a']],
      0,
    ],
  ])('%s', async (_name, reply, expected, added) => {
    await relay.addChannel({ type: 14, models: claude });
    const { key } = await relay.addToken();
    relay.upstream.script({}, reply);
    const body = { model: claude, input: 'hi', stream: true, tools: [{ type: 'function', name: 'f', parameters: {} }] };
    const sent = named(await (await relay.post('/v1/responses', key, body)).text()).map(({ data }) => data);
    const { response } = sent.at(-1) as { response: { output: Array<{ type: string; content: Json[] }> } };
    const annotations = response.output
      .filter(({ type }) => type === 'message')
      .map(({ content }) => ((content[0]?.['annotations'] ?? []) as Json[]).map((each) => each['url']));
    expect(annotations).toEqual(expected.map((names) => names.map(url)));
    expect(sent.filter(({ type }) => type === 'response.output_text.annotation.added')).toHaveLength(added);
  });
});

describe('the own count of a Responses call', () => {
  const spent = async (output: unknown, call: object = {}): Promise<number> => {
    await relay.clearChannels();
    await relay.addChannel({ type: 25 });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({ path: '/v1/chat' }, chat({ text: 'ok', usage: null }));
    const input = [
      { role: 'user', content: 'look' },
      { type: 'function_call', call_id: 'call_1', name: 'view', arguments: '{}', ...call },
      { type: 'function_call_output', call_id: 'call_1', output },
    ];
    await (await relay.post('/v1/responses', key, { model: 'gpt-4o', input })).text();
    const [log] = await relay.logs(userId);
    return log?.prompt_tokens ?? 0;
  };

  it('takes an image in the result of a tool for an image, not for text', async () => {
    const url = `data:image/png;base64,${Buffer.alloc(30_000, 'image').toString('base64')}`;
    const text = await spent('a picture');
    const both = await spent([
      { type: 'input_text', text: 'a picture' },
      { type: 'input_image', image_url: url },
    ]);
    expect(both).toBe(text + 255);
    expect(await spent([{ type: 'input_text', text: 'a picture' }])).toBe(text);
  });

  it('has the input of custom tools', async () => {
    const custom = { type: 'custom_tool_call', arguments: undefined };
    const [short, long] = [
      await spent('ok', { ...custom, input: 'a' }),
      await spent('ok', { ...custom, input: 'a b c' }),
    ];
    expect(long).toBe(short + 2);
  });
});

describe('tool calls of providers that leave out what they need not say', () => {
  it('have arguments that a client of Responses can parse', async () => {
    await relay.addChannel({ type: 25 });
    const { key } = await relay.addToken();
    const call = { id: 'call_1', type: 'function', function: { name: 'now', arguments: '' } };
    relay.upstream.script({ path: '/v1/chat' }, chat({ text: '', toolCalls: [call], usage }));
    const body = { model: 'gpt-4o', input: 'time?', tools: [{ type: 'function', name: 'now', parameters: {} }] };
    const whole = await (await relay.post('/v1/responses', key, body)).json();
    expect(whole).toMatchObject({ output: [{ type: 'function_call', name: 'now', arguments: '{}' }] });
    const events = named(await (await relay.post('/v1/responses', key, { ...body, stream: true })).text());
    const deltas = events.filter(({ event }) => event === 'response.function_call_arguments.delta');
    expect(deltas.map(({ data }) => data['delta']).join('')).toBe('{}');
    const done = events.find(({ event }) => event === 'response.function_call_arguments.done');
    expect(done?.data).toMatchObject({ arguments: '{}' });
    expect(events.at(-1)?.data).toMatchObject({ response: { output: [{ arguments: '{}' }] } });
  });

  it('have ids that tell the calls of a conversation apart', async () => {
    await relay.addChannel({ models: claude });
    const { key } = await relay.addToken();
    const call = { type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } };
    relay.upstream.script({}, chat({ text: '', toolCalls: [call, call], usage }));
    const body = { model: claude, max_tokens: 500, tools: [tool], messages: userMessage('weather?') };
    const ids = new Set<unknown>();
    for (let turn = 0; turn < 2; turn++) {
      const message = (await (await relay.post('/v1/messages', key, body)).json()) as Message;
      for (const { id } of message.content) ids.add(id);
      const events = named(await (await relay.post('/v1/messages', key, { ...body, stream: true })).text());
      for (const { data } of events) {
        const block = data['content_block'] as { type?: string; id?: string } | undefined;
        if (block?.type === 'tool_use') ids.add(block.id);
      }
    }
    expect(ids.has('')).toBe(false);
    expect(ids.size).toBe(8);
  });
});

it("a chat call at Gemini has the fields of Google's own that its library sends in extra_body", async () => {
  const { key, userId } = await relay.addToken();
  // Cached content passes only at an account of the user.
  await relay.addChannel({ models: 'gemini-2.5-flash', type: 24, ownerId: userId });
  const content = { role: 'model', parts: [{ text: 'ok' }] };
  relay.upstream.script(
    {},
    json({ candidates: [{ content, finishReason: 'STOP' }], usageMetadata: { promptTokenCount: 9 } }),
  );
  const google = {
    thinking_config: { thinking_budget: 512 },
    cached_content: 'cachedContents/1',
    thought_tag_marker: 't',
  };
  const given = { model: 'gemini-2.5-flash', messages: userMessage('hi'), extra_body: { google } };
  const response = await relay.post('/v1/chat/completions', key, given);
  expect([response.status, response.headers.get('x-tollgate-dropped')]).toEqual([
    200,
    'extra_body.google.thought_tag_marker',
  ]);
  expect(relay.upstream.requests[0]?.body).toMatchObject({
    cachedContent: 'cachedContents/1',
    generationConfig: { thinkingConfig: { thinkingBudget: 512 } },
  });
});

describe('Gemini at a provider of chat completions', () => {
  const model = 'gemini-2.0-flash';
  const path = (method: string): string => `/v1beta/models/${model}:${method}`;
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];

  it('answers whole, as events and as a list', async () => {
    await relay.addChannel({ models: model });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, chat({ text: ['Hello', ' there'], usage }));
    const whole = await relay.post(path('generateContent'), key, { contents });
    expect(await whole.json()).toMatchObject({
      candidates: [{ content: { role: 'model', parts: [{ text: 'Hello there' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 1000, candidatesTokenCount: 200 },
    });
    const streamed = await relay.post(`${path('streamGenerateContent')}?alt=sse`, key, { contents });
    expect(streamed.headers.get('content-type')).toBe('text/event-stream');
    const events = payloadsOf(await streamed.text()).map((data) => JSON.parse(data) as Record<string, unknown>);
    expect(events.at(-1)).toMatchObject({
      candidates: [{ finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 1000 },
    });
    const listed = await relay.post(path('streamGenerateContent'), key, { contents });
    expect(listed.headers.get('content-type')).toContain('application/json');
    const list = (await listed.json()) as unknown[];
    expect(list.at(-1)).toMatchObject({ usageMetadata: { promptTokenCount: 1000 } });
    const logs = await relay.logsOf(userId, 3);
    expect(logs.map(({ model_name: name, is_stream: stream }) => [name, stream])).toEqual([
      [model, false],
      [model, true],
      [model, true],
    ]);
  });

  it('gets a list with everything that Google says, and an error at its end', async () => {
    await relay.addChannel({ type: 24, models: model });
    const { key, userId } = await relay.addToken();
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 };
    const groundingMetadata = { webSearchQueries: ['q'], groundingSupports: [{ segment: { endIndex: 2 } }] };
    const said = [
      { candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'H', unknownHere: 1 }] } }], usageMetadata },
      { candidates: [{ index: 0, finishReason: 'STOP', groundingMetadata }], usageMetadata, brandNew: true },
    ];
    relay.upstream.script({}, sse(said.map((each) => JSON.stringify(each))));
    const listed = await relay.post(path('streamGenerateContent'), key, { contents });
    expect(listed.headers.get('content-type')).toContain('application/json');
    expect(await listed.json()).toEqual(said);
    const [row] = await relay.logsOf(userId, 1);
    expect([row?.prompt_tokens, row?.completion_tokens, row?.is_stream]).toEqual([10, 2, true]);
    expect(relay.upstream.requests[0]?.path).toBe(`${path('streamGenerateContent')}?alt=sse`);
    const failure = { error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } };
    relay.upstream.script({}, sse([said[0], failure].map((each) => JSON.stringify(each))));
    const broken = (await (await relay.post(path('streamGenerateContent'), key, { contents })).json()) as unknown[];
    expect(broken).toEqual([said[0], { error: expect.objectContaining({ status: 'UNAVAILABLE' }) as unknown }]);
  });

  it('takes results of functions with the role that Google’s Python examples give them', async () => {
    await relay.addChannel({ models: model });
    const { key } = await relay.addToken();
    const response = await relay.post(path('generateContent'), key, {
      contents: [
        ...contents,
        { role: 'model', parts: [{ functionCall: { name: 'weather', args: { city: 'Rome' } } }] },
        { role: 'tool', parts: [{ functionResponse: { name: 'weather', response: { result: 'sunny' } } }] },
      ],
    });
    expect(response.status).toBe(200);
    expect(relay.upstream.requests[0]?.body).toMatchObject({
      messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'tool', content: 'sunny' }],
    });
  });

  it('takes the key in a header or the query, and never sends it on', async () => {
    await relay.addChannel({ models: model });
    const { key } = await relay.addToken();
    const init = { method: 'POST', body: JSON.stringify({ contents }) };
    const byHeader = await fetch(relay.url + path('generateContent'), { ...init, headers: { 'x-goog-api-key': key } });
    const byQuery = await fetch(`${relay.url}${path('generateContent')}?key=${key}`, init);
    expect([byHeader.status, byQuery.status]).toEqual([200, 200]);
    for (const { path: sent, headers, rawBody } of relay.upstream.requests) {
      expect(sent + JSON.stringify(headers) + rawBody.toString()).not.toContain(key.slice(3));
    }
  });

  it('says what is wrong in its own words', async () => {
    await relay.addChannel({ models: model });
    const { key } = await relay.addToken();
    const wrong = await relay.post(path('generateContent'), key, {});
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).toEqual({
      error: { code: 400, status: 'INVALID_ARGUMENT', message: expect.stringContaining('contents') as unknown },
    });
    const unknown = await relay.post(path('predictLongRunning'), key, {});
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({ error: { status: 'NOT_FOUND' } });
    relay.upstream.script({}, errorEventAfter(5));
    const broken = await (await relay.post(`${path('streamGenerateContent')}?alt=sse`, key, { contents })).text();
    expect(JSON.parse(payloadsOf(broken).at(-1) ?? '')).toMatchObject({ error: { code: 502 } });
    const list = await (await relay.post(path('streamGenerateContent'), key, { contents })).json();
    expect((list as unknown[]).at(-1)).toMatchObject({ error: { code: 502 } });
  });

  it('counts tokens and lists models', async () => {
    await relay.addChannel({ models: model });
    const { key } = await relay.addToken();
    const counted = await relay.post(path('countTokens'), key, { contents });
    expect(await counted.json()).toEqual({ totalTokens: 1 });
    const models = await fetch(`${relay.url}/v1beta/models`, { headers: { 'x-goog-api-key': key } });
    expect(await models.json()).toMatchObject({ models: [{ name: `models/${model}` }] });
  });
});
