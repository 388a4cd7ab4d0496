import type { BudgetKind, BudgetLevel } from '../../../shared/budget.js';
import { maxQuota } from '../../../shared/quota.js';
import type { SourceRow } from '../source.js';

/** The columns of limits per minute, with the kind of budget that counts the same. */
const columns: ReadonlyArray<readonly [column: string, kind: BudgetKind]> = [
  ['rpm_limit', 'requests'],
  ['tpm_limit', 'tokens'],
];

/**
 * Returns the limits per minute of an account, a key, a member or a project as budgets without an id.
 * @param rows in the order in which they apply: its own row, and that of its budget. A limit above all amounts is none.
 */
export const ratesOf = (level: BudgetLevel, subject: number, ...rows: Array<SourceRow | undefined>): SourceRow[] =>
  columns.flatMap(([column, kind]) => {
    const limit = rows.map((row) => row?.[column] ?? null).find((value) => value !== null);
    const amount = limit === undefined ? Infinity : Math.max(0, Number(limit));
    return amount > maxQuota ? [] : [{ level, subject_id: subject, kind, amount, span: 'minute', ends_at: 0 }];
  });
