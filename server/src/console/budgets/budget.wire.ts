import { z } from 'zod';
import { flag, int, named, nullish, parameter, seconds, text } from '../../platform/http/openapi/operation.js';
import { budgetLevels } from '../../shared/budget.js';
import { secondsOrZero, unixSeconds } from '../../shared/clock.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
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
  .object({ level: z.enum(budgetLevels), subject_id: nullish.whole, group: nullish.text, ...budgetShape })
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
    amount: nullish.whole,
    models: z.array(z.string()).nullish(),
    enabled: nullish.flag,
  })
  .transform(({ id, amount, models, enabled }): { id: number; fields: Partial<BudgetPatch> } => ({
    id,
    fields: omitUndefined({ amount: amount ?? undefined, models: models ?? undefined, enabled: enabled ?? undefined }),
  }));

const id = (text: string | undefined): number | undefined => (text ? z.coerce.number().int().parse(text) : undefined);
const idParameter = (description: string) => z.string().optional().transform(id).meta({ description, type: 'integer' });

/** Empty parameters do not restrict. An unknown level or an unreadable id is refused. */
export const budgetFilter = {
  level: z
    .string()
    .optional()
    .transform((level) => (level ? z.enum(budgetLevels).parse(level) : undefined))
    .describe('Only this level'),
  subject_id: idParameter('Only this key, member, project, user or channel'),
  group: parameter.words('Only this group'),
  user_id: idParameter('Only those of this user and of the keys of this user'),
};

export const toFilter = (query: z.output<z.ZodObject<typeof budgetFilter>>): BudgetFilter =>
  omitUndefined({
    level: query.level,
    subjectId: query.subject_id,
    groupName: query.group || undefined,
    userId: query.user_id,
  });

/** A budget in the REST form (docs/reference/rest/entities.md#budget). */
export const shownBudget = named('Budget', 'A limit of what may be used within a window, with its use now.', {
  id: int('Id'),
  level: text('`token`, `member`, `project`, `user`, `group`, `channel` or `site`'),
  subject_id: int('The key, member, project, user or channel; 0 for a group and the site'),
  group: text('Group; empty at other levels'),
  subject: text('Name of the key, member, project, user, group or channel'),
  kind: text('`money` (quota), `tokens` or `requests`'),
  amount: int('Quota, tokens or requests in each window'),
  window: text('`minute`, `5h`, `day`, `week`, `month` or `fixed`'),
  rolling: flag('The last hours or days, and not a period of the calendar'),
  time_zone: text('Of the calendar'),
  starts_at: seconds('Start of a fixed range, or 0'),
  ends_at: seconds('End of a fixed range, or 0'),
  models: z.array(z.string()).describe('Names, or patterns with `*`; empty for all'),
  enabled: flag('It counts'),
  by_admin: flag('Set by an admin: the owner of the key cannot change it'),
  created_time: seconds('Created'),
  window_start: seconds('Start of the window; 0 outside a fixed range'),
  resets_at: seconds('End of the window; 0 for rolling ones, limits per minute and outside a fixed range'),
  used: int('Used in the window'),
  held: int('Taken by calls that run'),
});

export const toWire = ({ budget, subjectName, state }: BudgetView): z.output<typeof shownBudget> => ({
  id: budget.id,
  level: budget.level,
  subject_id: budget.subjectId,
  kind: budget.kind,
  amount: budget.amount,
  group: budget.groupName,
  subject: subjectName,
  window: budget.span,
  rolling: budget.isRolling,
  time_zone: budget.timeZone,
  starts_at: secondsOrZero(budget.startsAt),
  ends_at: secondsOrZero(budget.endsAt),
  models: budget.models,
  enabled: budget.enabled,
  by_admin: budget.byAdmin,
  created_time: unixSeconds(budget.createdAt),
  window_start: secondsOrZero(state?.start),
  resets_at: secondsOrZero(state?.end),
  used: state?.used ?? 0,
  held: state?.held ?? 0,
});
