import { parseCostRule } from '../../shared/cost-rule.js';
import type { PriceCard } from '../../shared/price-card.js';
import { ChannelCost } from './channel-cost.js';
import { priceOfCard, type Price } from './compiled-price.js';
import { explainCharge, explainCost } from './explain-charge.js';
import { PriceBook } from './price-book.js';
import { loggedVideo, videoCostOf, videoPriceOf, type Video } from './video-price.js';

/* Amounts in quota: 500,000 are 1 USD. */
const quotaPerUnit = 500_000;

const book = new PriceBook({
  values: {
    ModelPrice: { 'own-video': 0.25 },
    ModelRatio: { 'by-ratio': 2, 'no-charge': 0 },
    CompletionRatio: {},
    CacheRatio: {},
    ToolPrices: {},
    PriceCards: {
      'per-call': { prices: { request: 0.3 } },
      'per-piece': { prices: { image: 0.2 } },
      'only-1080p': {
        prices: { request: 0.1 },
        variants: [{ when: { resolution: '1080p' }, prices: { second: 0.5 } }],
      },
      'with-fee': { prices: { second: 0.1, request: 0.05 } },
      tokens: { prices: { input: 1, output: 2, request: 0.01 } },
      gift: { prices: { input: 0, output: 0 } },
    },
    GroupRatio: { default: 1, half: 0.5, nothing: 0 },
    SelfUseModeEnabled: false,
    QuotaPerUnit: quotaPerUnit,
  },
});

const priceOf = (model: string, group = 'default'): Price => {
  const found = book.find(model, group);
  if (!found) throw new Error(`no price of ${model}`);
  return found;
};
const charged = (model: string, video: Video, group?: string) =>
  videoPriceOf(priceOf(model, group), video, quotaPerUnit);

describe('the price of a video', () => {
  it.each<[model: string, seconds: number, resolution: Video['resolution'], perSecond: number, usd: number]>([
    ['veo-3.1-generate-001', 8, '720p', 0.4, 3.2],
    ['veo-3.1-generate-preview', 8, '4k', 0.6, 4.8],
    ['veo-3.1-fast-generate-001', 8, '1080p', 0.12, 0.96],
    ['grok-imagine-video', 6, '720p', 0.07, 0.42],
    ['grok-imagine-video', 6, '480p', 0.05, 0.3],
    ['grok-imagine-video', 6, null, 0.05, 0.3],
    ['sora-2-pro', 4, '720p', 0.3, 1.2],
    ['sora-2-pro', 4, '1080p', 0.5, 2],
    ['doubao-seedance-2-5-260628', 5, '480p', 0.096075, 0.480375],
    ['only-1080p', 2.5, '1080p', 0.5, 1.35],
    ['with-fee', 4, null, 0.1, 0.45],
  ])('%s: %d s in %s', (model, seconds, resolution, perSecond, usd) => {
    const found = charged(model, { seconds, resolution });
    expect(found).toMatchObject({ perSecond, usd, quota: Math.round(usd * quotaPerUnit) });
  });

  it.each<[model: string, usd: number]>([
    ['own-video', 0.25],
    ['per-call', 0.3],
    ['per-piece', 0.2],
    ['only-1080p', 0.1],
  ])('%s is by the call', (model, usd) => {
    expect(charged(model, { seconds: 12, resolution: '720p' })).toMatchObject({
      perSecond: null,
      usd,
      quota: usd * quotaPerUnit,
    });
  });

  it('follows the group ratio, and is rounded once', () => {
    const video: Video = { seconds: 8, resolution: null };
    expect(charged('veo-3.1-generate-001', video, 'half')?.quota).toBe(800_000);
    expect(charged('own-video', video, 'half')?.quota).toBe(62_500);
    // 3 x 0.33333333 x 500,000 = 499,999.995
    const card: PriceCard = { prices: { second: 0.33333333 } };
    const price = priceOfCard({ name: 'm', card }, 'card', { groupRatio: 1 });
    expect(videoPriceOf(price, { seconds: 3, resolution: null }, quotaPerUnit)?.quota).toBe(500_000);
  });

  it.each(['tokens', 'by-ratio', 'gpt-4o', 'claude-sonnet-4-5'])('%s has none: it is by tokens', (model) => {
    expect(charged(model, { seconds: 8, resolution: null })).toBeNull();
  });

  it.each([
    ['gift', 'default'],
    ['no-charge', 'default'],
    ['by-ratio', 'nothing'],
    ['tokens', 'nothing'],
    ['own-video', 'nothing'],
    ['veo-3.1-generate-001', 'nothing'],
  ])('%s is free in the group %s', (model, group) => {
    const found = charged(model, { seconds: 8, resolution: '4k' }, group);
    expect(found?.quota).toBe(0);
    expect(explainCharge({ ...row, other: stored(found?.other) }).quota).toBe(0);
  });
});

const row = { quota: 0, promptTokens: 0, completionTokens: 0 };
const stored = (other: object | undefined) => JSON.parse(JSON.stringify(other)) as Record<string, unknown>;

describe('the log row of a video', () => {
  it('has what its charge is computed from', () => {
    const found = charged('veo-3.1-fast-generate-001', { seconds: 8, resolution: '1080p' }, 'half');
    expect(stored(found?.other)).toEqual({
      task: true,
      video_seconds: 8,
      price_when: { resolution: '1080p' },
      model_price: -1,
      group_ratio: 0.5,
      quota_per_unit: quotaPerUnit,
      price_version: book.version,
      price_card: 'veo-3.1-fast-generate-001',
      price_as_of: '2026-11',
      components: [['second', 8, 0.12]],
    });
    expect(found?.content).toBe('price card veo-3.1-fast-generate-001, group ratio 0.50, 8 s, 1080p');
    expect(loggedVideo(stored(found?.other))).toEqual({ seconds: 8, resolution: '1080p' });
  });

  it('names the fixed price of a call', () => {
    const found = charged('own-video', { seconds: 12, resolution: null });
    expect(stored(found?.other)).toEqual({
      task: true,
      video_seconds: 12,
      model_price: 0.25,
      group_ratio: 1,
      quota_per_unit: quotaPerUnit,
      price_version: book.version,
    });
    expect(found?.content).toBe('fixed price 0.25, group ratio 1.00, 12 s');
    expect(loggedVideo(stored(found?.other))).toEqual({ seconds: 12, resolution: null });
    expect(loggedVideo({ task: true })).toBeNull();
  });

  it.each(['veo-3.1-generate-001', 'own-video', 'per-call', 'with-fee'])('explains the charge of %s', (model) => {
    const found = charged(model, { seconds: 8, resolution: '4k' }, 'half');
    expect(explainCharge({ ...row, other: stored(found?.other) }).quota).toBe(found?.quota);
  });

  it('states seconds, price and resolution', () => {
    const found = charged('veo-3.1-generate-001', { seconds: 8, resolution: '4k' }, 'half');
    expect(explainCharge({ ...row, other: stored(found?.other) }).text).toBe(
      'round(the sum, when resolution 4k, of\n  8 second x 0.6 USD = 4.8\n) x 500000 x group 0.5',
    );
  });
});

describe('the cost of a video', () => {
  const video: Video = { seconds: 8, resolution: '4k' };
  const costOf = (rule: object, model: string) => {
    const found = new ChannelCost(parseCostRule(rule)).find(model, model);
    if (!found) throw new Error('no cost');
    return found;
  };

  it('is its seconds by the cost card of the channel, or by the list price times the factor', () => {
    const cards = {
      'veo*': { prices: { second: 0.2 }, variants: [{ when: { resolution: '4k' }, prices: { second: 0.3 } }] },
    };
    expect(videoCostOf(costOf({ cards }, 'veo-3.1-generate-001'), video, null)).toEqual({
      usd: 2.4,
      notes: { upstream_cost: 2.4, cost_basis: 'card', cost_card: 'veo*', cost_lines: [['second', 8, 0.3]] },
    });
    const list = costOf({ factor: 0.5 }, 'veo-3.1-generate-001');
    const sale = charged('veo-3.1-generate-001', video)?.sale ?? null;
    const found = videoCostOf(list, video, sale);
    // The lines are those of the charge.
    expect(found).toEqual({
      usd: 2.4,
      notes: { upstream_cost: 2.4, cost_basis: 'list', cost_card: 'veo-3.1-generate-001', cost_factor: 0.5 },
    });
    expect(explainCost({ other: { components: sale?.lines, admin_info: found?.notes } })).toBe(
      'Cost by list price veo-3.1-generate-001: the sum of\n  8 second x 0.6 USD = 4.8\n x factor 0.5 = 2.4 USD',
    );
  });

  it('is that of a call where the card is by the call, and unknown where it is by tokens', () => {
    const cards = { a: { prices: { request: 0.1 } }, b: { prices: { input: 1 } } };
    expect(videoCostOf(costOf({ cards }, 'a'), video, null)?.usd).toBe(0.1);
    expect(videoCostOf(costOf({ cards }, 'b'), video, null)).toBeNull();
  });
});

describe('a video with audio', () => {
  const cards: Readonly<Record<string, PriceCard>> = {
    'own-video': {
      prices: { second: 0.2, secondWithAudio: 0.4 },
      variants: [
        { when: { resolution: '1080p' }, prices: { second: 0.3 } },
        { when: { resolution: '4k' }, prices: { second: 0.5, secondWithAudio: 0.6 } },
      ],
    },
    'one-price': { prices: { second: 0.2 } },
    'audio-only': { prices: { secondWithAudio: 0.4 } },
  };

  it.each<[model: string, resolution: Video['resolution'], hasAudio: boolean, perSecond: number | undefined]>([
    ['own-video', '720p', false, 0.2],
    ['own-video', '720p', true, 0.4],
    ['own-video', null, true, 0.4],
    // Twice the price of a second without audio, as in other resolutions.
    ['own-video', '1080p', true, 0.6],
    ['own-video', '4k', false, 0.5],
    ['own-video', '4k', true, 0.6],
    ['one-price', '720p', true, 0.2],
    ['audio-only', '720p', true, 0.4],
    // A price of audio alone is no price of a video without it.
    ['audio-only', '720p', false, undefined],
  ])('%s in %s, audio: %s', (model, resolution, hasAudio, perSecond) => {
    const video: Video = { seconds: 10, resolution, ...(hasAudio ? { hasAudio } : {}) };
    const card = cards[model];
    if (!card) throw new Error(`no card of ${model}`);
    const found = videoPriceOf(priceOfCard({ name: model, card }, 'card', { groupRatio: 1 }), video, quotaPerUnit);
    expect([found?.perSecond, found?.quota]).toEqual([perSecond, perSecond && perSecond * 10 * quotaPerUnit]);
    if (found) expect(loggedVideo(stored(found.other))).toEqual(video);
  });
});
