import { randomUUID } from 'node:crypto';
import { explainCharge } from '../../server/src/billing/prices/explain-charge.js';
import { json } from '../support/upstream/replies.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { Site, type Person } from './site.js';

/*
 * A fresh site with one key for each of five providers, and the models that the console proposes. Only the keys are entered
 * (and the address of the scripted provider).
 */

let site: Site;
let upstream: Upstream;
let root: Person;
let key: string;

interface ChannelType {
  readonly id: number;
  readonly provider: string;
  readonly models: readonly string[];
}
let types: ReadonlyMap<number, ChannelType>;

const providers = { OpenAI: 1, Anthropic: 14, Google: 24, DeepSeek: 43, xAI: 48 } as const;

beforeAll(async () => {
  [site, upstream] = await Promise.all([Site.open({ OUTBOUND_ALLOW: '127.0.0.1' }), startUpstream()]);
  root = await site.setUp();
  const { data } = await site.graphql(root, '{ channelTypes { id provider models } }');
  types = new Map((data?.['channelTypes'] as ChannelType[]).map((type) => [type.id, type]));
  for (const [name, id] of Object.entries(providers)) {
    const { provider: type, models } = types.get(id) ?? { provider: '', models: [] };
    const input = { name, type, models, keys: ['sk-1'], baseUrl: upstream.url };
    const document = 'mutation ($input: CreateChannelInput!) { createChannel(input: $input) { channel { id } } }';
    const { codes } = await site.graphql(root, document, { input });
    expect([name, codes]).toEqual([name, []]);
  }
  const user = await site.invite(root);
  await site.graphql(
    root,
    `mutation { grantQuota(input: { userId: ${user.id}, amount: 50000000, idempotencyKey: "${randomUUID()}" }) { user { id } } }`,
  );
  const made = await site.expectSuccess(user, 'POST', '/api/token/', { name: 'mine', unlimited_quota: true });
  key = (made.body.data as { key: string }).key;
});
afterAll(() => Promise.all([site.stop(), upstream.stop()]));
beforeEach(() => upstream.reset());

const chatAnswer = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 },
};
const claudeAnswer = (usage: object = { input_tokens: 1000, output_tokens: 500 }): object => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  stop_reason: 'end_turn',
  stop_sequence: null,
  content: [{ type: 'text', text: 'Hello' }],
  usage,
});
const geminiAnswer = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'STOP', index: 0 }],
  usageMetadata: { promptTokenCount: 1000, candidatesTokenCount: 500 },
};

async function call(model: string, answer: object): Promise<void> {
  upstream.script({}, json(answer));
  const response = await fetch(`${site.server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
  });
  expect([model, response.status, (await response.text()).includes('Hello')]).toEqual([model, 200, true]);
}

// 1,000 tokens in and 500 out at the published prices of November 2026, in USD.
it.each<[provider: keyof typeof providers, model: string, answer: object, usd: number]>([
  ['OpenAI', 'gpt-6-sol', chatAnswer, 0.007],
  ['OpenAI', 'gpt-5.5', chatAnswer, 0.02],
  ['OpenAI', 'gpt-5.4-mini', chatAnswer, 0.003],
  ['Anthropic', 'claude-opus-5', claudeAnswer(), 0.0175],
  ['Anthropic', 'claude-sonnet-4-5', claudeAnswer(), 0.0105],
  ['Anthropic', 'claude-haiku-4-5', claudeAnswer(), 0.0035],
  ['Google', 'gemini-4-argon', geminiAnswer, 0.007],
  ['Google', 'gemini-3.8-flash', geminiAnswer, 0.002626],
  ['Google', 'gemini-2.5-pro', geminiAnswer, 0.00625],
  ['DeepSeek', 'deepseek-v4-pro', chatAnswer, 0.0033],
  ['DeepSeek', 'deepseek-v4-flash', chatAnswer, 0.0009],
  ['xAI', 'grok-4.7', chatAnswer, 0.005],
])('%s proposes %s, which is called and charged', async (provider, model, answer, usd) => {
  expect(types.get(providers[provider])?.models).toContain(model);
  await call(model, answer);
  const { data } = await site.graphql(
    root,
    '{ logs(pageSize: 1) { items { modelName usd price { card cardAsOf } } } }',
  );
  expect(data?.['logs']).toEqual({ items: [{ modelName: model, usd, price: { card: model, cardAsOf: '2026-11' } }] });
});

it('has a price for every proposed model that is still sold', async () => {
  const { data } = await site.graphql(root, '{ unpricedModels }');
  expect([...((data?.['unpricedModels'] ?? []) as string[])].sort()).toEqual([
    // These models are retired. They are still proposed because older consoles proposed them.
    ...['claude-2', 'claude-instant-1.2', 'claude-opus-4-20250514-thinking', 'claude-sonnet-4-20250514-thinking'],
    ...['embedding-001', 'gemini-1.5-flash', 'gemini-1.5-flash-8b', 'gemini-1.5-pro', 'gemini-2.0-flash-exp'],
    ...['gemini-2.0-flash-lite-preview', 'gemini-2.0-flash-thinking-exp', 'gemini-2.0-pro-exp'],
    ...['gemini-embedding-exp-03-07', 'gemini-exp-1206', 'grok-2-image'],
    ...['grok-3-mini-beta-high', 'grok-3-mini-beta-low', 'grok-3-mini-beta-medium'],
    ...['grok-3-mini-fast-beta-high', 'grok-3-mini-fast-beta-low', 'grok-3-mini-fast-beta-medium'],
  ]);
});

it('shows a line for each component of a charge: in the detail of the log, its export and its explanation', async () => {
  await call(
    'claude-sonnet-4-5',
    claudeAnswer({
      input_tokens: 10,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 100_000,
      output_tokens: 100,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 100_000 },
      server_tool_use: { web_search_requests: 2 },
    }),
  );
  const price = 'price { lines { quantity count price isPerMillion usd } }';
  const { data } = await site.graphql(root, `{ logs(pageSize: 1) { items { usd ${price} } } }`);
  // $0.60153 and two searches at one cent.
  expect(data?.['logs']).toEqual({
    items: [
      {
        usd: 0.62153,
        price: {
          lines: [
            { quantity: 'input', count: 10, price: 3, isPerMillion: true, usd: 0.00003 },
            { quantity: 'cacheWrite1h', count: 100_000, price: 6, isPerMillion: true, usd: 0.6 },
            { quantity: 'output', count: 100, price: 15, isPerMillion: true, usd: 0.0015 },
            { quantity: 'webSearch', count: 2, price: 0.01, isPerMillion: false, usd: 0.02 },
          ],
        },
      },
    ],
  });
  const lines = [
    '10 input x 3 USD per million = 0.00003',
    '100000 cacheWrite1h x 6 USD per million = 0.6',
    '100 output x 15 USD per million = 0.0015',
    '2 webSearch x 0.01 USD = 0.02',
  ];
  const exported = await fetch(`${site.server.url}/api/log/export?type=2`, {
    headers: { cookie: root.cookie, 'new-api-user': String(root.id) },
  });
  expect(await exported.text()).toContain(`,${lines.join('; ')},`);
  const [row] = await site.query<{ quota: string; other: string }>(
    'SELECT quota, other FROM logs WHERE type = 2 ORDER BY created_at DESC, id DESC LIMIT 1',
  );
  const { quota, text } = explainCharge({
    quota: Number(row?.quota),
    promptTokens: 100_010,
    completionTokens: 100,
    other: JSON.parse(row?.other ?? '{}') as Record<string, unknown>,
  });
  expect(quota).toBe(310_765);
  for (const line of lines) expect(text).toContain(line);
});

it('charges a price that was typed in USD exactly as it is shown, whatever ratios are locked', async () => {
  // The completion ratio of gpt-4o is locked at 4: at $3.5 its output would cost $14.
  const PriceCards = JSON.stringify({ 'gpt-4o': { prices: { input: 3.5, output: 7.75 } } });
  await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'PriceCards', value: PriceCards });
  const { data } = await site.graphql(
    root,
    '{ pricing { models { modelName effective { source lines { quantity price } } } } }',
  );
  const { models } = data?.['pricing'] as { models: Array<{ modelName: string; effective: object }> };
  expect(models.find(({ modelName }) => modelName === 'gpt-4o')?.effective).toEqual({
    source: 'CARD',
    lines: [
      { quantity: 'input', price: 3.5 },
      { quantity: 'output', price: 7.75 },
      // The fees of tools come from the price list of the model's maker.
      { quantity: 'webSearch', price: 0.025 },
      { quantity: 'fileSearch', price: 0.0025 },
      { quantity: 'codeExecution', price: 0.03 },
    ],
  });
  await call('gpt-4o', chatAnswer);
  const logged = await site.graphql(root, '{ logs(pageSize: 1) { items { usd } } }');
  // 1,000 x $3.5 + 500 x $7.75 = 7,375 millionths, or 3,687.5 units. A fraction of a unit was already paid by earlier calls
  // of the user.
  expect(logged.data?.['logs']).toEqual({ items: [{ usd: 0.007374 }] });
});
