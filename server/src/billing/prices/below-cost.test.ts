import type { PriceCard } from '../../shared/price-card.js';
import type { ToolFees } from '../../shared/tool-fees.js';
import { isLoss, worstPrice } from './below-cost.js';
import type { CostPrice } from './channel-cost.js';
import { priceOfCall, priceOfCard, priceOfRatios, type Price } from './compiled-price.js';

const quotaPerUnit = 500_000;
const cost = (card: PriceCard, factor = 1): CostPrice => ({ basis: 'list', name: 'm', card, factor });
const terms = { groupRatio: 1 };
const sold = (card: PriceCard): Price => priceOfCard({ name: 'm', card }, 'card', terms);
/** Ratio 1 is 2 USD per million prompt tokens. */
const byRatio = (modelRatio: number, completionRatio: number, tools?: ToolFees): Price => {
  const others = { cacheRatio: 1, cacheWriteRatio: 1.25, audioRatio: 20, audioCompletionRatio: 2, tools };
  return priceOfRatios('m', { modelRatio, completionRatio, ...others }, terms, quotaPerUnit);
};

it.each<[what: string, price: Price, cost: CostPrice, worst: object | null]>([
  // $2.50 in, and $10 out against $12.
  [
    'output by ratio',
    byRatio(1.25, 4),
    cost({ prices: { input: 2.5, output: 12 } }),
    { quantity: 'output', price: 10, cost: 12 },
  ],
  [
    'the factor of the channel',
    byRatio(1.25, 4),
    cost({ prices: { input: 2.5, output: 24 } }, 0.5),
    { quantity: 'output', price: 10, cost: 12 },
  ],
  // An hour in the cache: 2 x $3 by ratio.
  [
    'cache writes by ratio',
    byRatio(1.5, 5),
    cost({ prices: { input: 3, output: 15, cacheWrite1h: 7 } }),
    { quantity: 'cacheWrite1h', price: 6, cost: 7 },
  ],
  [
    'a quantity that the sale does not price apart',
    sold({ prices: { input: 5, output: 10 } }),
    cost({ prices: { input: 1, output: 2, audioInput: 40 } }),
    { quantity: 'audioInput', price: 5, cost: 40 },
  ],
  [
    'a part that only the sale prices',
    sold({ prices: { input: 5, cachedInput: 0.1, output: 10 } }),
    cost({ prices: { input: 1, output: 2 } }),
    { quantity: 'cachedInput', price: 0.1, cost: 1 },
  ],
  [
    'searches that are given away',
    sold({ prices: { input: 5, output: 10 } }),
    cost({ prices: { input: 5, output: 10, webSearch: 0.01 } }),
    { quantity: 'webSearch', price: 0, cost: 0.01 },
  ],
  [
    'searches that a ratio gives away',
    byRatio(2.5, 2),
    cost({ prices: { input: 5, output: 10, webSearch: 0.01 } }),
    { quantity: 'webSearch', price: 0, cost: 0.01 },
  ],
  [
    'searches by the prompt against searches by the call: not comparable',
    byRatio(2.5, 2, { webSearch: 0.04 }),
    cost({ prices: { input: 5, output: 10, groundedPrompt: 0.035 } }),
    null,
  ],
  [
    'a long prompt',
    sold({ prices: { input: 2, output: 10 } }),
    cost({ prices: { input: 1, output: 5 }, contextTiers: [{ above: 200_000, prices: { input: 3, output: 8 } }] }),
    { quantity: 'input', price: 2, cost: 3, above: 200_000 },
  ],
  [
    'a tier of the provider',
    sold({ prices: { input: 2, output: 20 }, variants: [{ when: { tier: 'priority' }, factor: 1.1 }] }),
    cost({ prices: { input: 1, output: 5 }, variants: [{ when: { tier: 'priority' }, factor: 2.5 }] }),
    { quantity: 'input', price: 2.2, cost: 2.5, when: { tier: 'priority' } },
  ],
  [
    'calls by the piece',
    priceOfCall('m', 0.04, terms),
    cost({ prices: { request: 0.05 } }),
    { quantity: 'request', price: 0.04, cost: 0.05 },
  ],
  [
    'images by the piece against tokens: not comparable',
    sold({ prices: { image: 0.04 } }),
    cost({ prices: { input: 5, imageOutput: 40 } }),
    null,
  ],
  [
    'a price per call against tokens: not comparable',
    priceOfCall('m', 0.04, terms),
    cost({ prices: { input: 5, output: 40 } }),
    null,
  ],
  ['a channel that costs nothing', byRatio(1, 1), cost({ prices: { input: 5, output: 40 } }, 0), null],
])('compares %s', (_what, price, of, worst) => {
  const found =
    (['tokens', 'units'] as const).map((kind) => worstPrice(price, of, kind)).find((loss) => loss && isLoss(loss, 1)) ??
    null;
  if (worst === null) expect(found).toBeNull();
  else expect(found).toMatchObject({ above: 0, when: null, ...worst });
});

it('is a loss where the group ratio brings the price below the cost, and not at the cost itself', () => {
  const worst = worstPrice(byRatio(1.25, 4), cost({ prices: { input: 2.5, output: 10 } }, 0.8), 'tokens');
  if (!worst) throw new Error('nothing was compared');
  expect([1, 0.8, 0.79].map((ratio) => isLoss(worst, ratio))).toEqual([false, false, true]);
});
