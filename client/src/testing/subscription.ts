import type { SubscriptionFactsFragment } from '../screens/plans/plans.generated.js';

/** A bought subscription that runs, without a limit. */
export const subscription = (id: number, name = 'Coder', more: Partial<SubscriptionFactsFragment> = {}) => ({
  __typename: 'PlanSubscription' as const,
  id,
  planId: 1,
  state: 'ACTIVE' as const,
  origin: 'PURCHASE' as const,
  startsAt: '2026-01-01T10:00:00.000Z',
  endsAt: '2026-02-01T10:00:00.000Z',
  paid: 5_000_000,
  refunded: 0,
  renews: false,
  renewsBy: 'BALANCE' as const,
  savesCard: false,
  renewalProblem: '',
  used: 250_000,
  note: '',
  receipt: { __typename: 'PlanReceipt' as const, credit: 0, rest: null },
  terms: { __typename: 'PlanTerms' as const, name, price: 5_000_000, groups: [], overflow: 'STOP' as const },
  windows: [],
  ...more,
});
