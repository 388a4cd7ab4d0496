import type { ToolQuantity } from './price-card.js';

/** USD for each call of a tool that a provider runs. */
export type ToolPrices = Readonly<Partial<Record<ToolQuantity, number>>>;

/** The same, and what each request costs of a model that always searches. */
export type ToolFees = Readonly<Partial<Record<ToolQuantity | 'request', number>>>;
