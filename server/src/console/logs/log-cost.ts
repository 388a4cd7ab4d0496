import { readComponents } from '../../shared/charge-lines.js';
import { parseFields } from '../../shared/json.js';
import { linesOf, type LogChargeLine } from './log-lines.js';

/** The source of a call's cost: the provider's report, a cost card of the channel, or the list price. */
export type CostBasis = 'reported' | 'card' | 'list';

/** The cost of a call. */
export interface LogCost {
  readonly usd: number;
  readonly basis: CostBasis;
  /** The name of the card; null when the provider reported the cost. */
  readonly card: string | null;
  /** The factor by which the prices of the lines are multiplied. */
  readonly factor: number;
  /** The lines at the prices of the card, before the factor; null when the provider reported the cost. */
  readonly lines: readonly LogChargeLine[] | null;
}

const bases: ReadonlySet<unknown> = new Set<CostBasis>(['reported', 'card', 'list']);

/**
 * Reads the cost from the details of a row.
 * @returns null when it is unknown. Rows from before costs were computed only have reported costs.
 */
export function costOfRow(details: Readonly<Record<string, unknown>>): LogCost | null {
  const admin = (details['admin_info'] ?? {}) as Readonly<Record<string, unknown>>;
  const { upstream_cost: usd, cost_basis: given, cost_card: card, cost_factor: factor } = admin;
  if (typeof usd !== 'number') return null;
  const basis = bases.has(given) ? (given as CostBasis) : 'reported';
  return {
    usd,
    basis,
    card: typeof card === 'string' ? card : null,
    factor: typeof factor === 'number' ? factor : 1,
    // Lines that are equal to the lines of the charge are stored once.
    lines: basis === 'reported' ? null : linesOf(readComponents(admin['cost_lines'] ?? details['components'])),
  };
}

/** Reads the cost from the stored text of the details. */
export function costOfText(other: string): LogCost | null {
  // Rows without a cost are not parsed.
  return other.includes('"upstream_cost"') ? costOfRow(parseFields(other) ?? {}) : null;
}
