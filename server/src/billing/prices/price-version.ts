import { createHash } from 'node:crypto';
import type { OptionValues } from '../../options/option.service.js';

/** The settings that determine prices. */
export const pricedBy = [
  'ModelRatio',
  'ModelPrice',
  'CompletionRatio',
  'CacheRatio',
  'GroupRatio',
  'QuotaPerUnit',
] as const satisfies ReadonlyArray<keyof OptionValues>;

export type PriceTables = Pick<OptionValues, (typeof pricedBy)[number]> & {
  /** Absent in versions that are older than price cards, and in those without cards of the operator. */
  readonly PriceCards?: OptionValues['PriceCards'];
  /** Absent without prices of tools by the operator. */
  readonly ToolPrices?: OptionValues['ToolPrices'];
};

/** Returns the tables of the current settings, in their stored form. */
export function priceTablesOf(values: PriceTables): PriceTables {
  const tables = Object.fromEntries(pricedBy.map((key) => [key, values[key]])) as unknown as PriceTables;
  const { PriceCards, ToolPrices } = values;
  return {
    ...tables,
    ...(PriceCards && Object.keys(PriceCards).length > 0 ? { PriceCards } : {}),
    ...(ToolPrices && Object.keys(ToolPrices).length > 0 ? { ToolPrices } : {}),
  };
}

/**
 * Returns the name of price tables, derived from their content: every node computes the same name without coordination,
 * and restored tables get their old name. Cards are part of it only if there are any, so that older names stay the
 * same.
 */
export function priceVersionOf(values: PriceTables): string {
  const { PriceCards, ToolPrices, ...tables } = priceTablesOf(values);
  const parts = pricedBy.map((key) => sorted(tables[key]));
  if (PriceCards) parts.push(canonical(PriceCards));
  if (ToolPrices) parts.push(canonical({ ToolPrices }));
  const text = JSON.stringify(parts);
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

const sorted = (value: number | Readonly<Record<string, number>>): unknown =>
  typeof value === 'number' ? value : Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));

/**
 * Returns objects as lists of entries sorted by name, at every depth: the order in which a card was written does not
 * matter.
 */
export function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return (value as unknown[]).map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, each]) => [name, canonical(each)]);
}
