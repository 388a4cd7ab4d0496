import { createHash } from 'node:crypto';
import type { OptionValues } from '../options/option.service.js';

/** The settings that decide what a call costs. */
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
 * Names price tables by what they say, so that every node gives them the same name without asking another, and prices
 * that come back get their old name back.
 */
export function priceVersionOf(tables: PriceTables): string {
  const text = JSON.stringify(pricedBy.map((key) => sorted(tables[key])));
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

const sorted = (value: number | Readonly<Record<string, number>>): unknown =>
  typeof value === 'number' ? value : Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
