/** Parallel calls, on two nodes, never spend more than a balance holds. */
import { RelayHarness, payloadsOf, userMessage } from '../contract/relay-harness.js';
import { says } from '../support/upstream/families.js';
import { chat, events, json } from '../support/upstream/replies.js';
import type { Reply } from '../support/upstream/upstream.js';
import { sampled } from '../support/suite.js';

let first: RelayHarness;
let second: RelayHarness;
beforeAll(async () => {
  first = await RelayHarness.start();
  second = await RelayHarness.start({ beside: first });
});
afterAll(async () => {
  await second.stop();
  await first.stop();
});
beforeEach(async () => {
  first.upstream.reset();
  // The threshold is above every balance, so that each charge reports the balance that it left.
  for (const node of [first, second]) node.setOptions({ QuotaRemindThreshold: 1_000_000_000 });
  await first.clearChannels();
  await second.changed({ kind: 'channel' });
});
afterEach(async () => {
  await Promise.all([first.idle(), second.idle()]);
  expect(await first.openReservations()).toBe(0);
  expect(await first.drift()).toEqual([]);
  expect(await first.unexplained()).toEqual([]);
});

const dollar = 500_000;
const cent = 5000;

interface Way {
  readonly name: string;
  readonly type: number;
  readonly model: string;
  path(stream: boolean): string;
  body(text: string, stream: boolean): Record<string, unknown>;
  /** Returns the output limit of a request as the provider gets it. */
  limit(body: Record<string, unknown>): unknown;
}

const gpt = 'gpt-4o';
const claude = 'claude-sonnet-4-20250514';
const gemini = 'gemini-2.0-flash';
const ways: readonly Way[] = [
  {
    name: 'chat',
    type: 1,
    model: gpt,
    path: () => '/v1/chat/completions',
    body: (text, stream) => ({ model: gpt, messages: userMessage(text), stream }),
    limit: (body) => body['max_tokens'],
  },
  {
    name: 'Responses',
    type: 1,
    model: gpt,
    path: () => '/v1/responses',
    body: (input, stream) => ({ model: gpt, input, stream }),
    limit: (body) => body['max_output_tokens'],
  },
  {
    name: 'Messages',
    type: 14,
    model: claude,
    path: () => '/v1/messages',
    body: (text, stream) => ({ model: claude, messages: userMessage(text), stream }),
    limit: (body) => body['max_tokens'],
  },
  {
    name: 'Gemini',
    type: 24,
    model: gemini,
    path: (stream) => `/v1beta/models/${gemini}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: (text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
    limit: (body) => (body['generationConfig'] as Record<string, unknown> | undefined)?.['maxOutputTokens'],
  },
];
const cases = ways.flatMap((way) =>
  [false, true].map((stream) => [`${way.name}, streamed: ${stream}`, way, stream] as const),
);

/** Starts all calls together, one half on each node. @returns the statuses, and the lowest balance after any charge */
async function storm(
  way: Way,
  stream: boolean,
  { quota, calls, text }: { quota: number; calls: number; text: string },
): Promise<{ statuses: number[]; lowest: number }> {
  const id = await first.addChannel({ type: way.type, models: way.model });
  await second.changed({ kind: 'channel', id });
  const { key, userId } = await first.addToken({ userId: await first.addUser({ quota }) });
  const before = [first.lowBalances.length, second.lowBalances.length] as const;
  const statuses = await Promise.all(
    Array.from({ length: calls }, async (_, index) => {
      const node = index % 2 === 0 ? first : second;
      const response = await node.post(way.path(stream), key, way.body(text, stream));
      await response.text();
      return response.status;
    }),
  );
  await Promise.all([first.idle(), second.idle()]);
  const left = [...first.lowBalances.slice(before[0]), ...second.lowBalances.slice(before[1])].map((low) => low.left);
  const end = (await first.balance(userId)).quota;
  return { statuses, lowest: Math.min(end, ...left) };
}

const answers = says({ text: 'Hello there', promptTokens: 100_000, completionTokens: 8000 });

describe.each(sampled(cases, 3))('%s', (_name, way, stream) => {
  it.each([
    ['400 calls on one dollar', dollar, 400],
    ['200 calls on one cent', cent, 200],
  ])('%s, each reported to have used 100,000 and 8,000 tokens', async (_case, quota, calls) => {
    first.upstream.script({}, answers);
    const { statuses, lowest } = await storm(way, stream, { quota, calls, text: 'hi' });
    expect(lowest).toBeGreaterThanOrEqual(0);
    expect(statuses).toContain(200);
    expect(statuses).toContain(403);
  });
});

// The prompt has 100,000 tokens.
const longPrompt = ' a'.repeat(100_000);

it.each([
  ['400 calls on one dollar', dollar, 400, [200, 403]],
  ['200 calls on one cent', cent, 200, [403]],
])('prompts of 100,000 tokens: %s', async (_name, quota, calls, expected) => {
  const [way] = ways;
  if (!way) throw new Error('no way');
  first.upstream.script({}, answers);
  const { statuses, lowest } = await storm(way, true, { quota, calls, text: longPrompt });
  expect(lowest).toBeGreaterThanOrEqual(0);
  expect([...new Set(statuses)].filter((status) => status !== 429).sort()).toEqual(expected);
});

describe('a balance that covers the prompt but not all of the output', () => {
  it.each(sampled(cases, 3))('%s: the provider is asked for what it pays for', async (_name, way, stream) => {
    const id = await first.addChannel({ type: way.type, models: way.model });
    expect(id).toBeGreaterThan(0);
    first.upstream.script({}, says({ text: 'Hello', promptTokens: 8, completionTokens: 100 }));
    // An output token costs 5 quota for gpt-4o, 7.5 for Claude and 0.2 for Gemini.
    const quota = way.model === gemini ? 200 : 4000;
    const { key, userId } = await first.addToken({ userId: await first.addUser({ quota }) });
    const response = await first.post(way.path(stream), key, way.body('hi', stream));
    expect(response.status).toBe(200);
    await response.text();
    const asked = Number(way.limit(first.upstream.requests[0]?.body ?? {}));
    const price = way.model === gpt ? 5 : way.model === claude ? 7.5 : 0.2;
    expect(asked).toBeGreaterThan((quota / price) * 0.9);
    // Charges are rounded to whole units of quota.
    expect(asked * price).toBeLessThan(quota + 1);
    const [row] = await first.logsOf(userId, 1);
    expect(row?.other).toMatchObject({ output_limited_by_balance: asked });
    expect(row?.content).toContain(`output limited to ${asked} tokens by the balance`);
  });

  it.each(
    sampled(
      ways.map((way) => [way.name, way] as const),
      2,
    ),
  )('%s: a stream that goes on regardless is ended there', async (_name, way) => {
    await first.addChannel({ type: way.type, models: way.model });
    const words = ' word'.repeat(5000);
    first.upstream.script({}, says({ text: words, promptTokens: 8, completionTokens: 5000 }));
    const quota = way.model === gemini ? 100 : 2500;
    const { key, userId } = await first.addToken({ userId: await first.addUser({ quota }) });
    const response = await first.post(way.path(true), key, way.body('hi', true));
    const stream = await response.text();
    expect(stream).toMatch(endings[way.name] ?? /never/);
    const [row] = await first.logsOf(userId, 1);
    expect(row?.other).toMatchObject({ stream_stopped_at: expect.any(Number) as unknown });
  });

  it('ends a stream after the chunk that reaches the limit, and closes the connection to the provider', async () => {
    await first.addChannel({ models: gpt });
    const chunk = (delta: object): string =>
      JSON.stringify({
        id: 'c',
        object: 'chat.completion.chunk',
        created: 1,
        model: gpt,
        choices: [{ index: 0, delta }],
      });
    first.upstream.script(
      {},
      events(
        Array.from({ length: 2000 }, () => chunk({ content: ' one two three four five' })),
        { gapMilliseconds: 1 },
      ),
    );
    const { key, userId } = await first.addToken({ userId: await first.addUser({ quota: 2000 }) });
    const response = await first.post('/v1/chat/completions', key, {
      model: gpt,
      messages: userMessage('hi'),
      stream: true,
      stream_options: { include_usage: true },
    });
    const payloads = payloadsOf(await response.text());
    expect(payloads.at(-1)).toBe('[DONE]');
    expect(JSON.parse(payloads.at(-3) ?? '{}')).toMatchObject({ choices: [{ finish_reason: 'length' }] });
    const [request] = first.upstream.requests;
    await request?.ended;
    expect(request?.aborted).toBe(true);
    const limit = Number(request?.body?.['max_tokens']);
    const [row] = await first.logsOf(userId, 1);
    expect(row?.completion_tokens).toBeGreaterThan(limit);
    // The output exceeds the limit by the last chunk at most, which has five tokens.
    expect(row?.completion_tokens).toBeLessThanOrEqual(limit + 5);
    expect((await first.balance(userId)).quota).toBeGreaterThanOrEqual(-5 * 5);
  });

  it('counts every answer of a call that asks for several', async () => {
    await first.addChannel({ models: gpt });
    const { key } = await first.addToken({ userId: await first.addUser({ quota: 20_000 }) });
    await (await first.chat(key, { model: gpt, messages: userMessage('hi'), n: 4, max_tokens: 4000 })).text();
    expect(first.upstream.requests[0]?.body).toMatchObject({ n: 4, max_tokens: 999 });
  });

  it('limits the budget for thinking with it', async () => {
    await first.addChannel({ type: 14, models: claude });
    first.upstream.script({}, says({ text: 'Hello' }));
    const { key } = await first.addToken({ userId: await first.addUser({ quota: 15_000 }) });
    const thinking = { type: 'enabled', budget_tokens: 8000 };
    const body = { model: claude, max_tokens: 16_000, messages: userMessage('hi'), thinking };
    expect((await first.post('/v1/messages', key, body)).status).toBe(200);
    const sent = first.upstream.requests[0]?.body as { max_tokens: number; thinking: { budget_tokens: number } };
    expect(sent.max_tokens).toBeLessThanOrEqual(2000);
    expect(sent.thinking.budget_tokens).toBeLessThan(sent.max_tokens);
    expect(sent.thinking.budget_tokens).toBeGreaterThanOrEqual(1024);
  });
});

const endings: Readonly<Record<string, RegExp>> = {
  chat: /"finish_reason":"length"/,
  Responses: /response\.incomplete.*"max_output_tokens"/s,
  Messages: /"stop_reason":"max_tokens".*message_stop/s,
  Gemini: /"finishReason":"MAX_TOKENS"/,
};

describe('what a reservation holds', () => {
  /** Returns the amount that is reserved while the provider has the call. */
  async function heldFor(
    body: Record<string, unknown>,
    path = '/v1/chat/completions',
    quota = 1_000_000,
  ): Promise<number> {
    let held = 0;
    const look: Reply = async (response, request) => {
      const [row] = await first.sql<{ amount: string }>('SELECT amount FROM reservations');
      held = Number(row?.amount);
      return says({ text: 'Hello', promptTokens: 8, completionTokens: 5 })(response, request);
    };
    first.upstream.script({}, look);
    const { key } = await first.addToken({ userId: await first.addUser({ quota }) });
    const response = await first.post(path, key, body);
    await response.text();
    expect(response.status).toBe(200);
    return held;
  }
  const hi = { model: gpt, messages: userMessage('hi') };

  it('the prompt and what the model can produce at most', async () => {
    await first.addChannel({ models: gpt });
    // "hi" has 8 tokens at 1.25 (example T1 of the reference). The reserved output is 16,384 tokens at 1.25 times 4.
    expect(await heldFor(hi, undefined, 500_000)).toBe(8 * 1.25 + 16_384 * 5);
  });

  it("the client's own limit where it names one", async () => {
    await first.addChannel({ models: gpt });
    expect(await heldFor({ ...hi, max_tokens: 4000 }, undefined, 100_000)).toBe(8 * 1.25 + 4000 * 5);
  });

  it("the operator's figure, and the setting for models that nobody published", async () => {
    await first.addChannel({ models: `${gpt},my-model` });
    first.setOptions({
      ModelMaxOutput: { [gpt]: 1000 },
      StrictReserveOutput: 2000,
      ModelRatio: { [gpt]: 1.25, 'my-model': 2 },
    });
    expect(await heldFor(hi, undefined, 50_000)).toBe(8 * 1.25 + 1000 * 5);
    const held = await heldFor({ ...hi, model: 'my-model' }, undefined, 50_000);
    expect(held).toBeGreaterThanOrEqual(2000 * 2);
    expect(held).toBeLessThan(2030 * 2);
  });

  it('the price of a cache write where the request asks for caching', async () => {
    await first.addChannel({ type: 14, models: claude });
    const text = 'word '.repeat(2000);
    const body = (more: object): Record<string, unknown> => ({
      model: claude,
      max_tokens: 1000,
      messages: [{ role: 'user', content: [{ type: 'text', text, ...more }] }],
    });
    const plain = (await heldFor(body({}), '/v1/messages', 50_000)) - 7500;
    const caching = (await heldFor(body({ cache_control: { type: 'ephemeral' } }), '/v1/messages', 50_000)) - 7500;
    expect(caching / plain).toBeCloseTo(1.25, 2);
  });

  it('a prediction before the output: the limit is what the balance pays for beside it', async () => {
    await first.addChannel({ models: gpt });
    const prediction = { type: 'content', content: 'word '.repeat(6000) };
    // 30,000 bytes count as 10,000 tokens: 12,500 as prompt and 50,000 as output. The rest pays for 1,000 to 2,000 tokens.
    await heldFor({ ...hi, prediction }, undefined, 70_000);
    const sent = first.upstream.requests.at(-1)?.body as { max_tokens?: number };
    expect([Number(sent.max_tokens) > 1000, Number(sent.max_tokens) < 2000]).toEqual([true, true]);
  });

  it('a prompt that the provider summarizes first, and reads twice', async () => {
    await first.addChannel({ type: 14, models: claude });
    const body = (edit: string): Record<string, unknown> => ({
      model: claude,
      max_tokens: 16,
      messages: userMessage('hi'),
      context_management: { edits: [{ type: edit }] },
    });
    expect(await heldFor(body('clear_tool_uses_20250919'), '/v1/messages', 20_000)).toBeLessThan(2000);
    expect(await heldFor(body('compact_20260112'), '/v1/messages', 400_000)).toBeGreaterThanOrEqual(200_000 * 1.5);
  });

  it('the old estimate when the option is off', async () => {
    await first.addChannel({ models: gpt });
    first.setOptions({ StrictReserve: false });
    expect(await heldFor(hi)).toBe(625);
  });

  it('text in any field that reaches the model', async () => {
    await first.addChannel({ models: gpt });
    const schema = { type: 'object', description: 'word '.repeat(4000) };
    const format = { type: 'json_schema', json_schema: { name: 'a', schema } };
    const held = await heldFor({ ...hi, max_tokens: 100, response_format: format }, undefined, 40_000);
    expect(held).toBeGreaterThan(4000 * 1.25);
  });

  it.each([false, true])(
    'a prediction, whose rejected tokens are output beside the limit: streamed %p',
    async (stream) => {
      await first.addChannel({ models: gpt });
      const prediction = { type: 'content', content: [{ type: 'text', text: 'word '.repeat(20_000) }] };
      // 20,000 rejected tokens cost 100,000: the first balance pays for the prompt and an output without them.
      for (const quota of [60_000, 300_000]) {
        first.upstream.reset();
        first.upstream.script({}, says({ text: 'hi', promptTokens: 20_000, completionTokens: 20_256 }));
        const { key, userId } = await first.addToken({ userId: await first.addUser({ quota }) });
        const response = await first.post('/v1/chat/completions', key, { ...hi, stream, max_tokens: 256, prediction });
        await response.text();
        const rows = response.status === 200 ? await first.logsOf(userId, 1) : [];
        expect([quota, response.status, rows.map(({ other }) => other['uncharged_quota'])]).toEqual([
          ...[quota, quota === 60_000 ? 403 : 200, quota === 60_000 ? [] : [undefined]],
        ]);
      }
    },
  );

  const long = 'word '.repeat(20_000);
  const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(1000)}` } };
  // Google's own examples have objects in place of lists (https://ai.google.dev/gemini-api/docs/text-generation, November 2026).
  it.each<[what: string, path: string, type: number, body: Record<string, unknown>]>([
    ['one part', `/v1beta/models/${gemini}:generateContent`, 24, { contents: { parts: { text: long } } }],
    ['one part of a turn', `/v1beta/models/${gemini}:generateContent`, 24, { contents: [{ parts: { text: long } }] }],
    [
      'one part',
      '/v1/chat/completions',
      1,
      { model: gpt, messages: [{ role: 'user', content: { type: 'text', text: long } }] },
    ],
    [
      'reasoning that a provider reads again',
      '/v1/chat/completions',
      1,
      { model: gpt, messages: [...userMessage('hi'), { role: 'assistant', content: 'a', reasoning_content: long }] },
    ],
    [
      'a part beside an image',
      '/v1/chat/completions',
      1,
      { model: gpt, messages: [{ role: 'user', content: [picture, { type: 'input_text', text: long }] }] },
    ],
    [
      'a block of Messages',
      '/v1/messages',
      14,
      {
        model: claude,
        messages: [
          {
            role: 'user',
            content: [{ type: 'search_result', source: 's', title: 't', content: [{ type: 'text', text: long }] }],
          },
        ],
      },
    ],
    ['an entry of embeddings', '/v1/embeddings', 1, { model: gpt, input: { text: long } }],
  ])('text in a form that the count does not know: %s at %s', async (_what, path, type, body) => {
    const [model] = [gpt, claude, gemini].filter((name) => path.includes(name) || body['model'] === name);
    await first.addChannel({ type, models: model ?? '' });
    // The balance pays for a short prompt and its output, not for 20,000 tokens at $0.1 a million.
    for (const quota of [900, 100_000]) {
      first.upstream.reset();
      first.upstream.script({}, says({ text: 'hi', promptTokens: 20_000, completionTokens: 5 }));
      const { key, userId } = await first.addToken({ userId: await first.addUser({ quota }) });
      const output = path.includes('gemini')
        ? { generationConfig: { maxOutputTokens: 5 } }
        : { max_tokens: 5, max_output_tokens: 16 };
      const response = await first.post(path, key, { ...body, ...(path.endsWith('embeddings') ? {} : output) });
      await response.text();
      const rows = response.status === 200 ? await first.logsOf(userId, 1) : [];
      expect([quota, response.status, rows.map(({ other }) => other['uncharged_quota'])]).toEqual([
        ...[quota, quota === 900 ? 403 : 200, quota === 900 ? [] : [undefined]],
      ]);
    }
  });
});

describe('a prompt that the provider extends', () => {
  const searching = [{ type: 'web_search_20250305', name: 'web_search', max_uses: 1 }];
  const extending: Way = {
    ...ways[2]!,
    body: (text) => ({ model: claude, max_tokens: 16, messages: userMessage(text), tools: searching }),
  };

  it.each([
    ['below the largest input', 20_000],
    ['of several of them', 5 * dollar],
  ])('takes a balance %s below zero by one call at most, however many come at once', async (_what, quota) => {
    const usage = { input_tokens: 190_000, output_tokens: 5 };
    const content = [{ type: 'text', text: 'hi' }];
    const answer = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: claude,
      content,
      stop_reason: 'end_turn',
      usage,
    };
    first.upstream.script({}, json(answer));
    const done = await storm(extending, false, { quota, calls: 20, text: 'hi' });
    expect(done.statuses).toContain(200);
    // The largest input of the model is 200,000 tokens.
    expect(done.lowest).toBeGreaterThanOrEqual(-200_000 * 1.5);
    expect(done.statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(Math.ceil(quota / 285_000));
  });
});

it('a balance below the prompt and a little output is refused, with what is missing', async () => {
  await first.addChannel({ models: gpt });
  const { key } = await first.addToken({ userId: await first.addUser({ quota: 1000 }) });
  const response = await first.chat(key, { model: gpt, messages: userMessage('hi') });
  expect(response.status).toBe(403);
  const { error } = (await response.json()) as { error: { message: string; code: string } };
  expect(error.code).toBe('insufficient_user_quota');
  // 8 prompt tokens at 1.25 and 256 at 5 are 1290 quota.
  expect(error.message).toContain(
    'remaining $0.002000 quota, required $0.002580 quota for 8 prompt and 256 output tokens',
  );
  expect(first.upstream.requests).toHaveLength(0);
});

it("a key's own limit counts like a balance", async () => {
  await first.addChannel({ models: gpt });
  const { key, userId } = await first.addToken({ quota: 5000 });
  first.upstream.script({}, chat({ text: 'ok', usage: { prompt_tokens: 8, completion_tokens: 10 } }));
  expect((await first.chat(key, { model: gpt, messages: userMessage('hi') })).status).toBe(200);
  expect(first.upstream.requests[0]?.body).toMatchObject({ max_tokens: 998 });
  expect((await first.balance(userId)).quota).toBe(1_000_000 - 60);
});

it('embeddings and images hold what they cost', async () => {
  await first.addChannel({ models: 'text-embedding-3-small,dall-e-3' });
  first.setOptions({ ModelRatio: { 'text-embedding-3-small': 10 } });
  const { key, userId } = await first.addToken({ userId: await first.addUser({ quota: 5000 }) });
  first.upstream.script(
    {},
    json({ data: [{ embedding: [1], index: 0 }], usage: { prompt_tokens: 1001, total_tokens: 1001 } }),
  );
  const embedding = { model: 'text-embedding-3-small', input: ' a'.repeat(1001) };
  expect((await first.post('/v1/embeddings', key, embedding)).status).toBe(403);
  expect((await first.post('/v1/images/generations', key, { model: 'dall-e-3', prompt: 'p' })).status).toBe(403);
  expect(await first.balance(userId)).toMatchObject({ quota: 5000 });
});
