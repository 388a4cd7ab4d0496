import type { OptionValues } from '../../options/option.service.js';
import { type Ledger, SubscriptionEndedError } from '../../billing/ledger/index.js';
import type { CallPlan } from '../admit/call-budgets.js';
import type { Call } from '../call.js';
import { isOfPlan, reserveFor, type Reserved } from './reserve.js';

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
    // A later plan or the balance pays for the whole output, so only a plan that refuses limits it.
    const mayBeLimited = plan === last && plan.overflow === 'stop';
    const payment = { plan, isPaidByPlan: true, mayBeLimited };
    try {
      return await reserveFor({ ...call, budgets: plan.budgets, payment }, ledger, values);
    } catch (error) {
      if (isOfPlan(plan, error)) overflow = { plan, refusal: error };
      else if (!(error instanceof SubscriptionEndedError)) throw error;
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
