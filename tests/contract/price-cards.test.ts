import { providers } from '../../server/src/dialects/makers/providers.js';
import { json } from '../support/upstream/replies.js';
import { type LogRow, payloadsOf, type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;
relaySuite((started) => (relay = started));
afterEach(async () => {
  expect(await relay.unexplained()).toEqual([]);
  expect(await relay.replayedDifferently()).toEqual([]);
});

const chatUsage = { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 };
const chatAnswer = (extra: object = {}): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: chatUsage,
  ...extra,
});
const claudeAnswer = (usage: object): object => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'Hello' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage,
});
const geminiAnswer = (usageMetadata: object, candidate: object = {}): object => ({
  candidates: [
    { content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'STOP', index: 0, ...candidate },
  ],
  usageMetadata,
});

/** Calls a model over one of the client dialects, and returns the log row of the call. */
async function call(path: string, model: string, body: object = {}): Promise<LogRow> {
  const { key, userId } = await relay.addToken();
  const { [path]: request = { messages: userMessage('hi') } } = requests;
  const target = path.startsWith('/v1beta') ? `${path}/${model}:generateContent` : path;
  const response = await relay.post(target, key, { model, ...request, ...body });
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
  const [row] = await relay.logsOf(userId, 1);
  if (!row) throw new Error('no log row');
  return row;
}

const requests: Readonly<Record<string, object>> = {
  '/v1/chat/completions': { messages: userMessage('hi') },
  '/v1/messages': { messages: userMessage('hi'), max_tokens: 1000 },
  '/v1/responses': { input: 'hi' },
  '/v1beta/models': { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
};
const dialects = Object.keys(requests);

describe('a fresh site', () => {
  it.each<[provider: string, type: number, model: string, answer: object, quota: number]>([
    // 1,000 and 500 tokens at the provider's list price.
    ['OpenAI', 1, 'gpt-5', chatAnswer(), 3125],
    ['OpenAI', 1, 'gpt-5.5', chatAnswer(), 10_000],
    ['OpenAI', 1, 'gpt-6-sol', chatAnswer(), 3500],
    ['OpenAI', 1, 'o3', chatAnswer(), 3000],
    ['Anthropic', 14, 'claude-sonnet-4-5', claudeAnswer({ input_tokens: 1000, output_tokens: 500 }), 5250],
    ['Anthropic', 14, 'claude-opus-5', claudeAnswer({ input_tokens: 1000, output_tokens: 500 }), 8750],
    ['Anthropic', 14, 'claude-haiku-4-5', claudeAnswer({ input_tokens: 1000, output_tokens: 500 }), 1750],
    ['Google', 24, 'gemini-2.5-pro', geminiAnswer({ promptTokenCount: 1000, candidatesTokenCount: 500 }), 3125],
    ['Google', 24, 'gemini-3.8-flash', geminiAnswer({ promptTokenCount: 1000, candidatesTokenCount: 500 }), 1313],
    ['DeepSeek', 43, 'deepseek-v4-pro', chatAnswer(), 1650],
    ['xAI', 48, 'grok-4.7', chatAnswer(), 2500],
  ])('%s (type %d) calls %s with no price set', async (_provider, type, model, answer, quota) => {
    await relay.addChannel({ type, models: model });
    relay.upstream.script({}, json(answer));
    const row = await call('/v1/chat/completions', model);
    expect(row).toMatchObject({ quota, other: { price_card: model, price_as_of: '2026-11' } });
  });

  it('refuses a model that has no price', async () => {
    await relay.addChannel({ models: 'gpt-99' });
    const { key } = await relay.addToken();
    const response = await relay.post('/v1/chat/completions', key, { model: 'gpt-99', messages: userMessage('hi') });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('model_not_priced');
  });
});

describe('one call of Claude', () => {
  const usage = {
    input_tokens: 10,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 100_000,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 100_000 },
    output_tokens: 100,
  };

  it.each(dialects)('costs the same through %s', async (path) => {
    await relay.addChannel({ type: 14, models: 'claude-sonnet-4-5' });
    relay.upstream.script({}, json(claudeAnswer(usage)));
    const row = await call(path, 'claude-sonnet-4-5');
    expect(row.quota).toBe(300_765);
    expect(row.other['components']).toEqual([
      ['input', 10, 3],
      ['cacheWrite1h', 100_000, 6],
      ['output', 100, 15],
    ]);
  });

  it.each(dialects)('written for five minutes costs less through %s', async (path) => {
    await relay.addChannel({ type: 14, models: 'claude-sonnet-4-5' });
    relay.upstream.script({}, json(claudeAnswer({ ...usage, cache_creation: null })));
    expect(await call(path, 'claude-sonnet-4-5')).toMatchObject({ quota: 188_265 });
  });

  it('priced by the old tables costs twice the prompt for an hour', async () => {
    await relay.addChannel({ type: 14, models: 'claude-sonnet-4-20250514' });
    relay.upstream.script({}, json(claudeAnswer(usage)));
    const row = await call('/v1/messages', 'claude-sonnet-4-20250514');
    expect(row).toMatchObject({ quota: 300_765, other: { cache_creation_1h_tokens: 100_000 } });
  });

  it('pays for searches', async () => {
    await relay.addChannel({ type: 14, models: 'claude-sonnet-4-5' });
    const searched = { input_tokens: 1000, output_tokens: 500, server_tool_use: { web_search_requests: 3 } };
    relay.upstream.script({}, json(claudeAnswer(searched)));
    expect(await call('/v1/messages', 'claude-sonnet-4-5')).toMatchObject({ quota: 20_250 });
  });
});

describe('the tier that answered', () => {
  it.each([
    ['flex', 5000],
    ['priority', 25_000],
    ['default', 10_000],
  ])('%s has its price, whatever was asked for', async (tier, quota) => {
    await relay.addChannel({ models: 'gpt-5.5' });
    relay.upstream.script({}, json(chatAnswer({ service_tier: tier })));
    expect(await call('/v1/chat/completions', 'gpt-5.5', { service_tier: 'auto' })).toMatchObject({ quota });
  });

  it('is read from the last chunk of a stream', async () => {
    await relay.addChannel({ models: 'gpt-5.5' });
    const chunk = (rest: object): string =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', service_tier: 'flex', ...rest })}\n\n`;
    const stream =
      chunk({
        choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: null }],
        usage: null,
      }) +
      chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: null }) +
      chunk({ choices: [], usage: chatUsage }) +
      'data: [DONE]\n\n';
    relay.upstream.script({}, (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(stream);
    });
    const row = await call('/v1/chat/completions', 'gpt-5.5', { stream: true });
    expect(row).toMatchObject({ quota: 5000, other: { price_when: { tier: 'flex' } } });
  });
});

describe('a call of Claude that the provider kept in the US', () => {
  const tokens = { input_tokens: 1000, output_tokens: 500, inference_geo: 'us' };

  it.each(dialects)('costs 1.1 times as much through %s', async (path) => {
    await relay.addChannel({ type: 14, models: 'claude-opus-4-6' });
    relay.upstream.script({}, json(claudeAnswer(tokens)));
    const row = await call(path, 'claude-opus-4-6');
    expect(row).toMatchObject({ quota: 9625, other: { price_when: { region: 'us' } } });
    expect(row.other['admin_info']).toMatchObject({ upstream_cost: 0.01925 });
  });

  it.each<[what: string, card: object, quota: number]>([
    ['the list price', {}, 19_250],
    // 1,000 tokens at 10 and 500 at 20 USD a million, times 3 and 1.2.
    [
      'a card of the operator',
      {
        'claude-opus-5': {
          prices: { input: 10, output: 20 },
          variants: [
            { when: { tier: 'fast' }, factor: 3 },
            { when: { region: 'us' }, factor: 1.2 },
          ],
        },
      },
      36_000,
    ],
    [
      'a card that prices both together',
      {
        'claude-opus-5': {
          prices: { input: 10, output: 20 },
          variants: [{ when: { tier: 'fast', region: 'us' }, factor: 2 }],
        },
      },
      20_000,
    ],
  ])('and in the faster mode costs both factors, by %s', async (_what, PriceCards, quota) => {
    relay.setOptions({ PriceCards } as object);
    await relay.addChannel({ type: 14, models: 'claude-opus-5' });
    relay.upstream.script({}, json(claudeAnswer({ ...tokens, speed: 'fast' })));
    expect(await call('/v1/messages', 'claude-opus-5')).toMatchObject({
      quota,
      other: { price_when: { tier: 'fast', region: 'us' } },
    });
  });
});

describe('a request of Perplexity', () => {
  // 1,000 and 500 tokens at 1 USD a million, and the request.
  it.each([
    ['low', 3250],
    ['medium', 4750],
    ['high', 6750],
  ])('that searches in a context of size %s has its price', async (size, quota) => {
    await relay.addChannel({ type: 27, models: 'sonar' });
    relay.upstream.script({}, json(chatAnswer({ usage: { ...chatUsage, search_context_size: size } })));
    const asked = { web_search_options: { search_context_size: size } };
    const row = await call('/v1/chat/completions', 'sonar', asked);
    expect(row.quota).toBe(quota);
  });

  it('shows its client no tier that is none of the provider’s', async () => {
    await relay.addChannel({ type: 27, models: 'sonar' });
    relay.upstream.script({}, json(chatAnswer({ usage: { ...chatUsage, search_context_size: 'high' } })));
    const { key } = await relay.addToken();
    const body = { model: 'sonar', input: 'hi' };
    const response = await relay.post('/v1/responses', key, body);
    expect(await response.text()).not.toMatch(/search_?size|service_tier":"high/i);
  });
});

const research = { input: 2, output: 8, reasoning: 3, webSearch: 0.005 };

it.each([
  ['by its own name', 'sonar-deep-research', ''],
  ['by a name that a channel maps to it', 'research', '{"research":"sonar-deep-research"}'],
])(
  'a call for research of Perplexity %s is reserved with its searches, and charged for all',
  async (_name, model, mapping) => {
    const usage = {
      prompt_tokens: 9,
      completion_tokens: 400,
      total_tokens: 409,
      citation_tokens: 8000,
      num_search_queries: 50,
      reasoning_tokens: 9000,
    };
    relay.setOptions({ StrictReserve: true, PriceCards: { research: { prices: research } } });
    await relay.addChannel({ type: 27, models: model, mapping });
    relay.upstream.script({}, json(chatAnswer({ usage })));
    const callWith = async (quota: number): Promise<{ readonly status: number; readonly userId: number }> => {
      const userId = await relay.addUser({ quota });
      const { key } = await relay.addToken({ userId });
      const response = await relay.post('/v1/chat/completions', key, { model, messages: userMessage('hi') });
      await response.text();
      return { status: response.status, userId };
    };
    expect((await callWith(140_000)).status).toBe(403);
    const { status, userId } = await callWith(300_000);
    const [row] = await relay.logsOf(userId, 1);
    // 8,009 x $2, 400 x $8 and 9,000 x $3 a million, and 50 searches.
    expect([status, row?.quota, row?.other['uncharged_quota']]).toEqual([200, 148_109, undefined]);
  },
);

it.each([
  ['by its own name', 'gpt-5.6', ''],
  ['by a name that a channel maps to it', 'gpt-5-mine', '{"gpt-5-mine":"gpt-5.6"}'],
])(
  'a call of a model that caches each prompt at a price %s is reserved with that, though the request does not ask for it',
  async (_name, model, mapping) => {
    const usage = {
      prompt_tokens: 4010,
      completion_tokens: 16,
      total_tokens: 4026,
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 4010 },
    };
    relay.setOptions({ PriceCards: { 'gpt-5-mine': { prices: { input: 4, cacheWrite: 5, output: 20 } } } });
    await relay.addChannel({ models: model, mapping });
    relay.upstream.script({}, json(chatAnswer({ usage })));
    const write = async (quota: number): Promise<{ readonly status: number; readonly userId: number }> => {
      const userId = await relay.addUser({ quota });
      const { key } = await relay.addToken({ userId });
      const body = { model, messages: userMessage('word '.repeat(4000)), max_completion_tokens: 16 };
      const response = await relay.post('/v1/chat/completions', key, body);
      await response.text();
      return { status: response.status, userId };
    };
    // 4,010 x $5 and 16 x $20 a million; without the write, 4,010 x $4.
    expect((await write(9500)).status).toBe(403);
    const { status, userId } = await write(12_000);
    const [row] = await relay.logsOf(userId, 1);
    expect([status, row?.quota, row?.other['uncharged_quota']]).toEqual([200, 10_185, undefined]);
  },
);

describe('a prompt that OpenAI keeps for 12 hours', () => {
  const written = {
    cached_tokens: 0,
    cache_write_tokens: 4000,
    cache_write_tokens_details: { ttl_30m_tokens: 1000, ttl_12h_tokens: 3000 },
  };
  const chatReport = { prompt_tokens: 4010, completion_tokens: 16, total_tokens: 4026, prompt_tokens_details: written };
  const ofResponse = { input_tokens: 4010, output_tokens: 16, total_tokens: 4026, input_tokens_details: written };
  const message = { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] };
  const response = { id: 'resp_1', object: 'response', status: 'completed', output: [message], usage: ofResponse };

  it.each<[string, object]>([
    ['/v1/chat/completions', chatAnswer({ usage: chatReport })],
    ['/v1/responses', response],
  ])('costs twice the write for half an hour: %s', async (path, answer) => {
    await relay.addChannel({ models: 'gpt-5.6' });
    relay.upstream.script({}, json(answer));
    const row = await call(path, 'gpt-5.6', { prompt_cache_options: { ttl: '12h' } });
    expect(row.other['components']).toEqual([
      ['input', 10, 4],
      ['cacheWrite', 1000, 5],
      ['cacheWrite1h', 3000, 10],
      ['output', 16, 20],
    ]);
    expect(row.quota).toBe(17_680);
  });

  it.each([
    ['prompt_cache_options', { prompt_cache_options: { ttl: '12h' } }, 403],
    ['prompt_cache_breakpoint', { prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } }, 403],
    ['prompt_cache_options', { prompt_cache_options: { ttl: '30m' } }, 200],
  ])('is reserved with that: %s, %j', async (name, asked, status) => {
    await relay.addChannel({ models: 'gpt-5.6' });
    relay.upstream.script({}, json(chatAnswer()));
    const { key } = await relay.addToken({ userId: await relay.addUser({ quota: 15_000 }) });
    const text = 'word '.repeat(4000);
    const isOfPart = name === 'prompt_cache_breakpoint';
    const messages = [{ role: 'user', content: [{ type: 'text', text, ...(isOfPart ? asked : {}) }] }];
    const body = { model: 'gpt-5.6', messages, max_completion_tokens: 16, ...(isOfPart ? {} : asked) };
    // 4,010 x $10 and 16 x $20 a million; at $5, 10,185.
    expect((await relay.post('/v1/chat/completions', key, body)).status).toBe(status);
  });
});

describe('a call that DeepSeek serves', () => {
  const row = providers.find(({ id }) => id === 43);
  if (!row?.conditionAt) throw new Error('no row');
  const hours = row as Required<Pick<typeof row, 'conditionAt'>>;
  let conditionAt: jest.SpyInstance;
  beforeEach(() => (conditionAt = jest.spyOn(hours, 'conditionAt')));
  afterEach(() => conditionAt.mockRestore());

  it.each<[hours: 'off_peak' | undefined, path: string, report: object, quota: number]>([
    // 1,000 tokens at 1.32 and 500 at 3.96 USD a million.
    [undefined, '/v1/chat/completions', {}, 1650],
    ['off_peak', '/v1/chat/completions', {}, 825],
    ['off_peak', '/v1/responses', {}, 825],
    // Without a usage report the tokens are counted here: 9 of the prompt and 1 of the output.
    ['off_peak', '/v1/chat/completions', { usage: undefined }, 4],
  ])('in the hours %s through %s has its price', async (time, path, report, quota) => {
    conditionAt.mockReturnValue(time && { hours: time });
    await relay.addChannel({ type: 43, models: 'deepseek-v4-pro' });
    relay.upstream.script({}, json(chatAnswer(report)));
    expect(await call(path, 'deepseek-v4-pro')).toMatchObject({ quota });
    expect(conditionAt).toHaveBeenCalledWith(expect.any(Number), expect.stringContaining(relay.upstream.url));
  });
});

describe('an answer that Google Maps grounds', () => {
  const grounded = { groundingMetadata: { groundingChunks: [{ maps: { uri: 'https://maps.example/1' } }] } };
  const tokens = { promptTokenCount: 1000, candidatesTokenCount: 500 };

  it.each([
    // The prompt with a search costs 0.025 USD, and tokens are charged too.
    ['gemini-2.5-flash', 13_275],
    ['gemini-2.5-pro', 15_625],
    // The search costs 0.014 USD.
    ['gemini-3.8-flash', 8313],
  ])('costs what Google bills for it: %s', async (model, quota) => {
    relay.setOptions({ StrictReserve: true });
    await relay.addChannel({ type: 24, models: model });
    const reserved: number[] = [];
    relay.upstream.script({}, async (response, request) => {
      const rows = await relay.sql<{ amount: string }>('SELECT amount FROM reservations');
      reserved.push(...rows.map(({ amount }) => Number(amount)));
      await json(geminiAnswer(tokens, grounded))(response, request);
    });
    const asked = { tools: [{ googleMaps: {} }], generationConfig: { maxOutputTokens: 500 } };
    expect(await call('/v1beta/models', model, asked)).toMatchObject({ quota });
    expect(reserved[0]).toBeGreaterThanOrEqual(quota);
  });
});

it('a long prompt of Gemini has the price of its tier from the first token', async () => {
  await relay.addChannel({ type: 24, models: 'gemini-2.5-pro' });
  for (const [prompt, quota] of [
    [200_000, 130_000],
    [200_001, 257_501],
  ] as const) {
    relay.upstream.script({}, json(geminiAnswer({ promptTokenCount: prompt, candidatesTokenCount: 1000 })));
    expect(await call('/v1beta/models', 'gemini-2.5-pro')).toMatchObject({ quota });
  }
});

it.each(['/v1/chat/completions', '/v1beta/models'])(
  'an image of Gemini costs its image tokens, through %s',
  async (path) => {
    await relay.addChannel({ type: 24, models: 'gemini-2.5-flash-image' });
    const usage = {
      promptTokenCount: 10,
      candidatesTokenCount: 1310,
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1290 }],
    };
    const parts = [{ text: 'Here' }, { inlineData: { mimeType: 'image/png', data: 'aGk=' } }];
    relay.upstream.script({}, json(geminiAnswer(usage, { content: { role: 'model', parts } })));
    expect(await call(path, 'gemini-2.5-flash-image')).toMatchObject({ quota: 19_377 });
  },
);

describe('images that a card prices by the call', () => {
  const prices = { request: 0.04 };

  it.each([
    ['/v1/images/generations', 1],
    ['/v1/images/generations', 4],
    ['/v1/images/edits', 4],
  ])('%s: %d of them cost that many calls, as by a price per call', async (path, n) => {
    relay.setOptions({ PriceCards: { drawer: { prices } }, StrictReserve: true });
    await relay.addChannel({ models: 'drawer', cost: { cards: { drawer: { prices: { image: 0.03 } } } } });
    relay.upstream.script({}, json({ created: 1, data: Array(n).fill({ b64_json: 'aGk=' }) }));
    const send = async (quota: number): Promise<{ readonly status: number; readonly userId: number }> => {
      const userId = await relay.addUser({ quota });
      const { key } = await relay.addToken({ userId });
      const form = new FormData();
      for (const [name, value] of Object.entries({ model: 'drawer', prompt: 'A cat', n }))
        form.set(name, String(value));
      form.set('image', new Blob(['image']), 'cat.png');
      const response = path.endsWith('edits')
        ? await relay.postForm(path, key, form)
        : await relay.post(path, key, { model: 'drawer', prompt: 'A cat', n });
      await response.text();
      return { status: response.status, userId };
    };
    expect((await send(n * 20_000 - 1)).status).toBe(403);
    const { status, userId } = await send(n * 20_000);
    const [row] = await relay.logsOf(userId, 1);
    expect([status, row?.quota]).toEqual([200, n * 20_000]);
    expect(row?.other['admin_info']).toMatchObject({ upstream_cost: n * 0.03 });
  });
});

describe('images that are ordered by fields of a provider', () => {
  const series = (max_images?: number): object => ({
    sequential_image_generation: 'auto',
    ...(max_images ? { sequential_image_generation_options: { max_images } } : {}),
  });

  it.each<[what: string, type: number, body: object, made: number | null, ordered: number, charged: number]>([
    ['a batch', 40, { batch_size: 4 }, null, 4, 4],
    ['a series', 45, series(6), 6, 6, 6],
    ['a series that came to fewer', 45, series(6), 2, 6, 2],
    ['a series of any length', 45, series(), 3, 15, 3],
    ['no series', 45, { sequential_image_generation: 'disabled' }, 1, 1, 1],
    ['more than was ordered', 45, {}, 9, 1, 1],
  ])('cost what is made of them: %s', async (_what, type, body, made, ordered, charged) => {
    for (const options of [{ PriceCards: { drawer: { prices: { image: 0.02 } } } }, { ModelPrice: { drawer: 0.02 } }]) {
      relay.setOptions({ StrictReserve: true, PriceCards: {}, ...options });
      await relay.clearChannels();
      await relay.addChannel({ type, models: 'drawer', cost: { cards: { drawer: { prices: { image: 0.01 } } } } });
      const usage = made === null ? {} : { usage: { generated_images: made, output_tokens: 4096, total_tokens: 4096 } };
      const reserved: number[] = [];
      relay.upstream.script({}, async (response, request) => {
        const rows = await relay.sql<{ amount: string }>('SELECT amount FROM reservations');
        reserved.push(...rows.map(({ amount }) => Number(amount)));
        const images = made === null ? ordered : 1;
        const data = Array.from({ length: images }, () => ({ b64_json: 'aGk=' }));
        await json({ created: 1, data, ...usage })(response, request);
      });
      const row = await call('/v1/images/generations', 'drawer', { prompt: 'A cat', messages: undefined, ...body });
      expect([reserved, row.quota]).toEqual([[ordered * 10_000], charged * 10_000]);
      expect(row.other['admin_info']).toMatchObject({ upstream_cost: charged * 0.01 });
    }
  });

  it.each([{ batch_size: 0 }, { batch_size: 129 }, { batch_size: 1.5 }, series(200), { Batch_Size: 4 }])(
    'are refused where their number is none: %j',
    async (body) => {
      await relay.addChannel({ models: 'dall-e-3' });
      const { key } = await relay.addToken();
      const order = { model: 'dall-e-3', prompt: 'A cat', ...body };
      expect((await relay.post('/v1/images/generations', key, order)).status).toBe(400);
      expect(relay.upstream.requests).toHaveLength(0);
    },
  );
});

it('an image of gpt-image costs the tokens that the provider reports', async () => {
  await relay.addChannel({ models: 'gpt-image-1.5' });
  const usage = {
    total_tokens: 1250,
    input_tokens: 50,
    output_tokens: 1200,
    input_tokens_details: { text_tokens: 50, image_tokens: 0 },
    output_tokens_details: { text_tokens: 200, image_tokens: 1000 },
  };
  relay.upstream.script({}, json({ created: 1, data: [{ b64_json: 'aGk=' }], usage }));
  const row = await call('/v1/images/generations', 'gpt-image-1.5', { prompt: 'A cat', messages: undefined });
  expect(row).toMatchObject({ quota: 17_125, prompt_tokens: 50, completion_tokens: 1200 });
});

it.each([
  ['behind the image', (usage: object, image: string) => ({ created: 1, data: [{ b64_json: image }], usage })],
  ['before the image', (usage: object, image: string) => ({ created: 1, usage, data: [{ b64_json: image }] })],
])('an image that is forwarded while it arrives costs what is reported %s', async (_where, answer) => {
  await relay.addChannel({ models: 'gpt-image-1.5' });
  const usage = {
    total_tokens: 322,
    input_tokens: 50,
    output_tokens: 272,
    input_tokens_details: { text_tokens: 50, image_tokens: 0 },
    output_tokens_details: { text_tokens: 0, image_tokens: 272 },
  };
  relay.upstream.script({}, json(answer(usage, 'A'.repeat(1_500_000))));
  const row = await call('/v1/images/generations', 'gpt-image-1.5', { prompt: 'A cat', messages: undefined });
  // 50 tokens of text at $5 a million, 272 of the image at $32.
  expect(row).toMatchObject({ quota: 4477, prompt_tokens: 50, completion_tokens: 272 });
});

it.each([
  ['a size and a quality', { size: '1024x1536', quality: 'medium', n: 2 }, 2 * 1584],
  ['neither', {}, 4160],
])('an image without a report costs the tokens that OpenAI publishes for %s', async (_what, order, tokens) => {
  await relay.addChannel({ models: 'gpt-image-1.5' });
  const data = Array.from({ length: 'n' in order ? order.n : 1 }, () => ({ b64_json: 'aGk=' }));
  relay.upstream.script({}, json({ created: 1, data }));
  const body = { prompt: 'A cat', messages: undefined, ...order };
  const row = await call('/v1/images/generations', 'gpt-image-1.5', body);
  // Two tokens of text at $5 a million, and images at $32 a million.
  expect(row).toMatchObject({ quota: 5 + tokens * 16, completion_tokens: tokens });
});

it.each([false, true])(
  'images that a tool of Responses draws are charged beside its text (stream: %s)',
  async (stream) => {
    const prices = { input: 2, output: 10, imageInput: 8, imageOutput: 32 };
    relay.setOptions({ PriceCards: { drawer: { prices, source: 'https://a.example', asOf: '2026-11' } } });
    await relay.addChannel({ type: 1, models: 'drawer' });
    const response = {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      status: 'completed',
      model: 'm',
      output: [{ type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'aGk=' }],
      usage: { input_tokens: 1000, output_tokens: 100, total_tokens: 1100 },
      tool_usage: {
        image_gen: {
          input_tokens: 300,
          output_tokens: 1000,
          total_tokens: 1300,
          input_tokens_details: { image_tokens: 200 },
          output_tokens_details: { image_tokens: 1000 },
        },
      },
    };
    const last = { type: 'response.completed', response };
    relay.upstream.script({}, (out) => {
      out.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' });
      out.end(stream ? `event: ${last.type}\ndata: ${JSON.stringify(last)}\n\n` : JSON.stringify(response));
    });
    const row = await call('/v1/responses', 'drawer', { stream, tools: [{ type: 'image_generation' }] });
    // 1,100 x $2, 200 x $8, 100 x $10 and 1,000 x $32 a million.
    expect(row).toMatchObject({ quota: 18_400, prompt_tokens: 1300, completion_tokens: 1100 });
  },
);

describe('images that a tool of Responses draws with another model', () => {
  const tokens = (input: number, image: number, output: number): object => ({
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    input_tokens_details: { image_tokens: image },
    output_tokens_details: { image_tokens: output },
  });
  const drawn = (images: object): object => ({
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'm',
    output: [{ type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'aGk=' }],
    usage: { input_tokens: 1000, output_tokens: 100, total_tokens: 1100 },
    tool_usage: { image_gen: images },
  });
  const tool = { type: 'image_generation' };

  // The image costs 100 x $5, 200 x $8 and 1,056 x $30 a million, in addition to the text.
  it.each<[what: string, model: string, tools: object[], quota: number, imageCard: string]>([
    // 1,000 x $1.25 and 100 x $10.
    ['a card', 'gpt-5', [tool], 18_015, 'gpt-image-2'],
    // 1,000 x $2.5 and 100 x $10.
    ['a ratio', 'gpt-4o', [{ type: 'web_search' }, tool], 18_640, 'gpt-image-2'],
    // 1,056 x $32.
    ['a model that the tool names', 'gpt-5', [{ ...tool, model: 'gpt-image-1.5' }], 19_071, 'gpt-image-1.5'],
    ['a tool that a stored prompt names', 'gpt-5', [], 18_015, 'gpt-image-2'],
    // The image model has no price, so the price of the call applies: 1,100 x $1.25 more, 200 x $1.25 and 1,156 x $10.
    ['a model without a price', 'gpt-5', [{ ...tool, model: 'of-tomorrow' }], 6593, ''],
  ])('cost what that model costs: %s', async (_what, model, tools, quota, imageCard) => {
    for (const stream of [false, true]) {
      await relay.clearChannels();
      await relay.addChannel({ type: 1, models: model });
      const response = drawn(tokens(300, 200, 1056));
      const last = { type: 'response.completed', response };
      relay.upstream.script({}, (out) => {
        out.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' });
        out.end(stream ? `event: ${last.type}\ndata: ${JSON.stringify(last)}\n\n` : JSON.stringify(response));
      });
      const row = await call('/v1/responses', model, { stream, tools });
      expect(row).toMatchObject({ quota, prompt_tokens: 1300, completion_tokens: 1156 });
      const { drawn: note, admin_info: admin } = row.other as Record<string, Record<string, unknown> | undefined>;
      expect(note?.['price_card'] ?? '').toBe(imageCard);
      expect(admin?.['upstream_cost']).toBeCloseTo(quota / 500_000, 5);
    }
  });

  it('cost what the operator sells them for, in groups and as another list price for the cost', async () => {
    const card = { prices: { image: 0.1 }, source: 'https://a.example', asOf: '2026-11' };
    relay.setOptions({ PriceCards: { 'gpt-image-2': card }, GroupRatio: { default: 2 } });
    await relay.addChannel({ type: 1, models: 'gpt-5' });
    relay.upstream.script({}, json(drawn(tokens(300, 200, 1056))));
    const row = await call('/v1/responses', 'gpt-5', { tools: [tool] });
    // Twice $0.00225 and $0.1.
    expect(row).toMatchObject({ quota: 102_250, other: { admin_info: { upstream_cost: 0.03603 } } });
  });

  it.each([
    ['a price per call', { ModelPrice: { drawer: 0.5 } }, 250_000],
    ['a free model', { ModelRatio: { drawer: 0 } }, 0],
  ])('are part of %s', async (_what, options, quota) => {
    relay.setOptions(options);
    await relay.addChannel({ type: 1, models: 'drawer' });
    relay.upstream.script({}, json(drawn(tokens(300, 200, 1056))));
    expect(await call('/v1/responses', 'drawer', { tools: [tool] })).toMatchObject({ quota });
  });

  it('are reserved, and refused where the balance cannot pay for one', async () => {
    relay.setOptions({ StrictReserve: true });
    await relay.addChannel({ type: 1, models: 'gpt-5' });
    relay.upstream.script({}, json(drawn(tokens(300, 200, 1056))));
    // 1,056 x $30 a million are 15,840.
    const body = { model: 'gpt-5', input: 'hi', tools: [{ ...tool, size: '1024x1024', quality: 'medium' }] };
    const send = async (quota: number): Promise<number> => {
      const { key } = await relay.addToken({ userId: await relay.addUser({ quota }) });
      const response = await relay.post('/v1/responses', key, body);
      await response.text();
      return response.status;
    };
    expect(await send(15_800)).toBe(403);
    expect(await send(25_000)).toBe(200);
    expect(relay.upstream.requests).toHaveLength(1);
  });
});

describe('advice that a tool of Anthropic asks another model for', () => {
  /** Returns the usage of an executor that reads 2,100 tokens, 400 of them from the cache, and writes 500. */
  const rounds = (model?: string): object => ({
    input_tokens: 1700,
    cache_read_input_tokens: 400,
    cache_creation_input_tokens: 0,
    output_tokens: 500,
    iterations: [
      { type: 'message', input_tokens: 400, output_tokens: 100 },
      { type: 'advisor_message', ...(model ? { model } : {}), input_tokens: 800, output_tokens: 1600 },
      { type: 'message', input_tokens: 1300, cache_read_input_tokens: 400, output_tokens: 400 },
    ],
  });
  const advisor = (model: string): object => ({ type: 'advisor_20260301', name: 'advisor', model });
  const opus = 'claude-opus-4-6';

  function answer(usage: object, stream: boolean): void {
    const { usage: _usage, ...message } = claudeAnswer(usage) as { usage: object };
    const events: ReadonlyArray<{ type: string; [field: string]: unknown }> = [
      { type: 'message_start', message: { ...message, content: [], usage: { input_tokens: 400 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
      { type: 'message_stop' },
    ];
    relay.upstream.script({}, (out) => {
      out.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' });
      const lines = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      out.end(stream ? lines.join('') : JSON.stringify({ ...message, usage }));
    });
  }

  it.each<[what: string, model: string, tools: object[], reported: string | undefined, quota: number, card: string]>([
    // 1,700 x $1, 400 x $0.1 and 500 x $5; 800 x $5 and 1,600 x $25 a million for the advice.
    ['of the tool', 'claude-haiku-4-5', [advisor(opus)], undefined, 24_120, opus],
    ['of the report', 'claude-haiku-4-5', [], opus, 24_120, opus],
    // The ratios give 1,700 x $1.5, 400 x $0.15 and 500 x $7.5.
    ['beside a ratio', 'by-ratio', [advisor(opus)], opus, 25_180, opus],
    // The adviser has no price, so the price of the call applies: 800 x $1 and 1,600 x $5 more.
    ['without a price', 'claude-haiku-4-5', [advisor('of-tomorrow')], undefined, 6520, ''],
  ])('costs what that model costs: a model %s', async (_what, model, tools, reported, quota, card) => {
    relay.setOptions({
      ModelRatio: { 'by-ratio': 0.75 },
      CompletionRatio: { 'by-ratio': 5 },
      CacheRatio: { 'by-ratio': 0.1 },
    });
    for (const stream of [false, true]) {
      await relay.clearChannels();
      await relay.addChannel({ type: 14, models: model });
      answer(rounds(reported), stream);
      const row = await call('/v1/messages', model, { stream, tools });
      expect(row).toMatchObject({ quota, prompt_tokens: 2900, completion_tokens: 2100 });
      const { advised } = row.other as { advised?: { price_card: string } };
      expect(advised?.price_card ?? '').toBe(card);
    }
  });

  it('is priced where a turn defines the tool', async () => {
    await relay.addChannel({ type: 14, models: 'claude-haiku-4-5' });
    answer(rounds(undefined), false);
    const addition = { type: 'tool_addition', tool: { type: 'tool_definition', definition: advisor(opus) } };
    const messages = [...userMessage('hi'), { role: 'system', content: [addition] }];
    expect(await call('/v1/messages', 'claude-haiku-4-5', { messages })).toMatchObject({ quota: 24_120 });
  });

  it('has the cost of its model, and the price that the operator set for it', async () => {
    const card = { prices: { input: 10, output: 50 }, source: 'https://a.example', asOf: '2026-11' };
    relay.setOptions({ PriceCards: { [opus]: card }, GroupRatio: { default: 2 } });
    await relay.addChannel({ type: 14, models: 'claude-haiku-4-5' });
    answer(rounds(opus), false);
    const row = await call('/v1/messages', 'claude-haiku-4-5', { tools: [advisor(opus)] });
    // Twice $0.00424 and $0.088; the cost is $0.00424 and $0.044.
    expect(row.quota).toBe(92_240);
    const { admin_info: admin } = row.other as { admin_info: { upstream_cost: number } };
    expect(admin.upstream_cost).toBeCloseTo(0.04824, 6);
  });

  it.each([
    ['a price per call', { ModelPrice: { executor: 0.5 } }, 250_000],
    ['a free model', { ModelRatio: { executor: 0 } }, 0],
  ])('is part of %s', async (_what, options, quota) => {
    relay.setOptions(options);
    await relay.addChannel({ type: 14, models: 'executor' });
    answer(rounds(opus), false);
    expect(await call('/v1/messages', 'executor', { tools: [advisor(opus)] })).toMatchObject({ quota });
  });

  it('is reserved once, and more of it is charged as far as the balance has it', async () => {
    relay.setOptions({ StrictReserve: true });
    await relay.addChannel({ type: 14, models: 'claude-haiku-4-5' });
    answer(rounds(opus), false);
    const send = async (quota: number): Promise<[status: number, left: number]> => {
      const userId = await relay.addUser({ quota });
      const { key } = await relay.addToken({ userId });
      const tools = [{ ...advisor(opus), max_tokens: 1024 }];
      const body = { model: 'claude-haiku-4-5', messages: userMessage('hi'), max_tokens: 100, tools };
      const response = await relay.post('/v1/messages', key, body);
      await response.text();
      return [response.status, (await relay.balance(userId)).quota];
    };
    // 1,024 x $25 a million are 12,800.
    expect(await send(12_800)).toEqual([403, 12_800]);
    expect(await send(15_000)).toEqual([200, 0]);
    expect(await send(100_000)).toEqual([200, 100_000 - 24_120]);
    expect(relay.upstream.requests).toHaveLength(2);
  });
});

describe('thoughts that Google’s OpenAI-compatible API counts in the total alone', () => {
  const usage = { prompt_tokens: 20, completion_tokens: 424, total_tokens: 1016 };
  const thought = { prompt_tokens: 20, completion_tokens: 996 };

  it.each([
    ['/v1/chat/completions', false, 'gemini-3.8-flash', thought],
    ['/v1/chat/completions', true, 'models/gemini-3.8-flash', thought],
    ['/v1/messages', false, 'google/gemini-3.8-flash', thought],
    ['/v1/messages', true, 'gemini-3.8-flash', thought],
    ['/v1/chat/completions', false, 'other', { prompt_tokens: 20, completion_tokens: 424 }],
  ])('are charged through %s (stream: %s) where the model is %s', async (path, stream, model, counts) => {
    await relay.addChannel({ type: 1, models: 'gemini-3.8-flash' });
    const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model };
    const said = { ...chunk, choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: 'stop' }] };
    relay.upstream.script({}, (response) => {
      response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' });
      const events = [said, { ...chunk, choices: [], usage }].map((event) => `data: ${JSON.stringify(event)}\n\n`);
      response.end(stream ? `${events.join('')}data: [DONE]\n\n` : JSON.stringify(chatAnswer({ usage, model })));
    });
    expect(await call(path, 'gemini-3.8-flash', { stream })).toMatchObject(counts);
  });
});

describe('tools of xAI', () => {
  const tools = { web_search_calls: 3, x_search_calls: 2, code_interpreter_calls: 1, file_search_calls: 2 };

  it('are paid by the call, by the counts of the provider', async () => {
    await relay.addChannel({ type: 48, models: 'grok-4.7' });
    const usage = { ...chatUsage, server_side_tool_usage_details: tools };
    relay.upstream.script({}, json(chatAnswer({ usage })));
    const row = await call('/v1/chat/completions', 'grok-4.7');
    // Tokens cost $0.005, five searches $0.005 each, one execution $0.005, and two file searches $0.0025 each.
    expect(row).toMatchObject({ quota: 20_000 });
    expect(row.other['components']).toEqual([
      ...[['input', 1000, 2] as const, ['output', 500, 6] as const],
      ...[['webSearch', 5, 0.005] as const, ['fileSearch', 2, 0.0025] as const, ['codeExecution', 1, 0.005] as const],
    ]);
  });

  it('are not counted a second time by the items of a response', async () => {
    await relay.addChannel({ type: 48, models: 'grok-4.7' });
    const item = { type: 'code_interpreter_call', status: 'completed', container_id: 'c', code: '1', outputs: [] };
    const message = { type: 'message', role: 'assistant', status: 'completed', id: 'm' };
    relay.upstream.script(
      {},
      json({
        id: 'resp_1',
        object: 'response',
        created_at: 1,
        status: 'completed',
        model: 'm',
        output: [
          { ...item, id: 'i1' },
          { ...item, id: 'i2' },
          { ...message, content: [{ type: 'output_text', text: 'Hello', annotations: [] }] },
        ],
        usage: {
          input_tokens: 1000,
          output_tokens: 500,
          total_tokens: 1500,
          server_side_tool_usage_details: { code_interpreter_calls: 2 },
        },
      }),
    );
    // Tokens cost $0.005, and each of two executions is charged. Containers of OpenAI would be charged once.
    expect(await call('/v1/responses', 'grok-4.7')).toMatchObject({ quota: 7500 });
  });
});

describe('the tier of Gemini', () => {
  const usage = { promptTokenCount: 1000, candidatesTokenCount: 500 };

  // 1,000 x $0.75 + 500 x $3.75 = $0.002625; flex half of it, priority 1.8 times.
  it.each<[what: string, path: string, asked: string, body: object, header: string | null, quota: number]>([
    ['in the header', '/v1beta/models', 'flex', {}, 'flex', 656],
    ['in the header, in capitals', '/v1beta/models', 'priority', {}, 'PRIORITY', 2363],
    ['in the header, translated', '/v1/chat/completions', 'flex', {}, 'flex', 656],
    ['not served', '/v1beta/models', 'priority', {}, 'standard', 1313],
    ['not named', '/v1beta/models', 'priority', {}, null, 1313],
    ['in the body', '/v1beta/models', 'flex', { serviceTier: 'SERVICE_TIER_FLEX' }, null, 656],
    ['in the body of Vertex AI', '/v1beta/models', 'flex', { trafficType: 'ON_DEMAND_FLEX' }, null, 656],
    ['in both', '/v1beta/models', 'priority', { serviceTier: 'flex' }, 'priority', 656],
  ])('%s, through %s', async (_what, path, asked, body, header, quota) => {
    await relay.addChannel({ type: 24, models: 'gemini-3.8-flash' });
    const headers: Record<string, string> = header === null ? {} : { 'x-gemini-service-tier': header };
    relay.upstream.script({}, json(geminiAnswer({ ...usage, ...body }), 200, headers));
    const order = path.startsWith('/v1beta') ? { serviceTier: asked } : { service_tier: asked };
    const row = await call(path, 'gemini-3.8-flash', order);
    expect(row).toMatchObject({ quota });
    if (quota !== 1313) expect(row.other['price_when']).toEqual({ tier: quota === 2363 ? 'priority' : 'flex' });
  });

  it('is read from the header of a stream', async () => {
    await relay.addChannel({ type: 24, models: 'gemini-3.8-flash' });
    relay.upstream.script({}, (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-gemini-service-tier': 'flex' });
      response.end(`data: ${JSON.stringify(geminiAnswer(usage))}\n\n`);
    });
    const row = await call('/v1/chat/completions', 'gemini-3.8-flash', { stream: true });
    expect(row).toMatchObject({ quota: 656, other: { price_when: { tier: 'flex' } } });
  });
});

describe('speech of a model that counts tokens', () => {
  const say = (input: string, more: object = {}): Promise<LogRow> =>
    call('/v1/audio/speech', 'gpt-4o-mini-tts', { input, voice: 'alloy', messages: undefined, ...more });

  it('costs the tokens that its events report', async () => {
    await relay.addChannel({ models: 'gpt-4o-mini-tts' });
    const usage = { input_tokens: 14, output_tokens: 101, total_tokens: 115 };
    relay.upstream.script({}, (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify({ type: 'speech.audio.delta', audio: 'aGk=' })}\n\n`);
      response.end(`data: ${JSON.stringify({ type: 'speech.audio.done', usage })}\n\n`);
    });
    // 14 x $0.6 + 101 x $12 = 1,220.4 millionths of a USD.
    const row = await say('Hello', { stream_format: 'sse' });
    expect(row).toMatchObject({ quota: 610, prompt_tokens: 14, completion_tokens: 101 });
    expect(row.other['components']).toEqual([
      ['input', 14, 0.6],
      ['audioOutput', 101, 12],
    ]);
  });

  it.each([
    // 11 characters are 14 tokens of audio: 2 x $0.6 + 14 x $12.
    ['hello world', 2, 14, 85],
    // Four ideographs are 20 tokens of audio.
    ['你好世界', 2, 20, 121],
  ])('as plain audio costs what its text takes to say: %s', async (input, prompt, audio, quota) => {
    await relay.addChannel({ models: 'gpt-4o-mini-tts' });
    relay.upstream.script({}, (response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(Buffer.alloc(2000, 1));
    });
    expect(await say(input)).toMatchObject({ quota, prompt_tokens: prompt, completion_tokens: audio });
  });
});

it.each(['0.5', 0, -1, 5e-324, 0.05, [0.5], true])('speech refuses the speed %j', async (speed) => {
  await relay.addChannel({ models: 'gpt-4o-mini-tts' });
  const { key } = await relay.addToken();
  const body = { model: 'gpt-4o-mini-tts', input: 'hi', voice: 'alloy', speed };
  const response = await relay.post('/v1/audio/speech', key, body);
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('speed')]);
  expect(relay.upstream.requests).toHaveLength(0);
});

it('an image of gpt-image that arrives as events costs what the last one reports', async () => {
  await relay.addChannel({ models: 'gpt-image-1.5' });
  const usage = {
    total_tokens: 1250,
    input_tokens: 50,
    output_tokens: 1200,
    input_tokens_details: { text_tokens: 50, image_tokens: 0 },
    output_tokens_details: { text_tokens: 200, image_tokens: 1000 },
  };
  relay.upstream.script({}, (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify({ type: 'image_generation.partial_image', b64_json: 'aGk=' })}\n\n`);
    response.end(`data: ${JSON.stringify({ type: 'image_generation.completed', b64_json: 'aGk=', usage })}\n\n`);
  });
  const order = { prompt: 'A cat', messages: undefined, stream: true };
  expect(await call('/v1/images/generations', 'gpt-image-1.5', order)).toMatchObject({
    quota: 17_125,
    prompt_tokens: 50,
    completion_tokens: 1200,
  });
});

it.each(['/v1/images/generations', '/v1/images/edits'])(
  'several images that arrive as events cost what all of their events report (%s)',
  async (path) => {
    await relay.addChannel({ models: 'gpt-image-1.5' });
    const usage = (image: number): object => ({
      total_tokens: 50 + image,
      input_tokens: 50,
      output_tokens: image,
      input_tokens_details: { text_tokens: 20, image_tokens: 30 },
    });
    relay.upstream.script({}, (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const image of [1000, 2000]) {
        const event = { type: 'image_generation.completed', b64_json: 'aGk=', usage: usage(image) };
        response.write(`data: ${JSON.stringify(event)}\n\n`);
      }
      response.end();
    });
    const { key, userId } = await relay.addToken();
    const order = { model: 'gpt-image-1.5', prompt: 'A cat', n: 2, stream: true };
    const form = new FormData();
    for (const [name, value] of Object.entries(order)) form.set(name, String(value));
    form.set('image', new Blob(['image']), 'cat.png');
    const response = path.endsWith('edits')
      ? await relay.postForm(path, key, form)
      : await relay.post(path, key, order);
    expect([response.status, payloadsOf(await response.text()).length]).toEqual([200, 2]);
    const [row] = await relay.logsOf(userId, 1);
    // 40 x $5, 60 x $8 and 3,000 x $32 a million.
    expect(row).toMatchObject({ quota: 48_340, prompt_tokens: 100, completion_tokens: 3000 });
  },
);

it.each([
  ['a card', { PriceCards: { own: { prices: { input: 1, output: 1000 } } } }],
  ['a ratio', { ModelRatio: { own: 0.5 }, CompletionRatio: { own: 1000 } }],
])('embeddings reserve no output, which they never cost: by %s', async (_name, prices) => {
  relay.setOptions({ StrictReserve: true, ...prices });
  await relay.addChannel({ models: 'own' });
  const usage = { prompt_tokens: 10, total_tokens: 10 };
  relay.upstream.script({}, json({ object: 'list', data: [{ object: 'embedding', index: 0, embedding: [1] }], usage }));
  const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota: 1000 }) });
  const response = await relay.post('/v1/embeddings', key, { model: 'own', input: 'hi' });
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
  expect(await relay.logsOf(userId, 1)).toMatchObject([{ quota: 5 }]);
});

it('embeddings are not charged for a billion images that their provider reports', async () => {
  relay.setOptions({ PriceCards: { own: { prices: { input: 1, image: 0.001 } } } });
  await relay.addChannel({ models: 'own' });
  const usage = { input_tokens: 5, output_tokens: 0, generated_images: 1e9 };
  relay.upstream.script({}, json({ object: 'list', data: [{ object: 'embedding', index: 0, embedding: [1] }], usage }));
  const row = await call('/v1/embeddings', 'own', { input: 'hi', messages: undefined });
  expect(row.quota).toBe(500_003);
  expect(row.other['admin_info']).toHaveProperty('reported_usage');
});

describe('a rerank call that is priced by the search', () => {
  const rank = async (documents: number, meta: object, quota = 1_000_000): Promise<LogRow> => {
    relay.setOptions({ StrictReserve: true });
    await relay.addChannel({ type: 34, models: 'rerank-v3.5' });
    relay.upstream.script({}, json({ id: 'r', results: [{ index: 0, relevance_score: 1 }], meta }));
    const userId = await relay.addUser({ quota });
    const { key } = await relay.addToken({ userId });
    const body = { model: 'rerank-v3.5', query: 'q', documents: Array(documents).fill('a'), top_n: 1 };
    const response = await relay.post('/v1/rerank', key, body);
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    await response.text();
    const [row] = await relay.logsOf(userId, 1);
    if (!row) throw new Error('no row');
    return row;
  };

  // $0.002 for a query with up to 100 documents.
  it.each<[what: string, documents: number, meta: object, quota: number]>([
    ['one unit', 2, { billed_units: { search_units: 1 } }, 1000],
    ['units of 100 documents', 250, { billed_units: { search_units: 3 } }, 3000],
    [
      'long documents, which count more often',
      2,
      { billed_units: { search_units: 4 }, tokens: { input_tokens: 9 } },
      4000,
    ],
    ['no report', 250, {}, 1000],
    ['units that no call has', 2, { billed_units: { search_units: 1e9 } }, 1_000_000],
  ])('costs what the provider bills: %s', async (_what, documents, meta, quota) => {
    expect(await rank(documents, meta, 2_000_000)).toMatchObject({ quota });
  });

  it('reserves its units', async () => {
    await expect(rank(250, { billed_units: { search_units: 3 } }, 2999)).rejects.toThrow('403');
    expect(await rank(250, { billed_units: { search_units: 3 } }, 3000)).toMatchObject({ quota: 3000 });
  });
});

describe('which price counts', () => {
  const usd = { prices: { input: 1, output: 2 } };

  it.each<[what: string, options: object, quota: number]>([
    ['the old tables', {}, 3750],
    ['a card of the operator for the model', { PriceCards: { 'gpt-4o': usd } }, 1000],
    ['the old tables before a card by prefix', { PriceCards: { 'gpt-*': usd } }, 3750],
    [
      'the list price, where the operator chose it',
      { PriceCards: { 'gpt-4o': 'built-in' }, ModelRatio: { 'gpt-4o': 9 } },
      3750,
    ],
    ['what the operator typed in the old tables', { ModelRatio: { 'gpt-4o': 2.5 } }, 7500],
  ])('%s', async (_what, options, quota) => {
    relay.setOptions(options);
    await relay.addChannel({ models: 'gpt-4o' });
    relay.upstream.script({}, json(chatAnswer()));
    expect(await call('/v1/chat/completions', 'gpt-4o')).toMatchObject({ quota });
  });

  it('a card by prefix comes before the list price, and the longest prefix first', async () => {
    relay.setOptions({ PriceCards: { 'gpt-*': usd, 'gpt-5*': { prices: { input: 2, output: 4 } } } });
    await relay.addChannel({ models: 'gpt-5' });
    relay.upstream.script({}, json(chatAnswer()));
    expect(await call('/v1/chat/completions', 'gpt-5')).toMatchObject({ quota: 2000, other: { price_card: 'gpt-5*' } });
  });

  it('a group ratio applies to cards, and names of thinking levels share the price', async () => {
    relay.setOptions({ GroupRatio: { default: 0.5 } });
    await relay.addChannel({ models: 'gpt-5-high' });
    relay.upstream.script({}, json(chatAnswer()));
    expect(await call('/v1/chat/completions', 'gpt-5-high')).toMatchObject({ quota: 1563 });
  });
});

describe('a card that prices nothing of the call', () => {
  const chatBody = { messages: userMessage('hi') };

  it.each<[path: string, prices: object, body: object]>([
    ['/v1/chat/completions', { image: 0.04 }, chatBody],
    ['/v1/chat/completions', { second: 0.001 }, chatBody],
    ['/v1/messages', { character: 0.001 }, { ...chatBody, max_tokens: 9 }],
    ['/v1/responses', { webSearch: 0.01 }, { input: 'hi' }],
    ['/v1/embeddings', { output: 3 }, { input: 'hi' }],
    ['/v1/images/generations', { second: 0.1 }, { prompt: 'A cat' }],
    ['/v1/audio/speech', { second: 0.001 }, { input: 'hi', voice: 'alloy' }],
  ])('is no price for it: %s by %j', async (path, prices, body) => {
    relay.setOptions({ PriceCards: { own: { prices } } });
    await relay.addChannel({ models: 'own' });
    const { key } = await relay.addToken();
    const response = await relay.post(path, key, { model: 'own', ...body });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('no price for calls of')]);
    expect(relay.upstream.requests).toHaveLength(0);
  });

  it('is none for a transcription', async () => {
    relay.setOptions({ PriceCards: { own: { prices: { character: 0.001 } } } });
    await relay.addChannel({ models: 'own' });
    const { key } = await relay.addToken();
    const form = new FormData();
    form.set('model', 'own');
    form.set('file', new Blob(['sound']), 'a.mp3');
    const response = await relay.postForm('/v1/audio/transcriptions', key, form);
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('model_not_priced')]);
  });

  it('does not stop a free one', async () => {
    relay.setOptions({ PriceCards: { own: { prices: { image: 0 } } } });
    await relay.addChannel({ models: 'own' });
    relay.upstream.script({}, json(chatAnswer()));
    expect(await call('/v1/chat/completions', 'own')).toMatchObject({ quota: 0 });
  });
});

it('images whose tokens have a price cost them, and a request once', async () => {
  relay.setOptions({ PriceCards: { drawer: { prices: { imageOutput: 30, request: 0.01 } } } });
  await relay.addChannel({ models: 'drawer' });
  relay.upstream.script({}, json({ created: 1, data: [{ b64_json: 'aGk=' }, { b64_json: 'aGk=' }] }));
  const row = await call('/v1/images/generations', 'drawer', { prompt: 'A cat', n: 2, messages: undefined });
  expect(row).toMatchObject({ quota: 2 * 4160 * 15 + 5000 });
});

describe('the reservation of a call priced by a card', () => {
  const usage = {
    input_tokens: 20,
    cache_creation_input_tokens: 3000,
    cache_creation: { ephemeral_1h_input_tokens: 3000 },
    output_tokens: 1000,
    server_tool_use: { web_search_requests: 4 },
    service_tier: 'batch',
  };

  it.each([
    [
      'a prompt written for an hour, and searches',
      'claude-sonnet-4-5',
      { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 4 }] },
    ],
    ['a tier that costs more', 'claude-opus-5', { speed: 'fast' }],
  ])('covers %s', async (_what, model, body) => {
    relay.setOptions({ StrictReserve: true });
    await relay.addChannel({ type: 14, models: model });
    const reserved: number[] = [];
    const reported =
      'speed' in body ? { ...usage, server_tool_use: null, speed: 'fast' } : { ...usage, service_tier: null };
    relay.upstream.script({}, async (response, request) => {
      const rows = await relay.sql<{ amount: string }>('SELECT amount FROM reservations');
      reserved.push(...rows.map(({ amount }) => Number(amount)));
      await json(claudeAnswer(reported))(response, request);
    });
    const content = [{ type: 'text', text: 'hi '.repeat(4000), cache_control: { type: 'ephemeral', ttl: '1h' } }];
    const row = await call('/v1/messages', model, { messages: [{ role: 'user', content }], ...body });
    expect(row.quota).toBeGreaterThan(0);
    expect(reserved).toHaveLength(1);
    expect(reserved[0]).toBeGreaterThanOrEqual(row.quota);
    expect(row.other['admin_info']).not.toHaveProperty('reported_usage');
  });

  it.each<[what: string, body: object]>([
    ['prompt', { input: 'hi', prompt: { id: 'pmpt_1' } }],
    [
      'item',
      {
        input: [
          { type: 'item_reference', id: 'msg_1' },
          { role: 'user', content: 'hi' },
        ],
      },
    ],
  ])('counts on texts of a %s that the provider stores', async (_what, asked) => {
    relay.setOptions({ StrictReserve: true });
    const userId = await relay.addUser({ quota: 20_000 });
    // Calls with ids that this site did not issue go to the user's own account.
    await relay.addChannel({ models: 'gpt-5', ownerId: userId });
    const usage = { input_tokens: 50_000, output_tokens: 100, total_tokens: 50_100 };
    const message = { type: 'message', role: 'assistant', status: 'completed', id: 'm' };
    const output = [{ ...message, content: [{ type: 'output_text', text: 'Hello', annotations: [] }] }];
    const response = {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      status: 'completed',
      model: 'm',
      output,
      usage,
    };
    relay.upstream.script({}, json(response));
    const { key } = await relay.addToken({ userId });
    const body = { model: 'gpt-5', max_output_tokens: 500, ...asked };
    await (await relay.post('/v1/responses', key, body)).text();
    const [row] = await relay.logsOf(userId, 1);
    // The charge is 50,000 tokens at 1.25 and 100 at 10 USD a million, whatever the balance is, because the customer chose
    // the prompt.
    expect([row?.quota, row?.other['uncharged_quota']]).toEqual([31_750, undefined]);
  });

  it('takes what a small balance has, and shortens the answer', async () => {
    relay.setOptions({ StrictReserve: true });
    await relay.addChannel({ models: 'gpt-5.5' });
    // The balance pays for 1,000 output tokens and a short prompt.
    const userId = await relay.addUser({ quota: 15_500 });
    const { key } = await relay.addToken({ userId });
    relay.upstream.script(
      {},
      json(chatAnswer({ usage: { prompt_tokens: 8, completion_tokens: 900, total_tokens: 908 } })),
    );
    const response = await relay.post('/v1/chat/completions', key, { model: 'gpt-5.5', messages: userMessage('hi') });
    expect(response.status).toBe(200);
    await response.text();
    const [row] = await relay.logsOf(userId, 1);
    expect(row?.quota).toBe(13_520);
    expect(row?.other['output_limited_by_balance']).toBeLessThanOrEqual(1033);
    const sent = relay.upstream.requests[0]?.body as Record<string, number> | undefined;
    expect(sent?.['max_completion_tokens'] ?? sent?.['max_tokens']).toBeLessThanOrEqual(1033);
    expect((await relay.balance(userId)).quota).toBe(1980);
  });

  describe.each<[what: string, path: string, model: string, order: object, tokens: number, price: number]>([
    ['an image', '/v1/images/generations', 'gpt-image-1.5', { prompt: 'A cat' }, 4160, 16],
    ['images', '/v1/images/generations', 'gpt-image-1.5', { prompt: 'A cat', quality: 'low', n: 3 }, 816, 16],
    ['speech', '/v1/audio/speech', 'gpt-4o-mini-tts', { input: 'hello '.repeat(600), voice: 'alloy' }, 4500, 6],
    [
      'slow speech',
      '/v1/audio/speech',
      'gpt-4o-mini-tts',
      { input: 'hello '.repeat(600), voice: 'alloy', speed: 0.25 },
      18_000,
      6,
    ],
  ])('of %s, whose size the request determines,', (_what, path, model, order, tokens, price) => {
    const send = async (quota: number): Promise<Response & { readonly userId: number }> => {
      relay.setOptions({ StrictReserve: true });
      await relay.addChannel({ models: model });
      relay.upstream.script({}, (response) => {
        const isImage = path.includes('images');
        response.writeHead(200, { 'content-type': isImage ? 'application/json' : 'audio/mpeg' });
        const { n = 1 } = order as { readonly n?: number };
        const data = Array.from({ length: n }, () => ({ b64_json: 'aGk=' }));
        response.end(isImage ? JSON.stringify({ created: 1, data }) : 'sound');
      });
      const userId = await relay.addUser({ quota });
      const { key } = await relay.addToken({ userId });
      return Object.assign(await relay.post(path, key, { model, ...order }), { userId });
    };

    it('is refused where the balance has less', async () => {
      const response = await send(tokens * price - 1);
      expect([response.status, await response.text()]).toEqual([403, expect.stringContaining('quota is not enough')]);
      expect(relay.upstream.requests).toEqual([]);
    });

    it('is made and charged in full where the balance has it', async () => {
      const { status, userId } = await send(tokens * price + 5000);
      expect(status).toBe(200);
      const [row] = await relay.logsOf(userId, 1);
      expect(row?.quota).toBeGreaterThanOrEqual(tokens * price);
      expect(Object.keys(row?.other ?? {})).not.toContain('uncharged_quota');
      expect(Object.keys(row?.other ?? {})).not.toContain('output_limited_by_balance');
    });
  });
});
