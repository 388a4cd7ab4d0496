import { z } from 'zod';
import { budgetLevels } from '../../shared/budget.js';
import { unixSeconds } from '../../shared/clock.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { pick, snakeKeys } from '../../shared/snake-case.js';
import {
  type BudgetPatch,
  budgetShape,
  type BudgetView,
  type NewBudget,
  toTokenBudget,
} from '../../billing/budgets/index.js';
import type { BudgetFilter } from './budget.service.js';

/** `POST /api/budget/`. Times are Unix seconds. */
export const createBody = z
  .object({ level: z.enum(budgetLevels), subject_id: z.int().nullish(), group: z.string().nullish(), ...budgetShape })
  .transform(({ level, subject_id, group, ...body }): NewBudget => ({
    ...toTokenBudget(body),
    level,
    subjectId: subject_id ?? 0,
    groupName: group ?? '',
  }));

/** `PUT /api/budget/`. Absent fields are unchanged. */
export const updateBody = z
  .object({
    id: z.int(),
    amount: z.int().nullish(),
    models: z.array(z.string()).nullish(),
    enabled: z.boolean().nullish(),
  })
  .transform(({ id, amount, models, enabled }): { id: number; fields: Partial<BudgetPatch> } => ({
    id,
    fields: omitUndefined({ amount: amount ?? undefined, models: models ?? undefined, enabled: enabled ?? undefined }),
  }));

/**
 * Reads the filter.
 * @param query of a list
 * @throws ZodError for an unknown level
 */
export function toFilter(query: Readonly<Record<string, string | undefined>>): BudgetFilter {
  const { level, subject_id, group, user_id } = query;
  return omitUndefined({
    level: level ? z.enum(budgetLevels).parse(level) : undefined,
    subjectId: subject_id ? z.coerce.number().int().parse(subject_id) : undefined,
    groupName: group || undefined,
    userId: user_id ? z.coerce.number().int().parse(user_id) : undefined,
  });
}

/** A budget in the REST form (docs/reference/rest/entities.md#budget). */
export const toWire = ({ budget, subjectName, state }: BudgetView): Record<string, unknown> => ({
  ...snakeKeys(pick(budget, ['id', 'level', 'subjectId', 'kind', 'amount'])),
  group: budget.groupName,
  subject: subjectName,
  window: budget.span,
  rolling: budget.isRolling,
  ...snakeKeys(pick(budget, ['timeZone', 'startsAt', 'endsAt', 'models', 'enabled', 'byAdmin'])),
  created_time: unixSeconds(budget.createdAt),
  window_start: state?.start ?? 0,
  resets_at: state?.end ?? 0,
  used: state?.used ?? 0,
  held: state?.held ?? 0,
});
