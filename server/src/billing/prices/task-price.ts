import type { PriceCard } from '../../shared/price-card.js';
import type { CallPrice, Price } from './charge.js';

/** USD of a task whose model has no price per call (docs/reference/relay/tasks.md#midjourney). */
const usualPrice = 0.1;

/** By what a card prices a task: by the request, else by the image. */
export const taskQuantityOf = ({ prices }: PriceCard): 'request' | 'image' | null =>
  prices.request !== undefined ? 'request' : prices.image === undefined ? null : 'image';

/** The price of a drawing or a song, which does not depend on its result. @param found the price of its model */
export function taskPriceOf(found: Price | null, groupRatio: number): CallPrice {
  if (found?.kind === 'call') return found;
  const card = found?.kind === 'card' ? found.card : null;
  const quantity = card && taskQuantityOf(card);
  return { kind: 'call', modelPrice: (quantity ? card.prices[quantity] : null) ?? usualPrice, groupRatio };
}
