import { chargeOfCard, usdOf } from './card-charge.js';
import { componentsOf, type Count } from './card-lines.js';
import { parsePriceCard } from '../../shared/price-card-input.js';
import type { quantities, PriceCard } from '../../shared/price-card.js';
import type { Condition } from '../../shared/price-condition.js';

const quotaPerUnit = 500_000;

const sonnet: PriceCard = {
  prices: { input: 3, cachedInput: 0.3, cacheWrite: 3.75, cacheWrite1h: 6, output: 15, webSearch: 0.01 },
  variants: [{ when: { tier: 'batch' }, factor: 0.5 }],
};
const geminiPro: PriceCard = {
  prices: { input: 1.25, cachedInput: 0.125, output: 10, webSearch: 0.035 },
  contextTiers: [
    {
      above: 200_000,
      prices: { input: 2.5, cachedInput: 0.25, output: 15 },
      variants: [{ when: { tier: 'flex' }, factor: 0.5, prices: { cachedInput: 0.25 } }],
    },
  ],
  variants: [
    { when: { tier: 'flex' }, factor: 0.5, prices: { cachedInput: 0.125 } },
    { when: { tier: 'priority' }, factor: 1.8 },
    { when: { tier: 'batch' }, factor: 0.5 },
  ],
};
const gpt55: PriceCard = {
  prices: { input: 5, cachedInput: 0.5, output: 30, webSearch: 0.01 },
  contextTiers: [{ above: 272_000, prices: { input: 10, cachedInput: 1, output: 45 } }],
  variants: [
    { when: { tier: 'flex' }, factor: 0.5 },
    { when: { tier: 'batch' }, factor: 0.5 },
    { when: { tier: 'priority' }, prices: { input: 12.5, cachedInput: 1.25, output: 75 } },
  ],
};
const gpt5: PriceCard = {
  prices: { input: 1.25, cachedInput: 0.125, output: 10, webSearch: 0.01, fileSearch: 0.0025, codeExecution: 0.03 },
};
const gptImage1: PriceCard = {
  prices: { input: 5, cachedInput: 1.25, imageInput: 10, cachedImageInput: 2.5, imageOutput: 40 },
};
const gptImage15: PriceCard = { prices: { input: 5, imageInput: 8, output: 10, imageOutput: 32 } };
const flashImage: PriceCard = { prices: { input: 0.3, audioInput: 1, output: 2.5, imageOutput: 30 } };
const proImage: PriceCard = { prices: { input: 2, output: 12, imageOutput: 120 } };
const realtime: PriceCard = {
  prices: {
    input: 4,
    cachedInput: 0.4,
    output: 16,
    imageInput: 5,
    cachedImageInput: 0.5,
    audioInput: 32,
    cachedAudioInput: 0.4,
    audioOutput: 64,
  },
};
const qwenMax: PriceCard = {
  prices: { input: 1.2, output: 6 },
  contextTiers: [
    { above: 32_000, prices: { input: 2.4, output: 12 } },
    { above: 128_000, prices: { input: 3, output: 15 } },
  ],
};
const stepped: PriceCard = {
  prices: { input: 1, cachedInput: 0.1, output: 5 },
  contextTiers: [{ above: 100_000, prices: { input: 2, cachedInput: 0.2 } }],
  contextScope: 'excess',
};
const deepResearch: PriceCard = { prices: { input: 2, output: 8, reasoning: 3, webSearch: 0.005 } };
const only = (prices: PriceCard['prices']): PriceCard => ({ prices });

type Usage = Partial<Record<(typeof quantities)[number], number>>;
const counts = (usage: Usage): Count[] => Object.entries(usage) as Count[];

describe('charge by a price card', () => {
  // prettier-ignore
  it.each<[id: string, what: string, PriceCard, Usage, Condition | null, usd: string, quota: number]>([
    ['P1', 'Sonnet, written for one hour', sonnet, { input: 10, cacheWrite1h: 1e5, output: 100 }, null, '0.60153', 300_765],
    ['P2', 'Sonnet, written for five minutes', sonnet, { input: 10, cacheWrite: 1e5, output: 100 }, null, '0.37653', 188_265],
    ['P3', 'Sonnet, read', sonnet, { input: 10, cachedInput: 1e5, output: 100 }, null, '0.03153', 15_765],
    ['P4', 'Sonnet, written for both', sonnet, { input: 10, cacheWrite: 5e4, cacheWrite1h: 5e4, output: 100 }, null, '0.48903', 244_515],
    ['P5', 'Sonnet, three searches', sonnet, { input: 1000, output: 500, webSearch: 3 }, null, '0.0405', 20_250],
    ['P6', 'Sonnet, batch', sonnet, { input: 10, cacheWrite1h: 1e5, output: 100 }, { tier: 'batch' }, '0.300765', 150_383],
    ['P7', 'Sonnet, batch with searches', sonnet, { input: 1000, output: 500, webSearch: 3 }, { tier: 'batch' }, '0.03525', 17_625],
    ['P8', 'Sonnet, priority is no tier of it', sonnet, { input: 1000, output: 500 }, { tier: 'priority' }, '0.0105', 5250],
    ['P9', 'Sonnet, thoughts cost what output costs', sonnet, { input: 1000, output: 100, reasoning: 400 }, null, '0.0105', 5250],
    ['P10', 'Gemini 2.5 Pro at 199,999', geminiPro, { input: 199_999, output: 1000 }, null, '0.25999875', 129_999],
    ['P11', 'Gemini 2.5 Pro at 200,000', geminiPro, { input: 200_000, output: 1000 }, null, '0.26', 130_000],
    ['P12', 'Gemini 2.5 Pro at 200,001', geminiPro, { input: 200_001, output: 1000 }, null, '0.5150025', 257_501],
    ['P13', 'cached tokens count for the threshold', geminiPro, { input: 50_001, cachedInput: 150_000, output: 1000 }, null, '0.1775025', 88_751],
    ['P14', 'Gemini 2.5 Pro, flex', geminiPro, { input: 1e5, output: 1000 }, { tier: 'flex' }, '0.0675', 33_750],
    ['P15', 'flex without a discount on the cache', geminiPro, { input: 1e4, cachedInput: 9e4, output: 1000 }, { tier: 'flex' }, '0.0225', 11_250],
    ['P16', 'Gemini 2.5 Pro, priority', geminiPro, { input: 1e5, output: 1000 }, { tier: 'priority' }, '0.243', 121_500],
    ['P17', 'priority above the threshold', geminiPro, { input: 200_001, output: 1000 }, { tier: 'priority' }, '0.9270045', 463_502],
    ['P18', 'batch above the threshold', geminiPro, { input: 200_001, output: 1000 }, { tier: 'batch' }, '0.25750125', 128_751],
    ['P19', 'flex above the threshold, cached', geminiPro, { input: 1, cachedInput: 200_000, output: 1000 }, { tier: 'flex' }, '0.05750125', 28_751],
    ['P20', 'Gemini, two grounded searches', geminiPro, { input: 100, output: 100, webSearch: 2 }, null, '0.071125', 35_563],
    ['P21', 'GPT-5.5 at 271,999', gpt55, { input: 271_999, output: 1000 }, null, '1.389995', 694_998],
    ['P22', 'GPT-5.5 at 272,000', gpt55, { input: 272_000, output: 1000 }, null, '1.39', 695_000],
    ['P23', 'GPT-5.5 at 272,001', gpt55, { input: 272_001, output: 1000 }, null, '2.76501', 1_382_505],
    ['P24', 'GPT-5.5, flex above the threshold', gpt55, { input: 272_001, output: 1000 }, { tier: 'flex' }, '1.382505', 691_253],
    ['P25', 'GPT-5.5, priority', gpt55, { input: 10_000, output: 1000 }, { tier: 'priority' }, '0.2', 100_000],
    ['P26', 'priority has no long price: the higher one', gpt55, { input: 300_000, output: 1000 }, { tier: 'priority' }, '3.825', 1_912_500],
    ['P27', 'GPT-5.5, flex', gpt55, { input: 10_000, output: 1000 }, { tier: 'flex' }, '0.04', 20_000],
    ['P28', 'GPT-5.5, cached', gpt55, { input: 2000, cachedInput: 8000, output: 1000 }, null, '0.044', 22_000],
    ['P29', 'gpt-image-1, text to image', gptImage1, { input: 100, imageOutput: 1056 }, null, '0.04274', 21_370],
    ['P30', 'gpt-image-1, image to image', gptImage1, { input: 100, imageInput: 323, imageOutput: 4160 }, null, '0.17013', 85_065],
    ['P31', 'gpt-image-1, cached text and image', gptImage1, { input: 60, cachedInput: 40, imageInput: 200, cachedImageInput: 100, imageOutput: 1000 }, null, '0.0426', 21_300],
    ['P32', 'gpt-image-1.5, text beside the image', gptImage15, { input: 50, output: 200, imageOutput: 1000 }, null, '0.03425', 17_125],
    ['P33', 'Gemini image by chat', flashImage, { input: 10, output: 20, imageOutput: 1290 }, null, '0.038753', 19_377],
    ['P34', 'Gemini image by chat, from an image', flashImage, { input: 10, imageInput: 258, imageOutput: 1290 }, null, '0.0387804', 19_390],
    ['P35', 'Gemini 3 image by chat, with thoughts', proImage, { input: 15, reasoning: 300, imageOutput: 1120 }, null, '0.13803', 69_015],
    ['P36', 'realtime, text and audio', realtime, { input: 100, output: 50, audioInput: 200, audioOutput: 300 }, null, '0.0268', 13_400],
    ['P37', 'realtime, audio with cache', realtime, { input: 100, cachedInput: 400, audioInput: 500, cachedAudioInput: 1500, audioOutput: 200 }, null, '0.02996', 14_980],
    ['P38', 'realtime, cached images', realtime, { input: 10, imageInput: 100, cachedImageInput: 900, output: 10 }, null, '0.00115', 575],
    ['P39', 'audio into a text model', flashImage, { input: 10, audioInput: 3200, output: 100 }, null, '0.003453', 1727],
    ['P40', 'GPT-5, web searches', gpt5, { input: 1000, output: 500, webSearch: 4 }, null, '0.04625', 23_125],
    ['P41', 'GPT-5, file searches', gpt5, { input: 1000, output: 500, fileSearch: 2 }, null, '0.01125', 5625],
    ['P42', 'GPT-5, a code container', gpt5, { input: 1000, output: 500, codeExecution: 1 }, null, '0.03625', 18_125],
    ['P43', 'tokens and a price per request', only({ input: 3, output: 15, request: 0.006 }), { input: 100, output: 200, request: 1 }, null, '0.0093', 4650],
    ['P44', 'reasoning with a price of its own', deepResearch, { input: 50, output: 1000, reasoning: 5000, webSearch: 20 }, null, '0.1231', 61_550],
    ['P45', 'seconds of audio', only({ second: 0.0001 }), { second: 61.2 }, null, '0.00612', 3060],
    ['P46', 'pages', only({ page: 0.002 }), { page: 12 }, null, '0.024', 12_000],
    ['P47', 'a request', only({ request: 0.0025 }), { request: 1 }, null, '0.0025', 1250],
    ['P48', 'images', only({ image: 0.02 }), { image: 4 }, null, '0.08', 40_000],
    ['P49', 'characters', only({ character: 0.000015 }), { character: 5 }, null, '0.000075', 38],
    ['P50', 'three tiers, at the first threshold', qwenMax, { input: 32_000, output: 1000 }, null, '0.0444', 22_200],
    ['P51', 'three tiers, above the first', qwenMax, { input: 32_001, output: 1000 }, null, '0.0888024', 44_401],
    ['P52', 'three tiers, at the second', qwenMax, { input: 128_000, output: 1000 }, null, '0.3192', 159_600],
    ['P53', 'three tiers, above the second', qwenMax, { input: 128_001, output: 1000 }, null, '0.399003', 199_502],
    ['P54', 'only the part above', stepped, { input: 100_001, output: 1000 }, null, '0.105002', 52_501],
    ['P55', 'the part above is partly cached', stepped, { input: 30_000, cachedInput: 120_000, output: 1000 }, null, '0.079', 39_500],
    ['P56', 'the part above is all new', stepped, { input: 110_000, cachedInput: 40_000, output: 1000 }, null, '0.169', 84_500],
    ['P57', 'DeepSeek, read from the cache', only({ input: 0.28, cachedInput: 0.028, output: 0.42 }), { input: 500, cachedInput: 1500, output: 300 }, null, '0.000308', 154],
    ['P58', 'what has no price falls back to input', only({ input: 1, output: 2 }), { input: 1, cachedInput: 10, cacheWrite: 100, cacheWrite1h: 1000, audioInput: 1e4, imageInput: 1e5 }, null, '0.111111', 55_556],
    ['P59', 'a fraction of half a unit', only({ input: 1 }), { input: 1 }, null, '0.000001', 1],
    ['P60', 'digits beyond what integers hold', only({ input: 1 / 3, output: 2 / 7 }), { input: 999_999_999, output: 999_999_999 }, null, '619.047618428571381', 309_523_809],
  ])('%s %s', (_id, _what, card, usage, when, usd, quota) => {
    const parsed = parsePriceCard(JSON.parse(JSON.stringify(card)));
    expect(parsed).toEqual(card);
    const priced = { counts: counts(usage), when };
    const exact = usdOf(componentsOf(parsed, priced));
    expect(exact.toSignificantDigits(19).toString()).toBe(usd);
    expect(chargeOfCard(parsed, priced, 1, quotaPerUnit).quota).toBe(quota);
  });

  it('is multiplied by the group ratio before it is rounded', () => {
    const usage = { counts: counts({ input: 10, cacheWrite1h: 1e5, output: 100 }), when: null };
    expect(chargeOfCard(sonnet, usage, 0.8, quotaPerUnit).quota).toBe(240_612);
    expect(chargeOfCard(sonnet, usage, 0, quotaPerUnit).quota).toBe(0);
  });

  it('is nothing for nothing', () => {
    expect(chargeOfCard(sonnet, { counts: [], when: null }, 1, quotaPerUnit).quota).toBe(0);
    expect(componentsOf(sonnet, { counts: [['input', 0]], when: null })).toEqual([]);
  });

  it('has a line for each quantity, in a fixed order', () => {
    const usage = counts({ webSearch: 2, output: 100, cacheWrite1h: 1e5, input: 10, fileSearch: 3 });
    expect(componentsOf(sonnet, { counts: usage, when: null })).toEqual([
      ['input', 10, 3],
      ['cacheWrite1h', 100_000, 6],
      ['output', 100, 15],
      ['webSearch', 2, 0.01],
    ]);
  });
});
