import type { OptionValues } from '../../options/option.service.js';
import { type BudgetError, type Ledger, SubscriptionEndedError } from '../../billing/ledger/index.js';
import type { CallPlan } from '../admit/call-budgets.js';
import type { Call } from '../call.js';
import { isOfPlan, reserveFor, type Reserved } from './reserve.js';

/** Milliseconds. Calls that run may return a part of a window before it ends. */
const maxExhausted = 5000;

/**
 * Plans without anything left, by the windows of their cached copy, so that the calls of the next seconds do not ask the
 * ledger for each of them. A change of the account drops the copy. The last plan is always asked, because it decides.
 */
const exhausted = new WeakMap<CallPlan['windows'], { readonly until: number; readonly refusal: BudgetError }>();

/**
 * Reserves a call whose account has plans (docs/reference/relay/plans.md). Each plan is asked in order, with its windows
 * in place of the balance. When none has room, the last one decides: it refuses the call, or the balance pays for it.
 * @throws like `reserveFor`
 */
export async function reserveByPlan(
  call: Call,
  plans: readonly CallPlan[],
  ledger: Ledger,
  values: OptionValues,
): Promise<Reserved> {
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
    const payment = { plan, isPaidByPlan: true, mayBeLimited };
    try {
      return await reserveFor({ ...call, budgets: plan.budgets, payment }, ledger, values);
    } catch (error) {
      if (isOfPlan(plan, error)) {
        overflow = { plan, refusal: error };
        if (error.available === 0) {
          const until = Math.min(error.resetAt * 1000, error.hold.askedAt + maxExhausted);
          exhausted.set(plan.windows, { until, refusal: error });
        }
      } else if (!(error instanceof SubscriptionEndedError)) throw error;
    }
  }
  if (!overflow) return reserveFor(call, ledger, values);
  const { plan, refusal } = overflow;
  if (plan.overflow === 'stop') throw refusal;
  // Twelve digits are exact for all ratios that an operator writes.
  const groupRatio = Number((call.price.groupRatio * plan.overflowRatio).toPrecision(12));
  const price = { ...call.price, groupRatio };
  const payment = { plan, isPaidByPlan: false, mayBeLimited: false };
  return reserveFor({ ...call, price, payment }, ledger, values);
}
