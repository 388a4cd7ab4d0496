import { z } from 'zod';
import type { OptionValues } from '../../options/option.service.js';
import {
  type Plan,
  planSpans,
  type PlanSpan,
  type PlanTerms,
  type SubscriptionState,
} from '../../billing/plans/index.js';
import { markReplayed } from '../../platform/http/idempotency-key.js';
import { flag, int, quota, seconds, text } from '../../platform/http/openapi/operation.js';
import { routesFor } from '../../platform/http/route.js';
import { secondsOrZero, unixSeconds } from '../../shared/clock.js';
import { amountWithoutLimit } from '../../shared/quota.js';
import type { PlanService } from './plan.service.js';
import type { SubscriptionService, SubscriptionView } from './subscription.service.js';

interface PlanServices {
  readonly planService: PlanService;
  readonly subscriptionService: SubscriptionService;
  readonly options: { readonly values: Pick<OptionValues, 'QuotaPerUnit'> };
}
const route = routesFor<PlanServices>();

const planShape = z.object({
  id: int('Id'),
  title: text('Name'),
  subtitle: text('Description, may be empty'),
  price_amount: z.number().describe('Price of one period in USD'),
  currency: text('`USD`'),
  duration_unit: text('`day` or `month`'),
  duration_value: int('Number of days or calendar months'),
  custom_seconds: int('0'),
  enabled: flag('Users can buy it'),
  sort_order: int('The largest number is shown first'),
  allow_balance_pay: flag('True'),
  allow_wallet_overflow: flag('The balance pays for calls without room'),
  max_purchase_per_user: int('0: without limit'),
  upgrade_group: text('Empty: a purchase moves no user to another group'),
  total_amount: quota('Of the longest window of quota; 0 without one, or without limit'),
  quota_reset_period: text('`never`, `daily`, `weekly`, `monthly` or `custom`: when that window is reset'),
  quota_reset_custom_seconds: int('Of `custom`, else 0'),
  created_at: seconds('Created'),
});
const subscriptionShape = z.object({
  id: int('Id'),
  user_id: int('The account'),
  plan_id: int('The plan'),
  amount_total: quota('Of the longest window of quota; 0 without one, or without limit'),
  amount_used: quota('Used in that window, with calls that run'),
  start_time: seconds('Start'),
  end_time: seconds('End'),
  status: text('`active`, `expired` or `cancelled`'),
  source: text('`order`, or `admin` if it was given'),
  last_reset_time: seconds('Start of the open window, or 0'),
  next_reset_time: seconds('End of the open window, or 0 if it is not reset'),
  upgrade_group: text('Empty'),
  created_at: seconds('When it was bought or given'),
});
const summaries = z.array(z.object({ subscription: subscriptionShape }));

const resets: Record<PlanSpan, string> = {
  '5h': 'custom',
  day: 'daily',
  week: 'weekly',
  month: 'monthly',
  fixed: 'never',
};
const statuses: Record<SubscriptionState, string> = {
  active: 'active',
  ended: 'expired',
  upgraded: 'cancelled',
  refunded: 'cancelled',
};

/** A plan of new-api has one window. The longest one grants most. */
const windowOf = ({ windows }: Pick<PlanTerms, 'windows'>): PlanTerms['windows'][number] | undefined =>
  planSpans
    .toReversed()
    .map((span) => windows.find((one) => one.span === span && one.kind === 'money'))
    .find((window) => window !== undefined);

/** 0 is without limit there. */
const amountOf = (window: ReturnType<typeof windowOf>): number =>
  window === undefined || window.amount >= amountWithoutLimit ? 0 : window.amount;

function planOf(plan: Plan, quotaPerUnit: number): z.output<typeof planShape> {
  const window = windowOf(plan);
  return {
    id: plan.id,
    title: plan.name,
    subtitle: plan.description,
    price_amount: plan.price / quotaPerUnit,
    currency: 'USD',
    duration_unit: plan.periodUnit,
    duration_value: plan.periodCount,
    custom_seconds: 0,
    enabled: plan.onSale,
    sort_order: -plan.position + 0,
    allow_balance_pay: true,
    allow_wallet_overflow: plan.overflow === 'wallet',
    max_purchase_per_user: 0,
    upgrade_group: '',
    total_amount: amountOf(window),
    quota_reset_period: resets[window?.span ?? 'fixed'],
    quota_reset_custom_seconds: window?.span === '5h' ? 5 * 3600 : 0,
    created_at: unixSeconds(plan.createdAt),
  };
}

function summaryOf({ subscription, windows }: SubscriptionView): z.output<typeof summaries>[number] {
  const window = windowOf(subscription.terms);
  const { state } = windows.find(({ budget }) => budget.kind === 'money' && budget.span === window?.span) ?? {};
  return {
    subscription: {
      id: subscription.id,
      user_id: subscription.accountId,
      plan_id: subscription.planId,
      amount_total: amountOf(window),
      amount_used: state ? state.used + state.held : 0,
      start_time: unixSeconds(subscription.startsAt),
      end_time: unixSeconds(subscription.stoppedAt ?? subscription.endsAt),
      status: statuses[subscription.state],
      source: subscription.origin === 'grant' ? 'admin' : 'order',
      last_reset_time: secondsOrZero(state?.start ?? null),
      next_reset_time: window?.span === 'fixed' ? 0 : secondsOrZero(state?.end ?? null),
      upgrade_group: '',
      created_at: unixSeconds(subscription.createdAt),
    },
  };
}

/** `/api/subscription`: plans in the form of new-api (docs/reference/rest/third-party-clients.md). */
export const newApiPlanRoutes = [
  route('GET /api/subscription/plans', {
    summary: 'Plans on sale, as new-api lists them',
    caller: 'user',
    data: z.array(z.object({ plan: planShape })),
    example: {},
    handle: async ({ planService, options }, { actor }) =>
      (await planService.list(actor))
        .filter(({ onSale }) => onSale)
        .map((plan) => ({ plan: planOf(plan, options.values.QuotaPerUnit) })),
  }),
  route('POST /api/subscription/balance/pay', {
    summary: 'Buy a plan from the balance, as clients of new-api do',
    description: 'For one period. It is not renewed.',
    caller: 'user',
    once: true,
    body: z.object({ plan_id: z.int() }),
    errors: ['NOT_FOUND', 'CONFLICT', 'INSUFFICIENT_QUOTA'],
    example: { body: { plan_id: 2_000_000_000 }, fails: 'NOT_FOUND' },
    handle: async ({ subscriptionService }, { actor, body, idempotencyKey, reply }) => {
      const wanted = { planId: body.plan_id, renews: false };
      const { replayed } = await subscriptionService.buy(actor, wanted, idempotencyKey);
      markReplayed(reply, replayed);
    },
  }),
  route('GET /api/subscription/self', {
    summary: 'Own subscriptions, as new-api lists them',
    caller: 'user',
    data: z.object({
      billing_preference: text('`subscription_first`: plans pay before the balance'),
      subscriptions: summaries.describe('Those that run'),
      all_subscriptions: summaries.describe('The last 100, newest first'),
    }),
    example: {},
    handle: async ({ subscriptionService }, { actor }) => {
      const all = (await subscriptionService.listOwn(actor)).map(summaryOf);
      return {
        billing_preference: 'subscription_first',
        subscriptions: all.filter(({ subscription }) => subscription.status === 'active'),
        all_subscriptions: all,
      };
    },
  }),
];
