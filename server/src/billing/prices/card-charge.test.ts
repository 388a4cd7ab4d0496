import { Decimal as PlainDecimal } from 'decimal.js';
import fc from 'fast-check';
import { boundOfCard, chargeOfCard, usdOf, roundedUp } from './card-charge.js';
import { Exact } from './rounding.js';
import { type CallBound, componentsOf, type Count } from './card-lines.js';
import { parsePriceCard, PriceCardError } from '../../shared/price-card-input.js';
import {
  quantities,
  tokenQuantities,
  toolCounts,
  toolRows,
  type PriceCard,
  type ToolWork,
} from '../../shared/price-card.js';
import { conditions } from '../../shared/price-condition.js';

const Decimal = PlainDecimal.clone({ precision: 60 });
const quotaPerUnit = 500_000;

const price = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 1, max: 100_000 }).map((cents) => cents / 1000),
  fc.double({ min: 1e-9, max: 1000, noNaN: true }),
);
const somePrices = fc
  .record(Object.fromEntries(quantities.map((name) => [name, price])), { requiredKeys: [] })
  .map((prices) => ({ input: 1, ...prices }));
const ofVideo = fc.record({ prices: fc.record({ second: price }, { requiredKeys: [] }) }, { requiredKeys: [] });
const ofTokens = fc.record(
  { factor: fc.double({ min: 0, max: 3, noNaN: true }), prices: somePrices },
  { requiredKeys: [] },
);
const someVariants = fc
  .subarray([...conditions])
  .chain((chosen) =>
    fc.tuple(
      ...chosen.map((when) => (when.resolution ? ofVideo : ofTokens).map((terms: object) => ({ when, ...terms }))),
    ),
  );
const someCard = fc
  .record({
    prices: somePrices,
    contextTiers: fc.array(fc.record({ above: fc.integer({ min: 1, max: 5000 }), prices: somePrices }), {
      maxLength: 3,
    }),
    contextScope: fc.constantFrom('call', 'excess'),
    variants: someVariants,
  })
  .map((card) => ({ ...card, contextTiers: [...card.contextTiers].sort((left, right) => left.above - right.above) }))
  .map((card) => {
    try {
      return parsePriceCard(card);
    } catch (error) {
      // Tiers that make a long call cheaper are refused. The same card without them is used instead.
      if (!(error instanceof PriceCardError)) throw error;
      return parsePriceCard({ prices: card.prices, variants: card.variants });
    }
  });
/** Prices that rise with the prompt, so that every card has tiers. */
const risingCard = fc
  .tuple(someCard, fc.array(fc.integer({ min: 1, max: 4000 }), { minLength: 1, maxLength: 3 }))
  .map(([card, steps]) => {
    let above = 0;
    return parsePriceCard({
      ...card,
      contextTiers: steps.map((step, index) => ({
        above: (above += step),
        prices: Object.fromEntries(Object.entries(card.prices).map(([name, each]) => [name, each * (index + 2)])),
      })),
      variants: [
        { when: { tier: 'priority' }, factor: 2 },
        { when: { tier: 'flex' }, factor: 0.5 },
      ],
    });
  });
const anyCard = fc.oneof(someCard, risingCard);
const someCounts = fc.array(fc.tuple(fc.constantFrom(...quantities), fc.integer({ min: 0, max: 6000 })), {
  maxLength: 8,
}) as fc.Arbitrary<Count[]>;
const someCondition = fc.option(fc.constantFrom(...conditions), { nil: null });

describe('for every card and usage', () => {
  it('the charge is never negative and the lines add up to it', () => {
    fc.assert(
      fc.property(
        anyCard,
        someCounts,
        someCondition,
        fc.double({ min: 0, max: 10, noNaN: true }),
        (card, list, when, group) => {
          const usage = { counts: list, when };
          const components = componentsOf(card, usage);
          const sum = components.reduce(
            (total, [quantity, count, each]) =>
              total.plus(
                new Exact(count)
                  .times(each)
                  .dividedBy((tokenQuantities as readonly string[]).includes(quantity) ? 1e6 : 1),
              ),
            new Exact(0),
          );
          expect(sum.isNegative()).toBe(false);
          const { quota, rest } = chargeOfCard(card, usage, group, quotaPerUnit);
          const due = sum.times(quotaPerUnit).times(group);
          expect(quota).toBe(due.toDecimalPlaces(0, Decimal.ROUND_HALF_UP).toNumber());
          if (!Number.isSafeInteger(quota)) return;
          expect(new Exact(quota).times(1e9).plus(rest).toFixed()).toBe(due.times(1e9).floor().toFixed());
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('neither the order nor the split of a usage changes the charge', () => {
    const split = someCounts.chain((list) =>
      fc.tuple(
        fc.constant(list),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: list.length, maxLength: list.length }),
        fc.shuffledSubarray(
          [...list.keys(), ...list.keys()].map((_, place) => place),
          {
            minLength: 2 * list.length,
            maxLength: 2 * list.length,
          },
        ),
      ),
    );
    fc.assert(
      fc.property(anyCard, split, someCondition, (card, [list, shares, order], when) => {
        const parts = list.flatMap(([quantity, count], place): Count[] => {
          const first = Math.floor(count * (shares[place] ?? 0));
          return [
            [quantity, first],
            [quantity, count - first],
          ];
        });
        const shuffled = order.flatMap((place) => (parts[place] ? [parts[place]] : []));
        expect(chargeOfCard(card, { counts: shuffled, when }, 1, quotaPerUnit)).toEqual(
          chargeOfCard(card, { counts: list, when }, 1, quotaPerUnit),
        );
      }),
      { numRuns: 1000 },
    );
  });

  it('reporting more never costs less', () => {
    fc.assert(
      fc.property(
        anyCard,
        someCounts,
        someCondition,
        fc.constantFrom(...quantities),
        fc.integer({ min: 1, max: 3000 }),
        (card, list, when, quantity, more) => {
          const less = usdOf(componentsOf(card, { counts: list, when }));
          const larger = usdOf(componentsOf(card, { counts: [...list, [quantity, more]], when }));
          expect(larger.greaterThanOrEqualTo(less)).toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('the bound of a call is never below its charge', () => {
    const call = fc.record({
      promptTokens: fc.nat(12_000),
      outputTokens: fc.nat(5000),
      writesCache: fc.constantFrom(null, '5m' as const, '1h' as const),
      hasAudio: fc.boolean(),
      hasImages: fc.boolean(),
      tools: fc.tuple(...toolCounts.map(() => fc.nat(5))).map(workOf),
      when: fc.array(fc.constantFrom(...conditions), { maxLength: 2 }),
    });
    const shares = fc.array(fc.nat(100), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(anyCard, call, shares, shares, fc.boolean(), (card, bound, prompt, output, served) => {
        const usage = {
          counts: usageWithin(card, bound, prompt, output),
          when: (served && bound.when.at(-1)) || null,
        };
        expect(boundOfCard(card, bound, 1, quotaPerUnit)).toBeGreaterThanOrEqual(
          roundedUp(chargeOfCard(card, usage, 1, quotaPerUnit)),
        );
      }),
      { numRuns: 2000 },
    );
  });
});

const workOf = (counts: number[]): ToolWork =>
  Object.fromEntries(toolCounts.map((name, place) => [name, counts[place] ?? 0])) as ToolWork;

type Bound = CallBound & Required<Pick<CallBound, 'tools'>>;

/** Returns a usage that fits the bound: its tokens in any mix of the possible quantities. */
function usageWithin(card: PriceCard, bound: Bound, promptShares: number[], outputShares: number[]): Count[] {
  const { writesCache, hasAudio, hasImages, tools } = bound;
  const ofPrompt = [
    ...['input', 'cachedInput'],
    ...(writesCache ? ['cacheWrite'] : []),
    ...(writesCache === '1h' ? ['cacheWrite1h'] : []),
    ...(hasAudio ? ['audioInput', 'cachedAudioInput'] : []),
    ...(hasImages ? ['imageInput', 'cachedImageInput'] : []),
  ];
  const ofOutput = [
    ...['output', 'reasoning'],
    ...(hasAudio ? ['audioOutput'] : []),
    ...(card.prices.imageOutput === undefined ? [] : ['imageOutput']),
  ];
  const spread = (total: number, names: string[], shares: number[]): Count[] => {
    const whole = shares.slice(0, names.length).reduce((sum, share) => sum + share, 0) || 1;
    return names.map((name, place) => [name as Count[0], Math.floor((total * (shares[place] ?? 0)) / whole)]);
  };
  return [
    ...spread(bound.promptTokens, ofPrompt, promptShares),
    ...spread(bound.outputTokens, ofOutput, outputShares),
    ...toolRows.map(({ quantity, allowedBy, isOnce }): Count => [
      quantity,
      isOnce ? Math.min(1, tools[allowedBy]) : tools[allowedBy],
    ]),
    ['request', 1],
  ];
}

describe('a card from outside', () => {
  it.each([
    ['nothing', {}],
    ['no price', { prices: {} }],
    ['a negative price', { prices: { input: -1 } }],
    ['more than any price', { prices: { input: 1e308 } }],
    ['less than any price above 0', { prices: { input: 5e-324 } }],
    ['NaN', { prices: { input: Number.NaN } }],
    ['a text', { prices: { input: '3' } }],
    ['an unknown quantity', { prices: { inputs: 3 } }],
    ['an unknown field', { prices: { input: 1 }, formula: 'input * 2' }],
    [
      'thresholds that fall',
      {
        prices: { input: 1 },
        contextTiers: [
          { above: 9, prices: {} },
          { above: 8, prices: {} },
        ],
      },
    ],
    ['a cheaper long prompt', { prices: { input: 2 }, contextTiers: [{ above: 9, prices: { input: 1 } }] }],
    [
      'a cheaper long prompt in one tier',
      {
        prices: { input: 2 },
        contextTiers: [{ above: 9, prices: {}, variants: [{ when: { tier: 'priority' }, factor: 0.5 }] }],
      },
    ],
    ['a negative factor', { prices: { input: 1 }, variants: [{ when: { tier: 'flex' }, factor: -1 }] }],
    ['a factor without a condition', { prices: { input: 1 }, variants: [{ when: {}, factor: 2 }] }],
    ['an unknown tier', { prices: { input: 1 }, variants: [{ when: { tier: 'turbo' }, factor: 2 }] }],
    ['a date that is none', { prices: { input: 1 }, asOf: 'yesterday' }],
    ['a list', [{ prices: { input: 1 } }]],
    ['null', null],
  ])('is refused with %s', (_what, card) => {
    expect(() => parsePriceCard(card)).toThrow(PriceCardError);
  });

  it('never changes a prototype', () => {
    const card = parsePriceCard(JSON.parse('{"prices":{"input":1,"__proto__":{"output":1}}}'));
    expect(Object.keys(card.prices)).toEqual(['input']);
    expect(Object.getPrototypeOf(card.prices)).toBe(Object.prototype);
    expect(() => parsePriceCard(JSON.parse('{"prices":{"input":1},"__proto__":{"prices":{}}}'))).toThrow('__proto__');
  });
});
