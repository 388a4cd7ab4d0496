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
export { parsePlan, type PlanInput } from './plan-input.js';
export { type Finished, paidFor, PlanSales, windowsOf } from './plan-sales.js';
export { lockOfOrder, restoreSubscription, reverseSubscription } from './plan-reversals.js';
export {
  type Overflow,
  overflows,
  type PeriodUnit,
  periodUnits,
  planSpans,
  planTermNames,
  type PlanSpan,
  type PlanTerms,
} from './plan-terms.js';
export { Plan } from './plan.entity.js';
export {
  type PlanReceipt,
  type RenewalPayer,
  renewalPayers,
  Subscription,
  type SubscriptionOrigin,
  type SubscriptionState,
} from './subscription.entity.js';
