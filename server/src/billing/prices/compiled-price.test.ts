import { Decimal as PlainDecimal } from 'decimal.js';
import fc from 'fast-check';
import { noUsage, type Usage } from '../../shared/usage.js';
import { boundOfCard, chargeOfUsage, reserveOf } from './card-charge.js';
import { Exact } from './rounding.js';
import { chargeOfTest } from './channel-test.js';
import { priceOfCall, priceOfRatios, type Formula, type Price, type Ratios } from './compiled-price.js';
import { imageFactor, oneCall, transcriptionTokens, type ImageRequest } from './table-usage.js';

const Decimal = PlainDecimal.clone({ precision: 60 });
const quotaPerUnit = 500_000;

const ratio = (
  modelRatio: number,
  { groupRatio = 1, ...rest }: Partial<Ratios> & { readonly groupRatio?: number } = {},
): Price =>
  priceOfRatios(
    'm',
    {
      modelRatio,
      completionRatio: 1,
      cacheRatio: 1,
      cacheWriteRatio: 1.25,
      audioRatio: 20,
      audioCompletionRatio: 2,
      ...rest,
    },
    { groupRatio },
    quotaPerUnit,
  );
const perCall = (usd: number, groupRatio = 1): Price => priceOfCall('m', usd, { groupRatio });

const chargeAs =
  (formula: Formula) =>
  ({ cards, groupRatio }: Price, usage: Partial<Usage>, times?: number) =>
    chargeOfUsage(cards[formula], { ...noUsage, ...usage }, groupRatio, quotaPerUnit, times);
const chargeOf = chargeAs('text');
const chargeOfMessages = chargeAs('messages');
const held = (
  { cards, groupRatio }: Price,
  { promptTokens, maxOutput, unlimited }: { promptTokens: number; maxOutput: number; unlimited: number },
): number => reserveOf(cards.text, maxOutput > 0 ? promptTokens + maxOutput : unlimited, groupRatio, quotaPerUnit);

const tokens = (promptTokens: number, completionTokens: number, cachedTokens = 0, cacheWriteTokens = 0) => ({
  promptTokens,
  completionTokens,
  cachedTokens,
  cacheWriteTokens,
});

const gpt4o = ratio(1.25, { completionRatio: 4, cacheRatio: 0.5 });
const mini = ratio(0.075, { completionRatio: 4 });

describe('text charge, the worked examples of the reference', () => {
  it.each([
    ['B1', gpt4o, tokens(1000, 500), 3750],
    ['B2', { ...gpt4o, groupRatio: 0.8 }, tokens(1000, 500, 400), 2800],
    ['B3', mini, tokens(3, 1), 1],
    ['B4', mini, tokens(1, 1), 0],
    ['B5', ratio(0.25), tokens(2, 0), 1],
    ['B6', ratio(15, { completionRatio: 2 }), tokens(100, 50), 3000],
    ['B7', ratio(0.135, { completionRatio: 4, cacheRatio: 0.25 }), tokens(2000, 300, 1500), 280],
    ['B8', ratio(0), tokens(100, 50), 0],
    ['B9', gpt4o, tokens(0, 0), 0],
    ['B10', perCall(0.1, 0.7), tokens(7, 9), 35_000],
    ['B11 1000', ratio(0.01), tokens(1000, 0), 10],
    ['B11 50', ratio(0.01), tokens(50, 0), 1],
    ['B11 40', ratio(0.01), tokens(40, 0), 0],
    ['B12', ratio(0.075, { completionRatio: 35 / 6 }), tokens(1000, 200), 162],
    ['B13', ratio(7.5), tokens(5, 0), 38],
    ['B14 61.2 s', ratio(15), tokens(transcriptionTokens(61.2), 0), 15_495],
    ['B14 60 s', ratio(15), tokens(transcriptionTokens(60), 0), 15_000],
    ['B14 1 s', ratio(15), tokens(transcriptionTokens(1), 0), 255],
    [
      'B18',
      ratio(1.5, { completionRatio: 5, cacheRatio: 0.1, cacheWriteRatio: 1.25 }),
      tokens(10 + 2000 + 500, 100, 2000, 500),
      2003,
    ],
  ])('%s', (_name, price, usage, expected) => {
    expect(chargeOf(price, usage).quota).toBe(expected);
  });
});

describe('messages charge', () => {
  it.each([
    [
      'B17',
      ratio(1.5, { completionRatio: 5, cacheRatio: 0.1, cacheWriteRatio: 1.25 }),
      tokens(10 + 2000 + 500, 100, 2000, 500),
      2002,
    ],
    ['B19', ratio(7.5, { completionRatio: 5, groupRatio: 1.2 }), tokens(1000, 200), 18_000],
  ])('%s', (_name, price, usage, expected) => {
    expect(chargeOfMessages(price, usage).quota).toBe(expected);
  });
});

describe('audio charge', () => {
  const audio = (
    textInputTokens: number,
    textOutputTokens: number,
    audioInputTokens: number,
    audioOutputTokens: number,
  ) => ({
    promptTokens: textInputTokens + audioInputTokens,
    completionTokens: textOutputTokens + audioOutputTokens,
    audioInputTokens,
    audioOutputTokens,
  });
  it.each([
    ['B20', ratio(1.25, { completionRatio: 4, audioRatio: 40 }), audio(100, 50, 200, 300), 40_375],
    ['B21 and B24', ratio(2.5, { completionRatio: 4, audioRatio: 20 }), audio(120, 30, 50, 40), 7100],
    ['B21b full', ratio(2.5, { completionRatio: 4, audioRatio: 8 }), audio(100, 100, 60, 60), 4850],
    ['B21b mini', ratio(0.3, { completionRatio: 4, audioRatio: 50 / 3 }), audio(100, 100, 60, 60), 1050],
    ['silence', ratio(2.5), audio(0, 0, 0, 0), 0],
  ])('%s', (_name, price, usage, expected) => {
    expect(chargeAs('audio')(price, usage).quota).toBe(expected);
  });

  it('audio output costs the same when the provider reports reasoning beside it', () => {
    const price = ratio(1, { completionRatio: 4, audioRatio: 20 });
    const usage = { promptTokens: 0, completionTokens: 10, audioOutputTokens: 10 };
    expect(chargeAs('audio')(price, { ...usage, reasoningTokens: 5 }).quota).toBe(400);
  });
});

describe('image, task and test charges', () => {
  const image = (size: string, quality: string, count: number, upstreamModel = 'dall-e-3'): ImageRequest => ({
    size,
    quality,
    count,
    upstreamModel,
  });
  it.each([
    ['B15 standard', perCall(0.04), image('1024x1024', 'standard', 1), 20_000],
    ['B15 hd', perCall(0.04), image('1024x1024', 'hd', 1), 40_000],
    ['B15 hd tall n2', perCall(0.04), image('1024x1792', 'hd', 2), 120_000],
    ['B15 wide 0.9', perCall(0.04, 0.9), image('1792x1024', 'standard', 1), 36_000],
    ['B16', ratio(16), image('512x512', 'standard', 3, 'other'), 27_000],
  ])('%s', (_name, price, order, expected) => {
    expect(chargeAs('images')(price, oneCall, imageFactor(order)).quota).toBe(expected);
  });

  it.each([
    ['B22 imagine', perCall(0.1), 50_000],
    ['B22 upscale', perCall(0.05), 25_000],
    ['B22 lyrics', perCall(0.01), 5000],
    ['B22 custom', perCall(0.04, 0.7), 14_000],
  ])('%s', (_name, price, expected) => {
    expect(chargeAs('task')(price, oneCall).quota).toBe(expected);
  });

  it('B26 channel test', () => {
    expect(chargeOfTest({ ...mini, groupRatio: 3 }, { promptTokens: 8, completionTokens: 9 }, quotaPerUnit)).toBe(3);
  });
});

describe('reserve', () => {
  it.each([
    ['B23 with max_tokens', ratio(1.25), { promptTokens: 1200, maxOutput: 800 }, 2500],
    ['B23 without', ratio(1.25), { promptTokens: 1200, maxOutput: 0 }, 625],
    ['B23 gpt-4', ratio(15, { groupRatio: 0.8 }), { promptTokens: 0, maxOutput: 0 }, 6000],
    ['B23 truncates', ratio(0.075, { groupRatio: 0.7 }), { promptTokens: 100, maxOutput: 50 }, 7],
    ['per call', perCall(0.1, 0.7), { promptTokens: 5, maxOutput: 5 }, 35_000],
  ])('%s', (_name, price, estimate, expected) => {
    expect(held(price, { unlimited: 500, ...estimate })).toBe(expected);
  });

  it.each([
    ['plain', 0.5, null, 200],
    ['a cache write', 0.5, '5m', 225],
    ['a cache write for an hour', 0.5, '1h', 300],
    ['a cache read, where it costs most', 3, '1h', 400],
  ] as const)('StrictReserve prices the prompt as %s', (_name, cacheRatio, writesCache, expected) => {
    const { cards, groupRatio } = ratio(1, { completionRatio: 2, cacheRatio });
    const bound = { promptTokens: 100, outputTokens: 50, writesCache, hasAudio: false, hasImages: false, when: [] };
    expect(boundOfCard(cards.text, bound, groupRatio, quotaPerUnit)).toBe(expected);
  });
});

describe('for every usage', () => {
  const count = fc.integer({ min: 0, max: 2 ** 31 - 1 });
  const price = fc.record({
    modelRatio: fc.double({ min: 0, max: 1000, noNaN: true }),
    completionRatio: fc.double({ min: 0, max: 100, noNaN: true }),
    cacheRatio: fc.double({ min: 0, max: 10, noNaN: true }),
    groupRatio: fc.double({ min: 0, max: 100, noNaN: true }),
  });

  it('a charge is a whole number, never negative, and nothing for a free price', () => {
    fc.assert(
      fc.property(price, count, count, count, count, (part, prompt, completion, cached, written) => {
        const full = ratio(part.modelRatio, part);
        for (const charge of [chargeOf, chargeOfMessages]) {
          const { quota, rest } = charge(full, tokens(prompt, completion, cached, written));
          expect(Number.isInteger(quota) && Number.isInteger(rest)).toBe(true);
          expect(Math.abs(rest)).toBeLessThan(1_000_000_000);
          expect(quota).toBeGreaterThanOrEqual(0);
          if (full.isFree) expect(quota).toBe(0);
        }
      }),
    );
  });

  it('whole-number arithmetic and decimals agree to the billionth of a unit', () => {
    const short = fc.tuple(fc.nat(99_999), fc.nat(5)).map(([mantissa, digits]) => Number(`${mantissa}e-${digits}`));
    fc.assert(
      fc.property(
        fc.array(short, { minLength: 4, maxLength: 4 }),
        count,
        count,
        count,
        (ratios, prompt, completion, cached) => {
          const [modelRatio = 0, completionRatio = 0, cacheRatio = 0, groupRatio = 0] = ratios;
          const usage = tokens(prompt, completion, Math.min(cached, prompt));
          const exact = new Exact(prompt - usage.cachedTokens)
            .plus(new Exact(usage.cachedTokens).times(cacheRatio))
            .plus(new Exact(completion).times(completionRatio))
            .times(modelRatio)
            .times(groupRatio);
          const price = ratio(modelRatio, { completionRatio, cacheRatio, groupRatio });
          if (prompt + completion === 0 || price.isFree) return;
          const due = exact.isZero() ? new Exact(1) : exact;
          const modes = [
            [chargeOf, Decimal.ROUND_HALF_UP],
            [chargeOfMessages, Decimal.ROUND_DOWN],
          ] as const;
          for (const [charge, mode] of modes) {
            const { quota, rest } = charge(price, usage);
            expect(quota).toBe(due.toDecimalPlaces(0, mode).toNumber());
            // Larger charges are refused.
            if (!Number.isSafeInteger(quota)) continue;
            expect(new Exact(quota).times(1e9).plus(rest).toFixed()).toBe(due.times(1e9).floor().toFixed());
          }
          const amount = held(price, { promptTokens: prompt, maxOutput: completion, unlimited: cached });
          const tokensHeld = completion > 0 ? prompt + completion : cached;
          expect(amount).toBe(
            new Decimal(tokensHeld)
              .times(modelRatio)
              .times(groupRatio)
              .toDecimalPlaces(0, Decimal.ROUND_DOWN)
              .toNumber(),
          );
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('more tokens never cost less', () => {
    fc.assert(
      fc.property(price, count, count, fc.integer({ min: 0, max: 1000 }), (part, prompt, completion, more) => {
        const full = ratio(part.modelRatio, part);
        const less = chargeOf(full, tokens(prompt + 1, completion)).quota;
        expect(chargeOf(full, tokens(prompt + 1, completion + more)).quota).toBeGreaterThanOrEqual(less);
      }),
    );
  });
});
