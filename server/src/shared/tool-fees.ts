import type { ToolQuantity } from './price-card.js';

/** USD for each call of a tool that a provider runs. */
export type ToolPrices = Readonly<Partial<Record<ToolQuantity, number>>>;

/** The prices of tools, and the price per request of a model that always searches. */
export type ToolFees = Readonly<Partial<Record<ToolQuantity | 'request', number>>>;
