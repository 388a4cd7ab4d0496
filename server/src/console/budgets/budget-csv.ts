import type { CsvColumn } from '../../shared/csv.js';
import type { BudgetView } from '../../billing/budgets/index.js';

const iso = (moment: Date | null | undefined): string => moment?.toISOString() ?? '';

/** Columns of the export. Amounts are quota, tokens or requests, times are in UTC. */
export const budgetColumns: ReadonlyArray<CsvColumn<BudgetView>> = [
  ['id', ({ budget }) => budget.id],
  ['level', ({ budget }) => budget.level],
  ['subject_id', ({ budget }) => budget.subjectId || ''],
  ['subject', ({ subjectName }) => subjectName],
  ['kind', ({ budget }) => budget.kind],
  ['amount', ({ budget }) => budget.amount],
  ['window', ({ budget }) => budget.span],
  ['rolling', ({ budget }) => budget.isRolling],
  ['time_zone', ({ budget }) => budget.timeZone],
  ['starts_at', ({ budget }) => iso(budget.startsAt)],
  ['ends_at', ({ budget }) => iso(budget.endsAt)],
  ['models', ({ budget }) => budget.models.join(' ')],
  ['enabled', ({ budget }) => budget.enabled],
  ['by_admin', ({ budget }) => budget.byAdmin],
  ['window_start', ({ state }) => iso(state?.start)],
  ['resets_at', ({ state }) => iso(state?.end)],
  ['used', ({ state }) => state?.used ?? 0],
  ['held', ({ state }) => state?.held ?? 0],
];
