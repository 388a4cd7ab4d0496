export {
  type KnownPlan,
  type KnownPlanRow,
  noPlans,
  opensGroup,
  PlanGroups,
  plansOf,
  raisedLimit,
  toKnownPlans,
} from './known-plan.js';
export { parsePlan } from './plan-input.js';
export { type Finished, paidFor, PlanSales, windowsOf } from './plan-sales.js';
export { lockOfOrder, restoreSubscription, reverseSubscription } from './plan-reversals.js';
export { type Overflow, overflows, type PeriodUnit, periodUnits, planSpans, type PlanSpan } from './plan-terms.js';
export { newPlan, Plan, type PlanInput, planTermNames, type PlanTerms } from './plan.entity.js';
export {
  type PlanReceipt,
  type RenewalPayer,
  renewalPayers,
  Subscription,
  type SubscriptionOrigin,
  type SubscriptionState,
} from './subscription.entity.js';
