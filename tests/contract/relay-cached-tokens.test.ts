/** Cached tokens of images and audio, and reports of cached tokens beside those of the prompt. */
import {
  cachedFallbacks,
  isTokenQuantity,
  priceFallbacks,
  type PriceCard,
} from '../../server/src/shared/price-card.js';
import { chat, events, json } from '../support/upstream/replies.js';
import { type LogRow, type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started));

interface GeminiCounts {
  readonly prompt: number;
  readonly cached: number;
  readonly output: number;
  /** Number of cached tokens that are not text. */
  readonly media: number;
}

/** Returns the usage as Google reports it: cached tokens are part of the prompt, listed by modality. */
const geminiAnswer = (modality: string, { prompt, cached, output, media }: GeminiCounts): object => ({
  candidates: [{ index: 0, finishReason: 'STOP', content: { role: 'model', parts: [{ text: 'hi' }] } }],
  usageMetadata: {
    promptTokenCount: prompt,
    candidatesTokenCount: output,
    totalTokenCount: prompt + output,
    cachedContentTokenCount: cached,
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: prompt - media },
      { modality, tokenCount: media },
    ],
    cacheTokensDetails: [
      { modality: 'TEXT', tokenCount: cached - media },
      { modality, tokenCount: media },
    ],
  },
});

const image: GeminiCounts = { prompt: 24_643, cached: 24_503, output: 110, media: 22_000 };
const audio: GeminiCounts = { prompt: 10_000, cached: 9000, output: 100, media: 8000 };

async function callGemini(model: string, stream: boolean, ofChat: boolean): Promise<LogRow> {
  const { key, userId } = await relay.addToken();
  const path = `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
  const response = ofChat
    ? await relay.chat(key, { model, messages: userMessage('hi'), stream })
    : await relay.post(path, key, { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] });
  expect(response.status).toBe(200);
  await response.text();
  const [row] = await relay.logsOf(userId, 1);
  return row as LogRow;
}

describe.each([
  ['an image', 'IMAGE', 'gemini-2.5-flash', image, ['cachedImageInput', 22_000, 0.03]],
  ['a recording', 'AUDIO', 'gemini-2.5-pro', audio, ['cachedAudioInput', 8000, 0.125]],
  ['a recording that costs more than text', 'AUDIO', 'gemini-3.5-flash', audio, ['cachedAudioInput', 8000, 0.15]],
  ['a video', 'VIDEO', 'gemini-2.5-pro', audio, ['cachedInput', 9000, 0.125]],
  ['a document', 'DOCUMENT', 'gemini-2.5-pro', audio, ['cachedInput', 9000, 0.125]],
] as const)('cached tokens of %s', (_name, modality, model, counts, line) => {
  it.each([
    ['native', false, false],
    ['native, in a stream', true, false],
    ['of a chat client', false, true],
    ['of a chat client, in a stream', true, true],
  ])('have the cached price: %s', async (_form, stream, ofChat) => {
    await relay.addChannel({ type: 24, models: model });
    const answer = geminiAnswer(modality, counts);
    relay.upstream.script({}, stream ? events([JSON.stringify(answer)], { done: false }) : json(answer));
    const row = await callGemini(model, stream, ofChat);
    expect(row.other['components']).toContainEqual(line);
    const admin = row.other['admin_info'] as { upstream_cost: number };
    expect(Math.round(admin.upstream_cost * 500_000)).toBe(row.quota);
  });
});

it('charges the published sums of cached images and audio', async () => {
  await relay.addChannel({ type: 24, models: 'gemini-2.5-flash,gemini-2.5-pro' });
  relay.upstream.script({}, json(geminiAnswer('IMAGE', { ...image, output: 0 })));
  const { quota: ofImage } = await callGemini('gemini-2.5-flash', false, false);
  relay.upstream.script({}, json(geminiAnswer('AUDIO', { ...audio, output: 0 })));
  const { quota: ofAudio } = await callGemini('gemini-2.5-pro', false, false);
  // The charges are 140 x 0.3 + 24,503 x 0.03, and 1,000 x 1.25 + 9,000 x 0.125 USD per million. The remaining output token
  // is text that was counted here.
  expect([ofImage, ofAudio]).toEqual([
    Math.round((140 * 0.3 + 24_503 * 0.03 + 1 * 2.5) / 2),
    Math.round((1000 * 1.25 + 9000 * 0.125 + 1 * 10) / 2),
  ]);
});

describe('a tier that prices input and not what is based on it', () => {
  const card: PriceCard = {
    prices: { input: 1, cachedInput: 0.1, output: 8, reasoning: 4 },
    contextTiers: [{ above: 1000, prices: { input: 2, output: 16 } }],
    variants: [{ when: { tier: 'flex' }, prices: { input: 0.5, output: 2 } }],
  };

  const call = async (usage: object, tier?: string): Promise<LogRow> => {
    await relay.clearChannels();
    relay.setOptions({ PriceCards: { mine: card } });
    await relay.addChannel({ models: 'mine' });
    const { key, userId } = await relay.addToken();
    relay.upstream.script(
      {},
      chat({ text: 'hi', usage: usage as never, ...(tier ? { extra: { service_tier: tier } } : {}) }),
    );
    await (await relay.chat(key, { model: 'mine', messages: userMessage('hi') })).text();
    const [row] = await relay.logsOf(userId, 1);
    return row as LogRow;
  };
  const usage = (prompt: number, cached: number) => ({
    prompt_tokens: prompt,
    completion_tokens: 10,
    total_tokens: prompt + 10,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: 4 },
  });

  it('keeps their relation, for long prompts', async () => {
    const { other } = await call(usage(2000, 1500));
    expect(other['components']).toEqual([
      ['input', 500, 2],
      ['cachedInput', 1500, 0.2],
      ['output', 6, 16],
      ['reasoning', 4, 8],
    ]);
  });

  it('keeps their relation, in a service tier', async () => {
    const { other } = await call(usage(500, 300), 'flex');
    expect(other['components']).toEqual([
      ['input', 200, 0.5],
      ['cachedInput', 300, 0.05],
      ['output', 6, 2],
      ['reasoning', 4, 1],
    ]);
  });
});

/** Each quantity of tokens that costs what another one costs, or is discounted as it is, where it has no price of its own. */
const based = [...priceFallbacks, ...cachedFallbacks].filter(([part]) => isTokenQuantity(part));

describe.each(based)('%s, which is based on %s,', (part) => {
  const ofOutput = ['reasoning', 'audioOutput', 'imageOutput'].includes(part);
  const count = ofOutput ? 4 : 300;
  /** The usage with the tokens of this quantity, as OpenAI and gateways report them. */
  const usageOf = (prompt: number): object => {
    const cached = { cached_tokens: count };
    const details: Readonly<Record<string, object>> = {
      cachedInput: cached,
      cacheWrite: { cache_write_tokens: count },
      cacheWrite1h: { cache_write_tokens: count, cache_write_tokens_details: { ttl_12h_tokens: count } },
      audioInput: { audio_tokens: count },
      cachedAudioInput: { ...cached, audio_tokens: count, cached_tokens_details: { audio_tokens: count } },
      imageInput: { image_tokens: count },
      cachedImageInput: { ...cached, image_tokens: count, cached_tokens_details: { image_tokens: count } },
      reasoning: { reasoning_tokens: count },
      audioOutput: { audio_tokens: count },
      imageOutput: { image_tokens: count },
    };
    return {
      prompt_tokens: prompt,
      completion_tokens: 10,
      total_tokens: prompt + 10,
      [ofOutput ? 'completion_tokens_details' : 'prompt_tokens_details']: details[part],
    };
  };
  const own = 3;
  const short = 500;
  const long = 2000;

  it.each<[form: string, prompt: number, tier: string | undefined, times: number]>([
    ['at the standard price', short, undefined, 1],
    ['in a context tier that prices input and output alone', long, undefined, 2],
    ['in a service tier that prices input and output alone', short, 'flex', 0.5],
    ['in a service tier with a factor', short, 'priority', 2],
    ['in both', long, 'priority', 4],
  ])('has its price, and the cost the same: %s', async (_form, prompt, tier, times) => {
    for (const stated of [true, false]) {
      const card: PriceCard = {
        prices: { input: 1, output: 8, ...(stated ? { [part]: own } : {}) },
        contextTiers: [{ above: 1000, prices: { input: 2, output: 16 } }],
        variants: [
          { when: { tier: 'flex' }, prices: { input: 0.5, output: 4 } },
          { when: { tier: 'priority' }, factor: 2 },
        ],
      };
      await relay.clearChannels();
      relay.setOptions({ PriceCards: { mine: card } });
      await relay.addChannel({ models: 'mine', cost: { factor: 1, cards: { mine: card } } });
      const { key, userId } = await relay.addToken();
      const extra = tier ? { extra: { service_tier: tier } } : {};
      relay.upstream.script({}, chat({ text: 'hi', usage: usageOf(prompt) as never, ...extra }));
      await (await relay.chat(key, { model: 'mine', messages: userMessage('hi') })).text();
      const [row] = await relay.logsOf(userId, 1);
      expect(row?.other['components']).toContainEqual([part, count, times * (stated ? own : ofOutput ? 8 : 1)]);
      const admin = row?.other['admin_info'] as { upstream_cost: number };
      expect(Math.round(admin.upstream_cost * 500_000)).toBe(row?.quota);
    }
  });
});

describe('more cached tokens than the prompt has', () => {
  const usage = {
    prompt_tokens: 56_322,
    completion_tokens: 500,
    total_tokens: 56_822,
    prompt_tokens_details: { cached_tokens: 72_960 },
  };

  it.each([
    ['by ratio', {}],
    ['by card', { PriceCards: { 'claude-sonnet-4-5': { prices: { input: 3, cachedInput: 0.3, output: 15 } } } }],
  ])('are beside it: both are charged %s, and the row says so', async (_form, options) => {
    relay.setOptions({
      ModelRatio: { 'claude-sonnet-4-5': 1.5 },
      CacheRatio: { 'claude-sonnet-4-5': 0.1 },
      CompletionRatio: { 'claude-sonnet-4-5': 5 },
      ...options,
    });
    await relay.addChannel({ models: 'claude-sonnet-4-5' });
    for (const stream of [false, true]) {
      const { key, userId } = await relay.addToken();
      relay.upstream.script({}, chat({ text: 'hi', usage }));
      await (await relay.chat(key, { model: 'claude-sonnet-4-5', messages: userMessage('hi'), stream })).text();
      const [row] = await relay.logsOf(userId, 1);
      expect(row).toMatchObject({
        prompt_tokens: 129_282,
        quota: Math.round((56_322 * 3 + 72_960 * 0.3 + 500 * 15) / 2),
        other: { cache_beside_prompt: true },
      });
      const admin = row?.other['admin_info'] as { upstream_cost: number };
      expect(Math.round(admin.upstream_cost * 500_000)).toBe(row?.quota);
    }
  });

  it('of a report that includes them stay a part of the prompt', async () => {
    await relay.addChannel();
    const { key, userId } = await relay.addToken();
    const including = { ...usage, prompt_tokens_details: { cached_tokens: 56_000 } };
    relay.upstream.script({}, chat({ text: 'hi', usage: including }));
    await (await relay.chat(key, { model: 'gpt-4o', messages: userMessage('hi') })).text();
    const [row] = await relay.logsOf(userId, 1);
    expect(row).toMatchObject({ prompt_tokens: 56_322, quota: Math.round((322 + 28_000 + 2000) * 1.25) });
    expect(row?.other).not.toHaveProperty('cache_beside_prompt');
  });
});
