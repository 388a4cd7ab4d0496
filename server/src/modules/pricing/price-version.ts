import { createHash } from 'node:crypto';
import type { OptionValues } from '../options/option.service.js';

/** The settings that determine prices. */
export const pricedBy = [
  'ModelRatio',
  'ModelPrice',
  'CompletionRatio',
  'CacheRatio',
  'GroupRatio',
  'QuotaPerUnit',
] as const satisfies ReadonlyArray<keyof OptionValues>;

export type PriceTables = Pick<OptionValues, (typeof pricedBy)[number]>;

/**
 * Name of price tables, derived from their content: every node computes the same name without coordination, and tables
 * that are restored get their old name.
 */
export function priceVersionOf(tables: PriceTables): string {
  const text = JSON.stringify(pricedBy.map((key) => sorted(tables[key])));
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

const sorted = (value: number | Readonly<Record<string, number>>): unknown =>
  typeof value === 'number' ? value : Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
