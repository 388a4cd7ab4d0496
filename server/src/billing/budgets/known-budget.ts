import { isRate, type BudgetKind, type BudgetLevel, type BudgetSpan, type KnownBudget } from '../../shared/budget.js';

/** A row of `budgets` as `knownBudgetJson` reads it. */
export interface KnownBudgetRow {
  readonly id: number;
  readonly level: BudgetLevel;
  readonly subject_id: number;
  readonly group_name: string;
  readonly kind: BudgetKind;
  readonly amount: number;
  readonly span: BudgetSpan;
  readonly is_rolling: boolean;
  readonly time_zone: string;
  readonly starts_at: string | null;
  readonly ends_at: string | null;
  readonly models: readonly string[];
}

/** Columns of `budgets b` as one JSON object. */
export const knownBudgetJson = `json_build_object('id', b.id, 'level', b.level, 'subject_id', b.subject_id,
    'group_name', b.group_name, 'kind', b.kind, 'amount', b.amount, 'span', b.span, 'is_rolling', b.is_rolling, 'time_zone', b.time_zone,
    'starts_at', b.starts_at, 'ends_at', b.ends_at, 'models', b.models)`;

/**
 * SQL for a column with the enabled budgets of a key or user; null when there are none.
 * @param subject SQL of the id
 */
export const budgetsOf = (level: 'token' | 'user', subject: string): string =>
  `(SELECT json_agg(${knownBudgetJson} ORDER BY b.id) FROM budgets b
     WHERE b.level = '${level}' AND b.subject_id = ${subject} AND b.enabled) AS budgets`;

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

export const toKnownBudget = (row: KnownBudgetRow): KnownBudget => ({
  id: row.id,
  level: row.level,
  kind: row.kind,
  amount: row.amount,
  span: row.span,
  isRolling: row.is_rolling,
  timeZone: row.time_zone,
  startsAt: row.starts_at === null ? null : new Date(row.starts_at),
  endsAt: row.ends_at === null ? null : new Date(row.ends_at),
  models: row.models,
});
