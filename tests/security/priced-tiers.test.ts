/**
 * Service tiers, faster modes and regions that a client selects: each is charged at its price, in every form of the
 * price, and one whose price is not known reaches no provider.
 */
import type { OptionValues } from '../../server/src/options/option-registry.js';
import { type RelayHarness, userMessage } from '../contract/relay-harness.js';
import { relaySuite } from '../contract/relay-suite.js';
import { chat as chatReply, events, json } from '../support/upstream/replies.js';
import type { Reply } from '../support/upstream/upstream.js';

type Json = Readonly<Record<string, unknown>>;

const claude = 'claude-opus-4-8';
const gemini = 'gemini-2.5-pro';
const ratios = { 'gpt-4o': 1.25, 'gpt-4o-mini': 0.075, [claude]: 2.5, [gemini]: 0.625, sonar: 1, mine: 1 };
const values: Partial<OptionValues> = {
  ModelRatio: ratios,
  CompletionRatio: { 'gpt-4o': 4, 'gpt-4o-mini': 4, [claude]: 5, [gemini]: 8, mine: 4 },
};

let relay: RelayHarness;
relaySuite((started) => (relay = started), { values });
afterEach(async () => {
  expect(await relay.unexplained()).toEqual([]);
  expect(await relay.replayedDifferently()).toEqual([]);
});

/**
 * Returns 1,000 and 1,000 tokens in the tier that was asked for, as OpenAI, Google and Anthropic report it
 * (https://platform.openai.com/docs/api-reference/chat/object, November 2026).
 */
const serves: Reply = (response, request) => {
  const { body, path } = request;
  const asked = body?.['service_tier'] ?? body?.['serviceTier'];
  const tier = typeof asked === 'string' ? asked : 'default';
  const text = [{ type: 'output_text', text: 'hi' }];
  const counted = { input_tokens: 1000, output_tokens: 1000, total_tokens: 2000 };
  if (path.includes('/responses')) {
    const output = [{ type: 'message', role: 'assistant', content: text }];
    return json({ id: 'r', status: 'completed', service_tier: tier, output, usage: counted })(response, request);
  }
  if (path.includes('/messages')) {
    const { speed = 'standard', inference_geo = 'global' } = body ?? {};
    return json({
      id: 'm',
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'hi' }],
      stop_reason: 'end_turn',
      usage: { ...counted, speed, inference_geo },
    })(response, request);
  }
  if (path.includes(':generateContent')) {
    const content = { role: 'model', parts: [{ text: 'hi' }] };
    const usageMetadata = { promptTokenCount: 1000, candidatesTokenCount: 1000, totalTokenCount: 2000 };
    const more = { usageMetadata: { ...usageMetadata, serviceTier: tier.toUpperCase() } };
    return json({ candidates: [{ index: 0, finishReason: 'STOP', content }], ...more })(response, request);
  }
  return json({
    id: 'c',
    object: 'chat.completion',
    service_tier: tier,
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'hi' } }],
    usage: { prompt_tokens: 1000, completion_tokens: 1000, total_tokens: 2000 },
  })(response, request);
};

const chat = { messages: userMessage('hi'), max_tokens: 1000 };
const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
interface Row {
  readonly path: string;
  readonly type: number;
  readonly model: keyof typeof ratios;
  readonly body: Json;
  /** The override of the channel, as JSON. */
  readonly override?: string;
}
const ofChat = (model: keyof typeof ratios, fields: Json, type = 1): Row => ({
  path: '/v1/chat/completions',
  type,
  model,
  body: { ...chat, ...fields },
});
const ofResponses = (fields: Json): Row => ({
  path: '/v1/responses',
  type: 1,
  model: 'gpt-4o' as const,
  body: { input: 'hi', max_output_tokens: 1000, ...fields },
});
const ofMessages = (fields: Json): Row => ({
  path: '/v1/messages',
  type: 14,
  model: claude,
  body: { messages: userMessage('hi'), max_tokens: 1000, ...fields },
});
const ofGemini = (fields: Json): Row => ({
  path: `/v1beta/models/${gemini}:generateContent`,
  type: 24,
  model: gemini,
  body: { contents, generationConfig: { maxOutputTokens: 1000 }, ...fields },
});
const priority = { service_tier: 'priority' };

async function answer({ path, type, model, body, override = '' }: Row, quota = 100_000_000, reply: Reply = serves) {
  await relay.addChannel({ type, models: model, override });
  relay.upstream.script({}, reply);
  const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota }) });
  const response = await relay.post(path, key, { model, ...body });
  const text = await response.text();
  const rows = response.status === 200 ? await relay.logsOf(userId, 1) : [];
  return { status: response.status, text, row: rows[0], userId };
}

/** Returns the quota of 1,000 and 1,000 tokens at standard prices. */
const standardOf = (model: keyof typeof ratios): number =>
  Math.round(1000 * (ratios[model] ?? 0) * (1 + (values.CompletionRatio?.[model] ?? 0)));

describe.each<[form: string, options: Partial<OptionValues>]>([
  ['at ratio prices', values],
  [
    'by a card that names no tier',
    {
      PriceCards: {
        'gpt-4o': { prices: { input: 2.5, output: 10 } },
        'gpt-4o-mini': { prices: { input: 0.15, output: 0.6 } },
        [claude]: { prices: { input: 5, output: 25 } },
        [gemini]: { prices: { input: 1.25, output: 10 } },
      },
    },
  ],
  [
    'at list prices',
    {
      PriceCards: { 'gpt-4o': 'built-in', 'gpt-4o-mini': 'built-in', [claude]: 'built-in', [gemini]: 'built-in' },
    },
  ],
])('a tier %s', (_form, options) => {
  it.each<[name: string, factor: number, row: Row]>([
    ['standard', 1, ofChat('gpt-4o', { service_tier: 'default' })],
    ['priority in chat', 1.7, ofChat('gpt-4o', priority)],
    ['priority in chat at a custom provider', 1.7, ofChat('gpt-4o', priority, 8)],
    ['priority by prices of its own', 5 / 3, ofChat('gpt-4o-mini', priority)],
    ['priority in Responses', 1.7, ofResponses(priority)],
    ['a faster mode', 2, ofMessages({ speed: 'fast' })],
    ['a region', 1.1, ofMessages({ inference_geo: 'us' })],
    ['a faster mode in a region', 2.2, ofMessages({ speed: 'fast', inference_geo: 'us' })],
    ['priority of Google', 1.8, ofGemini({ serviceTier: 'priority' })],
    ['flex of Google', 0.5, ofGemini({ serviceTier: 'flex' })],
  ])('is charged at its price: %s', async (_name, factor, row) => {
    relay.setOptions(options);
    const { status, text, row: logged } = await answer(row);
    expect([status, status === 200 || text]).toEqual([200, true]);
    expect(logged?.quota).toBe(Math.round(standardOf(row.model) * factor));
  });

  // Perplexity has prices by the size of a search, which OpenAI's models do not have.
  const searched = { ...priority, web_search_options: { search_context_size: 'medium' } };

  it.each([priority, searched])('is reserved at its price: %j', async (asked) => {
    relay.setOptions({ ...options, ToolPrices: { 'gpt-*': { webSearch: 0 } } });
    // The balance pays for the output at the standard price, and not in the tier.
    const quota = standardOf('gpt-4o') + 1000;
    const { status, row } = await answer(ofChat('gpt-4o', asked), quota);
    expect(status).toBe(200);
    const limit = Number(relay.upstream.requests[0]?.body?.['max_tokens']);
    expect(limit * 5 * 1.7).toBeLessThanOrEqual(quota);
    expect(row?.other).toMatchObject({ output_limited_by_balance: limit });
  });
});

it('a tier is charged as it was asked for where its provider reports no usage, as when the client leaves', async () => {
  const chunk = (choice: object): string =>
    JSON.stringify({
      id: 'c',
      object: 'chat.completion.chunk',
      choices: [{ index: 0, finish_reason: null, ...choice }],
    });
  const words = chunk({ delta: { role: 'assistant', content: 'hello '.repeat(1000) } });
  const whole = events([words, chunk({ delta: {}, finish_reason: 'stop' })]);
  const quotaOf = async (fields: Json): Promise<number> => {
    relay.setOptions({ ...values, ToolPrices: { 'gpt-*': { webSearch: 0 } } });
    const { status, row } = await answer(ofChat('gpt-4o', { ...fields, stream: true }), undefined, whole);
    expect(status).toBe(200);
    return row?.quota ?? 0;
  };
  const standard = await quotaOf({});
  expect(standard).toBeGreaterThan(1000 * 5);
  const searched = { web_search_options: { search_context_size: 'high' } };
  for (const more of [{}, searched]) {
    expect(Math.abs((await quotaOf({ ...priority, ...more })) - standard * 1.7)).toBeLessThan(2);
  }
  // No client gets a discount that its provider did not report: many providers leave the tier out.
  for (const tier of ['batch', 'flex']) expect(await quotaOf({ service_tier: tier })).toBe(standard);
});

it('a tier is charged as the override of the channel asks for it, where its provider reports no usage', async () => {
  const quotaOf = async (override: string): Promise<number> => {
    await relay.clearChannels();
    const silent = chatReply({ text: 'hello '.repeat(1000), usage: null });
    const { row } = await answer({ ...ofChat('gpt-4o', { stream: true }), override }, undefined, silent);
    return row?.quota ?? 0;
  };
  const standard = await quotaOf('');
  expect(Math.abs((await quotaOf(JSON.stringify(priority))) - standard * 1.7)).toBeLessThan(2);
});

describe('a tier of Claude, in a stream that breaks off', () => {
  const words = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hello '.repeat(1000) } };
  // Anthropic reports the speed and the tier with the usage (https://platform.claude.com/docs/en/api/messages, November 2026).
  const broken = (usage: Json | null): Reply =>
    events(
      [
        { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', content: [], usage } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        words,
      ].map((event) => JSON.stringify(event)),
      { done: false },
    );
  const quotaOf = async (row: Row, usage: Json | null): Promise<number> => {
    const { status, row: logged } = await answer(
      { ...row, body: { ...row.body, stream: true } },
      undefined,
      broken(usage),
    );
    expect(status).toBe(200);
    return logged?.quota ?? 0;
  };
  const tokens = { input_tokens: 1000, output_tokens: 1 };

  it('is charged as the provider reported it, and as it was asked for without a report', async () => {
    const standard = await quotaOf(ofMessages({}), { ...tokens, speed: 'standard' });
    expect(standard).toBeGreaterThan(1000 * 2.5 * 5);
    expect(await quotaOf(ofMessages({ speed: 'fast' }), { ...tokens, speed: 'standard' })).toBe(standard);
    // The user's fractions of a unit may add one unit.
    const fast = await quotaOf(ofMessages({ speed: 'fast' }), { ...tokens, speed: 'fast' });
    expect(Math.abs(fast - standard * 2)).toBeLessThan(3);
    const asked = await quotaOf(ofMessages({ speed: 'fast' }), null);
    expect(Math.abs(asked - (await quotaOf(ofMessages({}), null)) * 2)).toBeLessThan(3);
  });

  it('is not charged where the request to the provider is without it', async () => {
    const prices = { input: 5, output: 25 };
    const variants = [{ when: { tier: 'priority' }, factor: 3 }] as const;
    relay.setOptions({ ...values, PriceCards: { [claude]: { prices, variants } } });
    const dropped = await quotaOf(ofChat(claude, priority, 14), null);
    expect(relay.upstream.requests.at(-1)?.body).not.toHaveProperty('service_tier');
    expect(dropped).toBe(await quotaOf(ofChat(claude, {}, 14), null));
  });
});

describe('a tier without a price beside the size of a search', () => {
  const high = { ...priority, web_search_options: { search_context_size: 'high' } };
  const options: Partial<OptionValues> = { ...values, UnpricedTools: 'free' };

  it('does not hide the size from the charge', async () => {
    relay.setOptions(options);
    const silent = chatReply({ text: 'hello', usage: null });
    const { row } = await answer(ofChat('sonar', high, 27), undefined, silent);
    const { row: standard } = await answer(ofChat('sonar', {}, 27), undefined, silent);
    // A request costs 0.012 USD instead of 0.005 USD.
    expect(Number(row?.quota) - Number(standard?.quota)).toBe(0.007 * 500_000);
  });

  it('does not hide the size from the reservation', async () => {
    relay.setOptions(options);
    const { status, text } = await answer(ofChat('sonar', { ...high, max_tokens: 100 }, 27), 0.01 * 500_000);
    expect([status, text]).toEqual([403, expect.stringContaining('quota is not enough')]);
    expect(relay.upstream.requests).toEqual([]);
  });
});

it.each(['HIGH', ' high', ['high'], 3])('a size of a search in another form is refused: %j', async (size) => {
  const { status, text } = await answer(ofChat('gpt-4o', { web_search_options: { search_context_size: size } }));
  expect([status, text]).toEqual([400, expect.stringContaining('web_search_options.search_context_size')]);
  expect(relay.upstream.requests).toEqual([]);
});

describe('a tier whose price is not known', () => {
  it.each<[name: string, row: Row]>([
    ['service_tier', ofChat('mine', priority)],
    ['service_tier', ofChat('gpt-4o', { service_tier: 'scale' })],
    ['service_tier', ofResponses({ service_tier: 'ultrafast' })],
    ['speed', { ...ofMessages({ speed: 'ludicrous' }) }],
    ['inference_geo', { ...ofMessages({ inference_geo: 'moon' }) }],
    ['service_tier', { path: '/v1/completions', type: 1, model: 'mine', body: { prompt: 'hi', ...priority } }],
  ])('is refused: %s', async (name, row) => {
    const { status, text } = await answer(row);
    expect([status, text]).toEqual([400, expect.stringContaining(`The field ${name} has no price`)]);
    expect(relay.upstream.requests).toEqual([]);
  });

  it.each<[advice: string, row: Row]>([
    ['ask the administrator to set one', ofChat('mine', priority)],
    ['has no price for scale, and none can be set: leave it out', ofChat('mine', { service_tier: 'scale' })],
    ['has no price for moon, and none can be set: leave it out', ofMessages({ inference_geo: 'moon' })],
  ])('is refused with advice that helps: %s', async (advice, row) => {
    const { status, text } = await answer(row);
    expect([status, text]).toEqual([400, expect.stringContaining(advice)]);
  });

  // The word of Google's enumeration for no choice (https://ai.google.dev/api/generate-content, November 2026).
  it.each(['serviceTier', 'service_tier'])('is none: unspecified in %s', async (name) => {
    const { status, text, row } = await answer(ofGemini({ [name]: 'unspecified' }));
    expect([status, status === 200 || text]).toEqual([200, true]);
    expect(row?.quota).toBe(standardOf(gemini));
  });

  it.each(['auto', 'default', 'flex'])('is none: %s', async (word) => {
    const { status, row } = await answer(ofChat('mine', { service_tier: word }));
    expect([status, row?.quota]).toEqual([200, standardOf('mine')]);
    expect(relay.upstream.requests[0]?.body).toMatchObject({ service_tier: word });
  });

  it('passes at the standard price where the site lets it, and the owner is told', async () => {
    relay.setOptions({ ...values, UnpricedTools: 'free' });
    const before = relay.notices.length;
    const { status, row } = await answer(ofChat('mine', priority));
    expect([status, row?.quota]).toEqual([200, standardOf('mine')]);
    await relay.idle();
    expect(relay.notices.slice(before)).toEqual([
      expect.objectContaining({ values: expect.arrayContaining(['service_tier', 'mine']) as unknown }),
    ]);
  });

  it('is covered by a price per call', async () => {
    relay.setOptions({ ModelPrice: { mine: 0.1 } });
    const { status, row } = await answer(ofChat('mine', priority));
    expect([status, row?.quota]).toEqual([200, 50_000]);
  });
});
