/** The fees of tools that providers run and charge, with every kind of price. */
import type { OptionValues } from '../../server/src/options/option-registry.js';
import { chat, events, json } from '../support/upstream/replies.js';
import { type LogRow, type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started));

afterEach(async () => {
  expect(await relay.unexplained()).toEqual([]);
  expect(await relay.replayedDifferently()).toEqual([]);
});

type Json = Record<string, unknown>;

const tokens = { input_tokens: 100, output_tokens: 10, total_tokens: 110 };
const said = { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] };
/** A response of OpenAI, whose tools are items of its output. */
const response = (model: string, output: readonly object[], more: Json = {}): Json => ({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model,
  output: [...output, said],
  usage: tokens,
  ...more,
});
const completed = (body: Json) =>
  events([JSON.stringify({ type: 'response.completed', response: body })], { done: false });
const search = (id: number): object => ({
  type: 'web_search_call',
  id: `ws_${id}`,
  status: 'completed',
  action: { type: 'search', query: 'q' },
});
const fileSearch = { type: 'file_search_call', id: 'fs_1', status: 'completed', queries: ['q'] };
const code = (container: string): object => ({
  type: 'code_interpreter_call',
  id: 'ci_1',
  status: 'completed',
  container_id: container,
});

async function rowOf(path: string, body: Json, userQuota = 1_000_000): Promise<LogRow> {
  const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota: userQuota }) });
  const answer = await relay.post(path, key, body);
  expect([answer.status, answer.status === 200 || (await answer.clone().text())]).toEqual([200, true]);
  await answer.text();
  const [row] = await relay.logsOf(userId, 1);
  return row as LogRow;
}

const byRatio: Partial<OptionValues> = {};
const byOwnCard: Partial<OptionValues> = {
  PriceCards: { 'gpt-4o': { prices: { input: 2.5, output: 10 } } },
};
const byListPrice: Partial<OptionValues> = { PriceCards: { 'gpt-4o': 'built-in' } };

describe.each([
  ['at ratio prices', byRatio],
  ['by a card that names no tool', byOwnCard],
  ['at list prices', byListPrice],
])('tools of OpenAI %s', (_form, options) => {
  it.each([
    ['a search', { type: 'web_search' }, [search(1)], 0.025],
    ['ten searches', { type: 'web_search_preview' }, Array.from({ length: 10 }, (_, index) => search(index)), 0.25],
    ['a search of files', { type: 'file_search' }, [fileSearch], 0.0025],
    [
      'code in two containers',
      { type: 'code_interpreter', container: { type: 'auto' } },
      [code('a'), code('a'), code('b')],
      0.06,
    ],
  ])('cost their fee: %s', async (_name, tool, output, fee) => {
    relay.setOptions(options);
    await relay.addChannel();
    for (const stream of [false, true]) {
      const answer = response('gpt-4o', output);
      relay.upstream.script({}, stream ? completed(answer) : json(answer));
      const row = await rowOf('/v1/responses', { model: 'gpt-4o', input: 'hi', tools: [tool], stream });
      expect(row.quota).toBe(Math.round((100 * 2.5 + 10 * 10) / 2 + fee * 500_000));
      expect(row.other['components']).toHaveLength(3);
      const admin = row.other['admin_info'] as { upstream_cost: number };
      expect(Math.round(admin.upstream_cost * 500_000)).toBe(row.quota);
    }
  });

  it('cost what the site sets, also nothing', async () => {
    await relay.addChannel();
    for (const [webSearch, fee] of [
      [0.1, 0.1],
      [0, 0],
    ] as const) {
      relay.setOptions({ ...options, ToolPrices: { 'gpt-*': { webSearch }, '*': { webSearch: 1 } } });
      relay.upstream.script({}, json(response('gpt-4o', [search(1)])));
      const row = await rowOf('/v1/responses', { model: 'gpt-4o', input: 'hi', tools: [{ type: 'web_search' }] });
      expect(row.quota).toBe(Math.round(175 + fee * 500_000));
    }
  });
});

it('a card that prices a tool comes before the prices of the site', async () => {
  const prices = { input: 2.5, output: 10, webSearch: 0.5 };
  relay.setOptions({ PriceCards: { 'gpt-4o': { prices } }, ToolPrices: { '*': { webSearch: 1 } } });
  await relay.addChannel();
  relay.upstream.script({}, json(response('gpt-4o', [search(1)])));
  const row = await rowOf('/v1/responses', { model: 'gpt-4o', input: 'hi', tools: [{ type: 'web_search' }] });
  expect(row.quota).toBe(175 + 250_000);
});

it('a free model and a price per call cover the tools', async () => {
  await relay.addChannel();
  for (const options of [{ ModelRatio: { 'gpt-4o': 0 } }, { ModelPrice: { 'gpt-4o': 0.1 } }]) {
    relay.setOptions(options);
    relay.upstream.script({}, json(response('gpt-4o', [search(1)])));
    const row = await rowOf('/v1/responses', { model: 'gpt-4o', input: 'hi', tools: [{ type: 'web_search' }] });
    expect(row.quota).toBe('ModelPrice' in options ? 50_000 : 0);
  }
});

const claude = 'claude-3-7-sonnet-20250219';
const claudeAnswer = (more: Json): Json => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: claude,
  content: [{ type: 'text', text: 'hi' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 100, output_tokens: 10, server_tool_use: more },
});
const claudeTokens = (100 + 10 * 5) * 1.5;

it.each([
  [
    'searches',
    { web_search_requests: 3, web_fetch_requests: 0 },
    { type: 'web_search_20250305', name: 'web_search' },
    0.03,
  ],
  [
    'code, once for its container',
    { web_search_requests: 0, code_execution_requests: 4 },
    { type: 'code_execution_20250825', name: 'code_execution' },
    0.00416667,
  ],
])('charges the fees of Anthropic at ratio prices: %s', async (_name, used, tool, fee) => {
  await relay.addChannel({ type: 14, models: claude });
  relay.upstream.script({}, json(claudeAnswer(used)));
  const body = { model: claude, max_tokens: 100, messages: userMessage('hi'), tools: [tool] };
  const row = await rowOf('/v1/messages', body);
  expect(row.quota).toBe(Math.round(claudeTokens + fee * 500_000));
});

it('charges a grounded prompt of Gemini once at ratio prices', async () => {
  relay.setOptions({ ModelRatio: { 'gemini-2.5-flash': 0.15 }, CompletionRatio: { 'gemini-2.5-flash': 4 } });
  await relay.addChannel({ type: 24, models: 'gemini-2.5-flash' });
  relay.upstream.script(
    {},
    json({
      candidates: [
        {
          index: 0,
          finishReason: 'STOP',
          content: { role: 'model', parts: [{ text: 'hi' }] },
          groundingMetadata: { webSearchQueries: ['a', 'b'] },
        },
      ],
      usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 },
    }),
  );
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
  const path = '/v1beta/models/gemini-2.5-flash:generateContent';
  const row = await rowOf(path, { contents, tools: [{ googleSearch: {} }, { codeExecution: {} }] });
  expect(row.quota).toBe(Math.round(140 * 0.15 + 0.035 * 500_000));
});

it('charges searches of Gemini beyond those that are reserved as far as the balance has them', async () => {
  const model = 'gemini-3-pro-preview';
  relay.setOptions({ ModelRatio: { [model]: 0.01 }, CompletionRatio: { [model]: 1 } });
  await relay.addChannel({ type: 24, models: model });
  const webSearchQueries = Array.from({ length: 40 }, (_, index) => `q${index}`);
  const content = { role: 'model', parts: [{ text: 'hi' }] };
  relay.upstream.script(
    {},
    json({
      candidates: [{ index: 0, finishReason: 'STOP', content, groundingMetadata: { webSearchQueries } }],
      usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 100, totalTokenCount: 200 },
    }),
  );
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
  const body = { contents, tools: [{ googleSearch: {} }], generationConfig: { maxOutputTokens: 1000 } };
  const path = `/v1beta/models/${model}:generateContent`;
  // Ten searches are reserved, at 0.014 USD each.
  const { key } = await relay.addToken({ userId: await relay.addUser({ quota: 69_000 }) });
  expect((await relay.post(path, key, body)).status).toBe(403);
  const balance = 150_000;
  const row = await rowOf(path, body, balance);
  expect(row.quota).toBe(balance);
  expect(row.other['uncharged_quota']).toBe(2 + 40 * 7000 - balance);
});

it('charges each request of a model that always searches at ratio prices', async () => {
  relay.setOptions({ ModelRatio: { 'gpt-4o-search-preview': 1.25 } });
  await relay.addChannel({ models: 'gpt-4o-search-preview' });
  for (const stream of [false, true]) {
    relay.upstream.script({}, chat({ text: 'hi', usage: { prompt_tokens: 100, completion_tokens: 10 } }));
    const body = { messages: userMessage('hi'), web_search_options: {}, stream };
    const row = await rowOf('/v1/chat/completions', { model: 'gpt-4o-search-preview', ...body });
    expect(row.quota).toBe(175 + 12_500);
  }
});

it("charges each of Moonshot's searches, with the call that has its result", async () => {
  relay.setOptions({ ModelRatio: { 'kimi-latest': 1 } });
  await relay.addChannel({ type: 25, models: 'kimi-latest' });
  const tools = [{ type: 'builtin_function', function: { name: '$web_search' } }];
  const call = { id: 'c1', type: 'builtin_function', function: { name: '$web_search', arguments: '{}' } };
  const usage = { prompt_tokens: 100, completion_tokens: 10 };
  relay.upstream.script({}, chat({ text: '', toolCalls: [call], usage }), chat({ text: 'hi', usage }));
  const first = await rowOf('/v1/chat/completions', { model: 'kimi-latest', messages: userMessage('hi'), tools });
  expect(first.quota).toBe(110);
  const messages = [
    ...userMessage('hi'),
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c1', name: '$web_search', content: '{}' },
  ];
  const second = await rowOf('/v1/chat/completions', { model: 'kimi-latest', messages, tools });
  expect(second.quota).toBe(110 + 2500);
});

describe('a tool whose price is not known', () => {
  const tools = [{ type: 'function', name: 'f', parameters: { type: 'object' } }, { type: 'teleport_preview' }];
  const body = { model: 'gpt-4o', input: 'hi', tools };

  it('is refused by its name, and nothing is charged', async () => {
    await relay.addChannel();
    const { key, userId } = await relay.addToken();
    const answer = await relay.post('/v1/responses', key, body);
    const { error } = (await answer.json()) as { error: Json };
    expect([answer.status, error['code']]).toEqual([400, 'tool_not_priced']);
    expect(error['message']).toContain('The tool teleport_preview has no price, and none can be set: leave it out');
    expect(relay.upstream.requests).toEqual([]);
    expect(await relay.balance(userId)).toMatchObject({ quota: 1_000_000, used: 0 });
  });

  it.each([
    [
      'at Messages',
      14,
      '/v1/messages',
      (tool: object) => ({
        messages: [
          ...userMessage('hi'),
          {
            role: 'system',
            content: [{ type: 'tool_addition', tool: { type: 'tool_definition', definition: tool } }],
          },
        ],
      }),
    ],
    [
      'at Responses',
      1,
      '/v1/responses',
      (tool: object) => ({
        input: [
          { role: 'user', content: 'hi' },
          { type: 'tool_search_call', call_id: 'call_1', execution: 'client', arguments: {} },
          { type: 'tool_search_output', call_id: 'call_1', execution: 'client', tools: [tool] },
        ],
      }),
    ],
    [
      'at chat completions of Kimi',
      25,
      '/v1/chat/completions',
      (tool: object) => ({ messages: [...userMessage('hi'), { role: 'system', tools: [tool] }] }),
    ],
  ])('is refused where the conversation defines it: %s', async (_name, type, path, given) => {
    await relay.addChannel({ type });
    const { key } = await relay.addToken();
    const tool = { type: 'teleport_preview', name: 'teleport' };
    const answer = await relay.post(path, key, { model: 'gpt-4o', max_tokens: 5, ...given(tool) });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('teleport_preview')]);
    expect(relay.upstream.requests).toEqual([]);
  });

  it('is free where the site lets it pass, and the owner is told once', async () => {
    relay.setOptions({ UnpricedTools: 'free' });
    await relay.addChannel();
    const before = relay.notices.length;
    for (let call = 0; call < 2; call++) {
      relay.upstream.script({}, json(response('gpt-4o', [])));
      expect((await rowOf('/v1/responses', body)).quota).toBe(175);
    }
    const told = relay.notices.slice(before);
    expect(told).toEqual([expect.objectContaining({ values: expect.arrayContaining(['teleport_preview', 'gpt-4o']) })]);
  });

  it('passes where the provider of the channel does not get it', async () => {
    await relay.addChannel({ type: 43 });
    relay.upstream.script({}, chat({ text: 'hi', usage: { prompt_tokens: 100, completion_tokens: 10 } }));
    const row = await rowOf('/v1/responses', body);
    expect(row.quota).toBe(175);
    expect(JSON.stringify(relay.upstream.requests[0]?.body)).not.toContain('teleport');
  });

  it.each([
    ['a search of a maker without a price', { web_search_options: {} }, 'web_search_options'],
    ['a search of Qwen', { enable_search: true }, 'enable_search'],
    ['a plugin that searches', { plugins: [{ id: 'web' }] }, 'plugins'],
  ])('is refused in chat completions: %s', async (_name, fields, name) => {
    relay.setOptions({ ModelRatio: { mine: 1 } });
    await relay.addChannel({ models: 'mine', type: 8 });
    const { key } = await relay.addToken();
    const answer = await relay.chat(key, { model: 'mine', messages: userMessage('hi'), ...fields });
    const { error } = (await answer.json()) as { error: Json };
    expect([answer.status, error['code']]).toEqual([400, 'tool_not_priced']);
    expect(error['message']).toContain(name);
  });

  it.each([
    ['of the client', [{ type: 'function', name: 'f' }, { type: 'custom', name: 'g' }, { type: 'local_shell' }]],
    ['of a remote MCP server', [{ type: 'mcp', server_label: 'x', server_url: 'https://x.example' }]],
  ])('is none %s', async (_name, others) => {
    await relay.addChannel();
    relay.upstream.script({}, json(response('gpt-4o', [])));
    expect((await rowOf('/v1/responses', { ...body, tools: others })).quota).toBe(175);
  });
});

describe('a small balance', () => {
  it('limits the searches of Responses to what it pays for, and pays no more than it has', async () => {
    await relay.addChannel();
    relay.upstream.script(
      {},
      json(
        response(
          'gpt-4o',
          Array.from({ length: 2 }, (_, index) => search(index)),
        ),
      ),
    );
    const body = { model: 'gpt-4o', input: 'hi', max_output_tokens: 256, tools: [{ type: 'web_search' }] };
    const row = await rowOf('/v1/responses', body, 40_000);
    const sent = relay.upstream.requests[0]?.body as Json;
    expect(sent['max_tool_calls']).toBe(3);
    expect(row.quota).toBe(175 + 2 * 12_500);
  });

  it('keeps a limit of the client that is lower', async () => {
    await relay.addChannel();
    relay.upstream.script({}, json(response('gpt-4o', [search(1)])));
    const body = { model: 'gpt-4o', input: 'hi', max_output_tokens: 256, max_tool_calls: 1 };
    await rowOf('/v1/responses', { ...body, tools: [{ type: 'web_search' }] }, 40_000);
    expect(relay.upstream.requests[0]?.body).toMatchObject({ max_tool_calls: 1 });
  });

  it('limits the searches of Messages', async () => {
    await relay.addChannel({ type: 14, models: claude });
    relay.upstream.script({}, json(claudeAnswer({ web_search_requests: 1 })));
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }];
    await rowOf('/v1/messages', { model: claude, max_tokens: 256, messages: userMessage('hi'), tools }, 22_000);
    expect(relay.upstream.requests[0]?.body).toMatchObject({ tools: [{ max_uses: 3 }] });
  });

  it('that pays for many calls sets no limit', async () => {
    await relay.addChannel();
    relay.upstream.script({}, json(response('gpt-4o', [search(1)])));
    const body = { model: 'gpt-4o', input: 'hi', tools: [{ type: 'web_search' }] };
    await rowOf('/v1/responses', body, 500_000_000);
    expect(relay.upstream.requests[0]?.body).not.toHaveProperty('max_tool_calls');
  });
});

it('charges images that a tool drew and whose tokens the provider does not report', async () => {
  await relay.addChannel();
  const drawn = {
    type: 'image_generation_call',
    id: 'ig_1',
    status: 'completed',
    size: '1024x1024',
    quality: 'medium',
  };
  for (const stream of [false, true]) {
    const answer = response('gpt-4o', [drawn, { ...drawn, id: 'ig_2' }, { ...drawn, id: 'ig_3', status: 'failed' }]);
    relay.upstream.script({}, stream ? completed(answer) : json(answer));
    const row = await rowOf('/v1/responses', {
      model: 'gpt-4o',
      input: 'hi',
      tools: [{ type: 'image_generation' }],
      stream,
    });
    // Two images of 1,056 tokens, at the price of gpt-image-2.
    expect(row.other).toMatchObject({ drawn: { model: 'gpt-image-2', images: 2 } });
    expect(row.other['components']).toContainEqual(['imageOutput', 2112, 30]);
    expect(row.quota).toBe(Math.round(175 + 2112 * 15));
  }
});

describe.each<[string, Partial<OptionValues>]>([
  ['at ratio prices', { ModelRatio: { mine: 1 }, CompletionRatio: { mine: 1 } }],
  ['by a card', { PriceCards: { mine: { prices: { input: 2, output: 2 } } } }],
])('a tool that a stored conversation has, and that the model of a later turn does not price, %s', (_form, options) => {
  const laterTurn = async (more: Partial<OptionValues> = {}): Promise<number> => {
    relay.setOptions({ ...options, ...more });
    await relay.addChannel({ models: 'gpt-4o,mine', mapping: '{"mine":"gpt-4o"}' });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, json(response('gpt-4o', [search(1)])));
    const first = { model: 'gpt-4o', input: 'hi', tools: [{ type: 'web_search' }] };
    expect((await relay.post('/v1/responses', key, first)).status).toBe(200);
    const refused = await relay.post('/v1/responses', key, { ...first, model: 'mine' });
    expect(refused.status).toBe(more.UnpricedTools === 'free' ? 200 : 400);
    const second = { model: 'mine', input: 'and now?', previous_response_id: 'resp_1' };
    const answered = await relay.post('/v1/responses', key, second);
    expect([answered.status, await answered.text()]).toEqual([200, expect.stringContaining('resp_1')]);
    const rows = await relay.logsOf(userId, refused.status === 200 ? 3 : 2);
    return Math.max(...rows.filter(({ model_name: model }) => model === 'mine').map(({ quota }) => quota));
  };

  it('is charged at the list price of the model that the provider called', async () => {
    expect(await laterTurn()).toBe(110 + 0.025 * 500_000);
  });

  it('is charged at the price of the site', async () => {
    expect(await laterTurn({ ToolPrices: { 'gpt-4o': { webSearch: 0.1 } } })).toBe(110 + 0.1 * 500_000);
  });

  it('is free where the site gives tools without a price away', async () => {
    expect(await laterTurn({ UnpricedTools: 'free' })).toBe(110);
  });
});
