import type { Findings } from './findings.js';
import type { Decisions, SourcePlan, UserPlan } from './map/mapped.js';
import { isActive, leftOf } from './map/plans.js';
import { readPlan } from './map/plan-terms.js';
import type { Fields } from './source/fields.js';
import type { SourceDatabase } from './source/source.js';
import { readRows } from './source-rows.js';

/** Reads the plans that new-api sells. */
export async function readSoldPlans(
  source: SourceDatabase,
  quotaPerUnit: number,
  findings: Findings,
): Promise<Map<number, SourcePlan>> {
  const plans = new Map<number, SourcePlan>();
  await readRows(source, 'subscription_plans', (row) => plans.set(row.id, readPlan(row, quotaPerUnit)), { findings });
  return plans;
}

export interface PlanReading {
  readonly now: number;
  readonly findings: Findings;
  readonly plans: ReadonlyMap<number, SourcePlan>;
}

/**
 * Reads which active subscriptions of new-api are moved, and what is credited of the others. A user has one running
 * subscription to a plan here, so the one that ends last is moved.
 */
export async function readHeldPlans(
  source: SourceDatabase,
  decisions: Decisions,
  { now, findings, plans }: PlanReading,
): Promise<Pick<UserPlan, 'creditedPlans' | 'heldPlans'>> {
  const credited = new Map<number, number>();
  const held = new Map<string, Fields>();
  const credit = (row: Fields): void => {
    credited.set(row.whole('user_id'), (credited.get(row.whole('user_id')) ?? 0) + leftOf(row));
  };
  const endOf = (row: Fields): number => row.whole('end_time') || Infinity;
  const read = (row: Fields): void => {
    if (!isActive(row, now)) return;
    if (decisions.plans === 'balance' || !plans.has(row.whole('plan_id'))) {
      credit(row);
      return;
    }
    const key = `${row.whole('user_id')}:${row.whole('plan_id')}`;
    const other = held.get(key);
    if (!other || endOf(row) >= endOf(other)) held.set(key, row);
    if (other) credit(endOf(row) >= endOf(other) ? other : row);
  };
  if (decisions.plans === 'balance') await readRows(source, 'user_subscriptions', read, { findings });
  // The mapper reports rows that cannot be read.
  if (decisions.plans === 'move') await readRows(source, 'user_subscriptions', read);
  return { creditedPlans: credited, heldPlans: new Set([...held.values()].map(({ id }) => id)) };
}
