import type { OptionValues } from '../../options/option.service.js';
import { type BudgetError, type Ledger, SubscriptionEndedError } from '../../billing/ledger/index.js';
import type { CallPlan } from '../admit/call-budgets.js';
import type { Call, PlanPayment } from '../call.js';
import { isOfPlan, reserveFor, type Reserved } from './reserve.js';
import { millisecondsIn } from '../../shared/clock.js';

/** Milliseconds. Calls that run may return a part of a window before it ends. */
const maxExhausted = 5000;

/**
 * Plans without anything left, by the windows of their cached copy, so that the calls of the next seconds do not ask the
 * ledger for each of them. A change of the account drops the copy. The last plan is always asked, because it decides.
 */
const exhausted = new WeakMap<CallPlan['windows'], { readonly until: number; readonly refusal: BudgetError }>();

/**
 * Finds who pays (docs/reference/relay/plans.md). Each plan is asked in order, with its windows in place of the balance.
 * When none has room, the last one decides: it refuses, or the balance pays.
 * @param reserve tries one payer. Null: no plan concerns the payment
 * @throws like `reserve`
 */
export async function payByPlan<Result>(
  plans: readonly CallPlan[],
  reserve: (payment: PlanPayment | null) => Promise<Result>,
): Promise<Result> {
  const last = plans.at(-1);
  let overflow: { readonly plan: CallPlan; readonly refusal: unknown } | null = null;
  for (const plan of plans) {
    const known = plan === last ? undefined : exhausted.get(plan.windows);
    if (known && plan.budgets.now() < known.until) {
      overflow = { plan, refusal: known.refusal };
      continue;
    }
    // A later plan or the balance pays for the whole output, so only a plan that refuses limits it.
    const mayBeLimited = plan === last && plan.overflow === 'stop';
    try {
      return await reserve({ plan, isPaidByPlan: true, mayBeLimited });
    } catch (error) {
      if (isOfPlan(plan, error)) {
        overflow = { plan, refusal: error };
        if (error.available === 0) {
          const until = Math.min(millisecondsIn(error.resetAt), error.hold.askedAt + maxExhausted);
          exhausted.set(plan.windows, { until, refusal: error });
        }
      } else if (!(error instanceof SubscriptionEndedError)) throw error;
    }
  }
  if (!overflow) return reserve(null);
  const { plan, refusal } = overflow;
  if (plan.overflow === 'stop') throw refusal;
  return reserve({ plan, isPaidByPlan: false, mayBeLimited: false });
}

/** Reserves a call whose account has plans. */
export const reserveByPlan = (
  call: Call,
  plans: readonly CallPlan[],
  ledger: Ledger,
  values: OptionValues,
): Promise<Reserved> =>
  payByPlan(plans, (payment) => {
    if (!payment) return reserveFor(call, ledger, values);
    const { plan, isPaidByPlan } = payment;
    if (isPaidByPlan) return reserveFor({ ...call, budgets: plan.budgets, payment }, ledger, values);
    const price = { ...call.price, groupRatio: overflowPart(call.price.groupRatio, payment) };
    return reserveFor({ ...call, price, payment }, ledger, values);
  });

/**
 * Returns the part of a group ratio or an amount that is charged: less when the balance pays in place of a plan. Twelve
 * digits are exact for all ratios that an operator writes.
 */
export const overflowPart = (whole: number, payment: PlanPayment | null): number =>
  payment && !payment.isPaidByPlan ? Number((whole * payment.plan.overflowRatio).toPrecision(12)) : whole;

/** Names a plan that had no room, and the part of the price that the balance pays. The ledger names one that pays. */
export const overflowNote = (payment: PlanPayment | null | undefined): object | undefined => {
  if (!payment || payment.isPaidByPlan) return undefined;
  const { id, name, overflowRatio: ratio } = payment.plan;
  return { id, name, ratio };
};
