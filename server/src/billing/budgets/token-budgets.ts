import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { personOf, type Actor } from '../../shared/actor.js';
import { budgetKinds, budgetSpans } from '../../shared/budget.js';
import { dateOf } from '../../shared/clock.js';
import { InvalidInputError } from '../../shared/errors.js';
import { pick } from '../../shared/snake-case.js';
import { parseNewBudget, type NewBudget } from './budget-input.js';
import { Budget } from './budget.entity.js';

/** Maximum number of budgets of one key, user, group or channel, or of the site. */
export const maxPerSubject = 20;

/** Fields of a budget of a key that is created with it. */
export type NewTokenBudget = Omit<NewBudget, 'level' | 'subjectId' | 'groupName'>;

/** Fields of a new budget over REST. Times are Unix seconds. */
export const budgetShape = {
  kind: z.enum(budgetKinds),
  amount: z.int(),
  window: z.enum(budgetSpans),
  rolling: z.boolean().nullish(),
  time_zone: z.string().nullish(),
  starts_at: z.int().nullish(),
  ends_at: z.int().nullish(),
  models: z.array(z.string()).nullish(),
  enabled: z.boolean().nullish(),
};
const tokenBudget = z.object(budgetShape);

export const toTokenBudget = (body: z.infer<typeof tokenBudget>): NewTokenBudget => ({
  ...pick(body, ['kind', 'amount']),
  span: body.window,
  isRolling: body.rolling ?? false,
  timeZone: body.time_zone ?? 'UTC',
  startsAt: body.starts_at ? dateOf(body.starts_at) : null,
  endsAt: body.ends_at ? dateOf(body.ends_at) : null,
  models: body.models ?? [],
  enabled: body.enabled ?? true,
});

/** One entry of the `budgets` of `POST /api/token/`. */
export const tokenBudgetBody = tokenBudget.transform(toTokenBudget);

/**
 * Creates the budgets of a new key in the transaction that creates the key, so that the key never works without them.
 * @param owner of the key, who may change them afterwards
 * @throws AppError INVALID_INPUT with the field `budgets.<index>.<field>`
 */
export async function createTokenBudgets(
  manager: EntityManager,
  owner: Actor,
  tokenId: number,
  given: readonly NewTokenBudget[],
): Promise<void> {
  if (given.length > maxPerSubject) {
    throw new InvalidInputError(`At most ${maxPerSubject} budgets of one token`, 'budgets');
  }
  const rows = given.map((fields, at) => {
    try {
      return parseNewBudget({ ...fields, level: 'token', subjectId: tokenId, groupName: '' });
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      throw new InvalidInputError(
        error.message,
        ['budgets', at, error.field].filter((part) => part !== undefined).join('.'),
      );
    }
  });
  if (rows.length > 0) {
    await manager.insert(
      Budget,
      rows.map((fields) => ({ ...fields, createdBy: personOf(owner).id, byAdmin: false })),
    );
  }
}
