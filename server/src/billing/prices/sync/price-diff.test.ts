import type { PriceCard } from '../../../shared/price-card.js';
import { parsePriceCard } from '../../../shared/price-card-input.js';
import { mergedCard } from './merged-card.js';
import { priceDiff, type CurrentPrice, type PriceDiffInput } from './price-diff.js';

const price = (input: number, output: number): PriceCard => ({ prices: { input, output } });
const own = (card: PriceCard): CurrentPrice => ({ source: 'card', card });

const compare = (
  sources: ReadonlyArray<Record<string, PriceCard>>,
  current: Record<string, CurrentPrice>,
  more: Partial<PriceDiffInput> = {},
) =>
  priceDiff({
    sources: sources.map((cards, index) => ({ label: `s${index + 1}`, cards })),
    current: (model) => current[model] ?? null,
    ownCards: {},
    served: new Set(['dearer']),
    markup: 1,
    threshold: 5,
    ...more,
  });
const kinds = async (...of: Parameters<typeof compare>) =>
  (await compare(...of)).map(({ model, kind, percent }) => [model, kind, percent]);

it('names what is new, dearer, cheaper, within the threshold, and the same', async () => {
  const offered = {
    added: price(1, 2),
    cheaper: price(1.8, 8),
    dearer: price(2.5, 8),
    both: price(1, 9),
    little: price(2.1, 8.4),
    same: price(2, 8),
  };
  const before = own(price(2, 8));
  const current = { cheaper: before, dearer: before, both: before, little: before, same: before };
  expect(await kinds([offered], current)).toEqual([
    ['added', 'NEW', null],
    // Input falls by half and output rises by an eighth: some calls become more expensive.
    ['both', 'UP', -50],
    ['cheaper', 'DOWN', -10],
    ['dearer', 'UP', 25],
    ['little', 'MINOR', 5],
    ['same', 'SAME', null],
  ]);
});

it('compares every tier of long prompts and every service tier', async () => {
  const before: PriceCard = {
    ...price(1.25, 10),
    contextTiers: [{ above: 200_000, prices: { input: 2.5, output: 15 } }],
    variants: [{ when: { tier: 'flex' }, factor: 0.5 }],
  };
  const after: PriceCard = { ...before, contextTiers: [{ above: 200_000, prices: { input: 3, output: 15 } }] };
  const [line] = await compare([{ m: after }], { m: own(before) });
  expect(line).toMatchObject({ kind: 'UP', percent: 20 });
  expect(line?.changes).toEqual([
    { quantity: 'input', above: 200_000, when: null, before: 2.5, after: 3, percent: 20 },
    { quantity: 'input', above: 200_000, when: { tier: 'flex' }, before: 1.25, after: 1.5, percent: 20 },
  ]);
});

it('multiplies prices by the mark-up, in tiers and service tiers too', async () => {
  const card: PriceCard = {
    prices: { input: 3, output: 15, webSearch: 0.01 },
    contextTiers: [
      { above: 200_000, prices: { input: 6 }, variants: [{ when: { tier: 'flex' }, prices: { input: 3.5 } }] },
    ],
    variants: [{ when: { tier: 'flex' }, factor: 0.5, prices: { input: 2 } }],
  };
  const [line] = await compare([{ m: card }], {}, { markup: 1.2 });
  expect(line?.offers).toEqual([
    {
      source: 's1',
      card: {
        prices: { input: 3.6, output: 18, webSearch: 0.012 },
        contextTiers: [
          { above: 200_000, prices: { input: 7.2 }, variants: [{ when: { tier: 'flex' }, prices: { input: 4.2 } }] },
        ],
        variants: [{ when: { tier: 'flex' }, factor: 0.5, prices: { input: 2.4 } }],
      },
    },
  ]);
  await expect(compare([{ m: price(900_000, 1) }], {}, { markup: 1.2 })).rejects.toThrow('input: is too large');
});

it('shows where sources disagree, only about what both price', async () => {
  const [line, agreed] = await compare(
    [
      { m: price(2, 8), n: { prices: { input: 2, output: 8, cachedInput: 0.2 } } },
      { m: price(2, 10), n: price(2.02, 8) },
    ],
    { m: own(price(2, 8)) },
  );
  expect(line).toMatchObject({ kind: 'DISAGREE', percent: 25 });
  expect(line?.offers.map(({ source, card }) => [source, card.prices.output])).toEqual([
    ['s1', 8],
    ['s2', 10],
  ]);
  expect(agreed).toMatchObject({ model: 'n', kind: 'NEW' });
});

it('names cards of the operator that no source has any more, if they came from one of them', async () => {
  const ownCards = {
    left: { ...price(1, 2), source: 's1' },
    typed: price(1, 2),
    other: { ...price(1, 2), source: 'https://elsewhere.example' },
    listed: 'built-in' as const,
  };
  expect(await kinds([{ m: price(1, 2) }], {}, { ownCards })).toEqual([
    ['left', 'GONE', null],
    ['m', 'NEW', null],
  ]);
});

it('keeps the prices of caches that ratios imply, where the source has none', async () => {
  const table: CurrentPrice = {
    source: 'table',
    card: { prices: { input: 2.5, cachedInput: 1.25, cacheWrite: 3.125, cacheWrite1h: 5, output: 10 } },
  };
  expect(await kinds([{ m: price(2.5, 10) }], { m: table })).toEqual([['m', 'SAME', null]]);
  const [line] = await compare([{ m: price(2, 10) }], { m: table });
  expect(line?.offers[0]?.card.prices).toEqual({
    input: 2,
    cachedInput: 1,
    cacheWrite: 2.5,
    cacheWrite1h: 4,
    output: 10,
  });
});

describe('what a source does not price', () => {
  const current: PriceCard = {
    prices: { input: 2, cachedInput: 0.2, cacheWrite1h: 4, output: 10, reasoning: 20, webSearch: 0.01, request: 0.5 },
    contextTiers: [{ above: 200_000, prices: { input: 4, output: 15 } }],
    variants: [
      { when: { tier: 'flex' }, factor: 0.5 },
      { when: { tier: 'priority' }, prices: { input: 4, output: 20 } },
    ],
  };

  it('stays: tools at their price, parts of tokens in their relation, tiers too', () => {
    const merged = mergedCard(current, price(3, 20));
    expect(merged).toEqual({
      // Input from 2 to 3 is 1.5 times, output from 10 to 20 is twice.
      prices: { input: 3, cachedInput: 0.3, cacheWrite1h: 6, output: 20, reasoning: 40, webSearch: 0.01, request: 0.5 },
      contextTiers: [{ above: 200_000, prices: { input: 6, output: 30 } }],
      variants: [
        { when: { tier: 'flex' }, factor: 0.5 },
        { when: { tier: 'priority' }, prices: { input: 6, output: 40 } },
      ],
    });
    expect(parsePriceCard(merged)).toEqual(merged);
  });

  it('stays: resolutions of videos in their relation to the second, unless the source prices them', () => {
    const at = (second: number) => ({ prices: { second } });
    const video: PriceCard = {
      ...at(0.3),
      variants: [
        { when: { resolution: '1080p' }, ...at(0.5) },
        { when: { resolution: '4k' }, ...at(0.9) },
        { when: { tier: 'flex' }, factor: 0.5 },
      ],
    };
    expect(mergedCard(video, { ...at(0.6), variants: [{ when: { resolution: '4k' }, ...at(1) }] })).toEqual({
      ...at(0.6),
      variants: [
        { when: { resolution: '1080p' }, ...at(1) },
        { when: { resolution: '4k' }, ...at(1) },
      ],
    });
    expect(mergedCard(video, { prices: { request: 0.1 } })).toEqual({ prices: { request: 0.1 } });
  });

  it('is left out where it cannot be: another way to charge, or a card that would contradict itself', () => {
    expect(mergedCard(current, { prices: { image: 0.04 } })).toEqual({ prices: { image: 0.04, webSearch: 0.01 } });
    expect(mergedCard({ prices: { request: 0.1 } }, price(3, 20))).toEqual(price(3, 20));
    const long: PriceCard = { ...price(3, 20), contextTiers: [{ above: 100_000, prices: { input: 5, output: 25 } }] };
    expect(mergedCard(current, long)).toMatchObject({
      contextTiers: [{ above: 100_000, prices: { input: 5, output: 25 } }],
    });
  });
});
