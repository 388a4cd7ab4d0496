import { exact, isTokenQuantity, pricedPer, quantities, type Quantity } from './price-card.js';

/** One line of a charge: a quantity, how much of it, and its price in USD per million tokens or per unit. */
export type ChargeLine = readonly [quantity: Quantity, count: number, price: number];

const known: ReadonlySet<unknown> = new Set(quantities);

/**
 * Reads the lines that a log row stores.
 * @returns null when it has none, or they cannot be read
 */
export function readComponents(value: unknown): ChargeLine[] | null {
  if (!Array.isArray(value)) return null;
  const lines = value.filter(isLine);
  return lines.length === value.length ? lines : null;
}

function isLine(value: unknown): value is ChargeLine {
  if (!Array.isArray(value) || value.length !== 3) return false;
  const [quantity, count, price] = value as unknown[];
  return known.has(quantity) && isAmount(count) && isAmount(price);
}

const isAmount = (value: unknown): boolean => typeof value === 'number' && value >= 0 && Number.isFinite(value);

/** Returns the amount of a line in USD, for display: binary rounding errors are removed. */
export const usdOfLine = ([quantity, count, price]: ChargeLine): number => exact((count * price) / pricedPer[quantity]);

/** Formats a line as `100000 cacheWrite1h x 6 USD per million = 0.6`. */
export const formatComponent = (line: ChargeLine): string => {
  const [quantity, count, price] = line;
  return `${count} ${quantity} x ${price} USD${isTokenQuantity(quantity) ? ' per million' : ''} = ${usdOfLine(line)}`;
};
