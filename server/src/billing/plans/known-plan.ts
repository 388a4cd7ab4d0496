import type { Queries } from '../../platform/db/queries.js';
import type { KnownBudget } from '../../shared/budget.js';
import { type KnownBudgetRow, knownBudgetJson, toKnownBudgets } from '../budgets/index.js';
import type { PlanTerms } from './plan.entity.js';

/** The fields of a running subscription that calls need. */
export interface KnownPlan extends Omit<
  PlanTerms,
  'description' | 'periodUnit' | 'periodCount' | 'position' | 'windows'
> {
  /** The subscription. */
  readonly id: number;
  /** The windows of the plan. Each has the start and the end of the subscription. */
  readonly windows: readonly KnownBudget[];
}

export interface KnownPlanRow {
  readonly id: number;
  readonly terms: PlanTerms;
  readonly windows: readonly KnownBudgetRow[] | null;
}

/**
 * SQL for a column with the running subscriptions of an account, in the order in which they pay; null when there are
 * none.
 * @param account SQL of the id
 */
export const plansOf = (account: string): string =>
  `(SELECT json_agg(json_build_object('id', s.id, 'terms', s.terms, 'windows',
             (SELECT json_agg(${knownBudgetJson} ORDER BY b.id) FROM budgets b
               WHERE b.level = 'plan' AND b.subject_id = s.id AND b.enabled))
           ORDER BY (s.terms ->> 'position')::integer, s.ends_at, s.id)
     FROM subscriptions s WHERE s.account_id = ${account} AND s.state = 'active') AS plans`;

export const noPlans: readonly KnownPlan[] = [];

/** @param rows a column of `plansOf` */
export const toKnownPlans = (rows: readonly KnownPlanRow[] | null): readonly KnownPlan[] =>
  rows === null ? noPlans : rows.map(toKnownPlan);

const toKnownPlan = ({ id, terms, windows }: KnownPlanRow): KnownPlan => ({
  id,
  name: terms.name,
  price: terms.price,
  groups: terms.groups,
  models: terms.models,
  maxConcurrent: terms.maxConcurrent,
  maxRequests: terms.maxRequests,
  overflow: terms.overflow,
  overflowRatio: terms.overflowRatio,
  windows: toKnownBudgets(windows),
});

/** Whether a plan opens a group for its account. */
export const opensGroup = (plans: readonly KnownPlan[], group: string): boolean =>
  plans.some(({ groups }) => groups.includes(group));

/**
 * Returns a limit of the site, raised by the plans of an account.
 * @param limit 0 for no limit
 */
export const raisedLimit = (
  limit: number,
  plans: readonly KnownPlan[],
  name: 'maxConcurrent' | 'maxRequests',
): number => (limit === 0 ? 0 : plans.reduce((most, plan) => Math.max(most, plan[name] ?? 0), limit));

/** Finds the groups that the running plans of an account open. */
export class PlanGroups {
  constructor(private readonly database: Queries) {}

  async groupsOf(accountId: number, transaction = this.database): Promise<readonly string[]> {
    const rows = (await transaction.query(
      `SELECT DISTINCT jsonb_array_elements_text(terms -> 'groups') AS name FROM subscriptions
        WHERE account_id = $1 AND state = 'active'`,
      [accountId],
    )) as Array<{ name: string }>;
    return rows.map(({ name }) => name);
  }
}
