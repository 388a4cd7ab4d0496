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
  /** Absent in versions from before there were price cards, and without cards of the operator. */
  readonly PriceCards?: OptionValues['PriceCards'];
  /** Absent without prices of tools by the operator. */
  readonly ToolPrices?: OptionValues['ToolPrices'];
};

/** The tables of the current settings, as they are stored. */
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
 * Name of price tables, derived from their content: every node computes the same name without coordination, and tables
 * that are restored get their old name. Cards count only where there are some, so that older names stay.
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

/** Objects as lists of entries by name, at every depth: the order in which a card was written does not count. */
export function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return (value as unknown[]).map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, each]) => [name, canonical(each)]);
}
