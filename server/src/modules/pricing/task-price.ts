import type { CallPrice, Price } from './charge.js';

/** USD of a task whose model has no price per call (docs/reference/relay/tasks.md#midjourney). */
const usualPrice = 0.1;

/** The price of a drawing or a song, which does not depend on its result. @param found the price of its model */
export const taskPriceOf = (found: Price | null, groupRatio: number): CallPrice =>
  found?.kind === 'call'
    ? found
    : {
        kind: 'call',
        modelPrice: (found?.kind === 'card' ? found.card.prices.request : undefined) ?? usualPrice,
        groupRatio,
      };
