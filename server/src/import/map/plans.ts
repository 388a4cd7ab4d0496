import type { PlanSpan, SubscriptionState } from '../../billing/plans/index.js';
import { budgetWindowAt } from '../../shared/budget.js';
import { monthsAfter } from '../../shared/calendar.js';
import { dateOf, unixSeconds } from '../../shared/clock.js';
import { lastSecond } from '../../shared/limits.js';
import type { Fields } from '../source/fields.js';
import type { MapContext, Mapper } from './mapped.js';
import { overflowOf, windowAmount } from './plan-terms.js';

/** Maps a plan of new-api, which keeps its id. */
export const mapPlan: Mapper = (row, { findings, plans }) => {
  const { id } = row;
  const plan = plans.get(id);
  if (!plan) return [];
  for (const change of plan.changes) findings.add('plan-changed', 'subscription_plans', id, change);
  const { terms, onSale } = plan;
  return [
    {
      key: String(id),
      values: {
        id,
        name: terms.name,
        description: terms.description,
        price: terms.price,
        period_unit: terms.periodUnit,
        period_count: terms.periodCount,
        windows: terms.windows,
        groups: terms.groups,
        models: terms.models,
        max_concurrent: terms.maxConcurrent,
        max_requests: terms.maxRequests,
        overflow: terms.overflow,
        overflow_ratio: terms.overflowRatio,
        position: terms.position,
        on_sale: onSale,
        created_at: row.moment('created_at') ?? new Date(0).toISOString(),
      },
    },
  ];
};

const table = 'user_subscriptions';

/** Whether a subscription of new-api pays for calls. */
export const isActive = (row: Fields, now: number): boolean =>
  row.text('status') === 'active' && (row.whole('end_time') === 0 || row.whole('end_time') > now);

/** Returns what is left of a subscription until its next reset; 0 for one without a limit. */
export const leftOf = (row: Fields): number => Math.max(0, row.whole('amount_total') - row.whole('amount_used'));

/**
 * Maps a subscription of new-api, which keeps its id, with what is left of it. It was paid on the old site, so nothing of
 * its price can be returned here.
 */
export const mapSubscription: Mapper = (row, context) => {
  const { findings, decisions, users, plans, now } = context;
  const { id } = row;
  const isRunning = isActive(row, now);
  if (decisions.plans !== 'move') {
    if (!isRunning) findings.add('plan-history', table, id);
    else if (decisions.plans === 'drop') findings.add('plan-dropped', table, id);
    return [];
  }
  const userId = row.whole('user_id');
  const planId = row.whole('plan_id');
  const plan = plans.get(planId);
  if (!users.ids.has(userId)) {
    findings.add('owner-missing', table, id, `user ${userId}`);
    return [];
  }
  if (!plan) {
    findings.add('plan-missing', table, id, `plan ${planId}${isRunning ? ', what is left is credited' : ''}`);
    return [];
  }
  if (isRunning && !users.heldPlans.has(id)) {
    findings.add('plan-twice', table, id, `plan ${planId}, user ${userId}`);
    return [];
  }
  const [start, end] = boundsOf(row);
  const { price } = plan.terms;
  const [{ span } = { span: 'fixed' as const }] = plan.terms.windows;
  const amount = windowAmount(row, 'amount_total');
  if (isRunning) nameChanges(row, context, plan.terms.name);
  return [
    {
      key: String(id),
      values: {
        id,
        account_id: userId,
        plan_id: planId,
        // The group that the plan gave its user stays, so the plan pays in every group, as there.
        terms: { ...plan.terms, windows: [{ span, kind: 'money', amount }], groups: [], overflow: overflowOf(row) },
        state: (isRunning ? 'active' : 'ended') satisfies SubscriptionState,
        starts_at: dateOf(start).toISOString(),
        ends_at: dateOf(end).toISOString(),
        stopped_at: row.text('status') === 'cancelled' ? dateOf(end).toISOString() : null,
        origin: 'grant',
        paid: 0,
        receipt: { price, credit: 0, formula: '' },
        renews: false,
        note: 'imported',
        created_at: dateOf(row.seconds('created_at') || start).toISOString(),
      },
      ...(isRunning && { alongside: { id, account_id: userId, amount, ...windowOf(row, span, { start, end, now }) } }),
    },
  ];
};

/** Returns the start and the end of a subscription, Unix seconds. One without an end gets the last second. */
function boundsOf(row: Fields): [number, number] {
  const start = Math.max(0, Math.min(row.seconds('start_time'), lastSecond - 1));
  return [start, Math.max(start + 1, row.seconds('end_time') || lastSecond)];
}

function nameChanges(row: Fields, { findings, users }: MapContext, name: string): void {
  findings.add('plan-paid', table, row.id, name);
  const group = row.code('upgrade_group');
  if (group !== '')
    findings.add(
      'plan-group',
      table,
      row.id,
      `user ${row.whole('user_id')}: ${group}, before ${row.code('prev_user_group') || group}`,
    );
  const preference = users.preferences.get(row.whole('user_id'));
  if (preference) findings.add('plan-preference', table, row.id, preference);
}

interface Bounds {
  readonly start: number;
  readonly end: number;
  readonly now: number;
}

/**
 * Returns the budget of a running subscription: when its windows begin, so that they end with the resets of the source,
 * and what was used of the one that is open.
 */
function windowOf(row: Fields, span: PlanSpan, { start, end, now }: Bounds): Record<string, unknown> {
  const next = row.seconds('next_reset_time');
  const isDue = next > 0 && next <= now;
  const anchor =
    span === 'fixed' ? start : next > 0 ? resetBefore(next, span) : row.seconds('last_reset_time') || start;
  const startsAt = dateOf(Math.min(Math.max(0, anchor), end - 1));
  const window = budgetWindowAt({ span, isRolling: false, timeZone: 'UTC', startsAt, endsAt: dateOf(end) }, now * 1000);
  return {
    span,
    starts_at: startsAt.toISOString(),
    ends_at: dateOf(end).toISOString(),
    started_at: window?.start ?? unixSeconds(startsAt),
    used: isDue ? 0 : Math.max(0, row.whole('amount_used')),
  };
}

const spanSeconds = { '5h': 18_000, day: 86_400, week: 604_800 } as const;

/** Returns a moment from which windows of the span end at a reset, Unix seconds. */
function resetBefore(next: number, span: Exclude<PlanSpan, 'fixed'>): number {
  if (span !== 'month') return next - spanSeconds[span];
  const reset = dateOf(next);
  const before = monthsAfter(reset, -1);
  // Midnight of the first in a zone ahead of UTC is on the last day of the month before: windows that begin on a day 31
  // end on the last day of each month.
  const isLastDay = new Date(next * 1000 + 86_400_000).getUTCMonth() !== reset.getUTCMonth();
  if (!isLastDay) return unixSeconds(before);
  const lastDay = (months: number): Date => {
    const day = new Date(Date.UTC(reset.getUTCFullYear(), reset.getUTCMonth() + 1 - months, 0));
    return new Date(day.getTime() + (next % 86_400) * 1000);
  };
  const anchor = [1, 2].map(lastDay).find((day) => day.getUTCDate() === 31);
  return unixSeconds(anchor ?? before);
}
