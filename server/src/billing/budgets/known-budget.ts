import { isRate, type BudgetLevel, type KnownBudget } from '../../shared/budget.js';

/** A row of `budgets` as `knownBudgetJson` reads it. */
export interface KnownBudgetRow extends Omit<KnownBudget, 'startsAt' | 'endsAt'> {
  readonly subjectId: number;
  readonly groupName: string;
  readonly startsAt: string | null;
  readonly endsAt: string | null;
}

/** Columns of `budgets b` as one JSON object. */
export const knownBudgetJson = `json_build_object('id', b.id, 'level', b.level, 'subjectId', b.subject_id,
    'groupName', b.group_name, 'kind', b.kind, 'amount', b.amount, 'span', b.span, 'isRolling', b.is_rolling, 'timeZone', b.time_zone,
    'startsAt', b.starts_at, 'endsAt', b.ends_at, 'models', b.models)`;

/**
 * SQL for a column with the enabled budgets of some subjects; null when there are none.
 * @param subjects SQL of the id by level
 */
export const budgetsOf = (subjects: Partial<Record<BudgetLevel, string>>): string =>
  `(SELECT json_agg(${knownBudgetJson} ORDER BY b.id) FROM budgets b
     WHERE (${Object.entries(subjects)
       .map(([level, subject]) => `b.level = '${level}' AND b.subject_id = ${subject}`)
       .join(' OR ')}) AND b.enabled) AS budgets`;

export const noBudgets: readonly KnownBudget[] = [];

/**
 * Returns the budgets that the ledger counts.
 * @param rows a column of `budgetsOf`
 */
export const toKnownBudgets = (rows: readonly KnownBudgetRow[] | null): readonly KnownBudget[] =>
  read(rows, (row) => !isRate(row));

/**
 * Returns the limits per minute, which the ledger does not count.
 * @param rows a column of `budgetsOf`
 */
export const toKnownRates = (rows: readonly KnownBudgetRow[] | null): readonly KnownBudget[] => read(rows, isRate);

function read(
  rows: readonly KnownBudgetRow[] | null,
  matches: (row: KnownBudgetRow) => boolean,
): readonly KnownBudget[] {
  const found = rows === null ? noBudgets : rows.filter(matches).map(toKnownBudget);
  return found.length === 0 ? noBudgets : found;
}

export const toKnownBudget = ({ subjectId: _id, groupName: _name, ...row }: KnownBudgetRow): KnownBudget => ({
  ...row,
  startsAt: row.startsAt === null ? null : new Date(row.startsAt),
  endsAt: row.endsAt === null ? null : new Date(row.endsAt),
});
