import type { Repository } from 'typeorm';
import { holds, ownKeys, requireAccount, type MaybeActor } from '../../shared/actor.js';
import { isRate, rateSeconds } from '../../shared/budget.js';
import { dateOf, unixSecond, type Clock } from '../../shared/clock.js';
import { readBudgetStates, type BudgetState, type BudgetView } from './budget-states.js';
import type { Budget } from './budget.entity.js';

/** Finds the budgets that refuse calls now. */
export class UsedUpBudgets {
  constructor(private readonly deps: { readonly budgets: Repository<Budget>; readonly clock: Clock }) {}

  /**
   * Finds used-up budgets of these keys, and of their members, projects and owners. A limit per minute is open again before its state is read,
   * so it counts only with an amount of 0.
   * @returns budgets by key id, only for keys that have one and whose budgets the caller may read
   */
  async ofTokens(actor: MaybeActor, tokenIds: readonly number[]): Promise<Map<number, BudgetView[]>> {
    const reader = requireAccount(actor, 'keys.own');
    const { userId: own = null, memberId: member = null } = holds(reader, 'budgets') ? {} : ownKeys(reader);
    const { raw: rows, entities: budgets } = await this.deps.budgets
      .createQueryBuilder('b')
      .innerJoin(
        'tokens',
        't',
        `(b.level = 'token' AND b.subject_id = t.id) OR (b.level = 'user' AND b.subject_id = t.user_id)
         OR (b.level = 'member' AND b.subject_id = t.member_id)
         OR (b.level = 'project' AND b.subject_id = t.project_id)`,
      )
      .innerJoin('users', 'u', 'u.id = t.user_id')
      .leftJoin('memberships', 'm', 'm.id = t.member_id')
      .leftJoin('users', 'person', 'person.id = m.user_id')
      .leftJoin('projects', 'p', 'p.id = t.project_id')
      .addSelect('t.id', 'tokenId')
      .addSelect(
        `CASE b.level WHEN 'token' THEN t.name WHEN 'member' THEN coalesce(person.username, '')
           WHEN 'project' THEN coalesce(p.name, '') ELSE u.username END`,
        'name',
      )
      .where('b.enabled AND t.id = ANY (:tokenIds) AND t.deleted_at IS NULL', { tokenIds })
      .andWhere('(:own::integer IS NULL OR t.user_id = :own)', { own })
      .andWhere('(:member::integer IS NULL OR t.member_id = :member)', { member })
      .orderBy('b.id')
      .getRawAndEntities<{ b_id: number; tokenId: number; name: string }>();
    if (rows.length === 0) return new Map();
    const states = await this.statesOf(budgets);
    const usedUp = new Map(
      budgets.flatMap((budget) => {
        const state = states.get(budget.id);
        return state && state.used + state.held >= budget.amount ? [[budget.id, { budget, state }] as const] : [];
      }),
    );
    const found = new Map<number, BudgetView[]>();
    for (const { b_id: budgetId, tokenId, name } of rows) {
      const one = usedUp.get(budgetId);
      if (one) found.set(tokenId, [...(found.get(tokenId) ?? []), { ...one, subjectName: name }]);
    }
    return found;
  }

  private async statesOf(budgets: readonly Budget[]): Promise<Map<number, BudgetState>> {
    const now = this.deps.clock.now();
    const counted = budgets.filter((budget) => !isRate(budget));
    const states = await readBudgetStates(this.deps.budgets, counted, now);
    for (const budget of budgets) {
      if (!isRate(budget) || budget.amount > 0) continue;
      states.set(budget.id, { start: dateOf(unixSecond(now) - rateSeconds), end: null, used: 0, held: 0 });
    }
    return states;
  }
}
