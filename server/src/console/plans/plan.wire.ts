import { z } from 'zod';
import { flag, int, named, nullish, quota, seconds, text } from '../../platform/http/openapi/operation.js';
import { budgetKinds } from '../../shared/budget.js';
import { secondsOrZero, unixSeconds } from '../../shared/clock.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { pick, snakeKeys } from '../../shared/snake-case.js';
import {
  newPlan,
  overflows,
  periodUnits,
  type Plan,
  type PlanInput,
  planSpans,
  type PlanTerms,
  planTermNames,
} from '../../billing/plans/index.js';
import type { SubscriptionView } from './subscription.service.js';

const names = z.array(z.string());
const window = z.object({
  window: z.enum(planSpans).describe('`5h`, `day`, `week`, `month` or `fixed` for the whole period'),
  kind: z.enum(budgetKinds).describe('`money` (quota), `tokens` or `requests`'),
  amount: int('Quota, tokens or requests in each window'),
});
type WireWindow = z.output<typeof window>;

const fromWindow = ({ window: span, kind, amount }: WireWindow): PlanInput['windows'][number] => ({
  span,
  kind,
  amount,
});
const toWindow = ({ span, kind, amount }: PlanInput['windows'][number]): WireWindow => ({ window: span, kind, amount });

const optional = {
  description: nullish.text,
  groups: names.nullish(),
  models: names.nullish(),
  max_concurrent: nullish.whole,
  max_requests: nullish.whole,
  overflow: z.enum(overflows).nullish(),
  overflow_ratio: z.number().nullish(),
  position: nullish.whole,
  on_sale: nullish.flag,
};

const optionalPatch = (body: z.output<z.ZodObject<typeof optional>>): Partial<PlanInput> =>
  omitUndefined({
    description: body.description ?? undefined,
    groups: body.groups ?? undefined,
    models: body.models ?? undefined,
    maxConcurrent: body.max_concurrent,
    maxRequests: body.max_requests,
    overflow: body.overflow ?? undefined,
    overflowRatio: body.overflow_ratio ?? undefined,
    position: body.position ?? undefined,
    onSale: body.on_sale ?? undefined,
  });

/** `POST /api/plan/`. */
export const createPlanBody = z
  .object({
    name: z.string(),
    price: z.int(),
    period_unit: z.enum(periodUnits),
    period_count: z.int(),
    windows: z.array(window),
    ...optional,
  })
  .transform((body): PlanInput => ({
    ...newPlan,
    ...optionalPatch(body),
    name: body.name,
    price: body.price,
    periodUnit: body.period_unit,
    periodCount: body.period_count,
    windows: body.windows.map(fromWindow),
  }));

/** `PUT /api/plan/`. Absent fields are unchanged. */
export const updatePlanBody = z
  .object({
    id: z.int(),
    name: nullish.text,
    price: nullish.whole,
    period_unit: z.enum(periodUnits).nullish(),
    period_count: nullish.whole,
    windows: z.array(window).nullish(),
    ...optional,
  })
  .transform((body): { id: number; fields: Partial<PlanInput> } => ({
    id: body.id,
    fields: omitUndefined({
      ...optionalPatch(body),
      name: body.name ?? undefined,
      price: body.price ?? undefined,
      periodUnit: body.period_unit ?? undefined,
      periodCount: body.period_count ?? undefined,
      windows: body.windows?.map(fromWindow),
    }),
  }));

const termShape = {
  name: text('Name'),
  description: text('Description, may be empty'),
  price: quota('Price of one period'),
  period_unit: text('`day` or `month`'),
  period_count: int('Number of days or calendar months'),
  windows: z.array(window).describe('What it grants. A call must fit into all of them'),
  groups: names.describe('Groups that it opens and pays for; empty for all'),
  models: names.describe('Names, or patterns with `*`, that it pays for; empty for all'),
  max_concurrent: z.int().nullable().describe('Calls at once of the account; null for the limit of the site'),
  max_requests: z.int().nullable().describe('Calls in the period of the rate limit; null for the limit of the site'),
  overflow: text('Of a call without room: `stop` refuses it, with `wallet` the balance pays'),
  overflow_ratio: z.number().describe('Part of the price that the balance pays then'),
  position: int('Of several plans the lowest number pays first'),
};

const toTerms = (terms: PlanTerms): z.output<z.ZodObject<typeof termShape>> => ({
  ...snakeKeys(pick(terms, planTermNames)),
  windows: terms.windows.map(toWindow),
  groups: [...terms.groups],
  models: [...terms.models],
});

/** A plan in the REST form (docs/reference/rest/entities.md#plan). */
export const shownPlan = named('Plan', 'A plan that the site sells.', {
  id: int('Id'),
  ...termShape,
  on_sale: flag('Users can buy and renew it'),
  created_time: seconds('Created'),
});

export const planToWire = (plan: Plan): z.output<typeof shownPlan> => ({
  id: plan.id,
  ...toTerms(plan),
  on_sale: plan.onSale,
  created_time: unixSeconds(plan.createdAt),
});

/** A subscription in the REST form (docs/reference/rest/entities.md#plansubscription). */
export const shownSubscription = named('PlanSubscription', 'One period of a plan of an account.', {
  id: int('Id'),
  user_id: int('The account'),
  username: text('Name of the account'),
  plan_id: int('The plan'),
  terms: z.object(termShape).describe('The plan as it was sold'),
  state: text('`active`, `ended`, `upgraded` or `refunded`'),
  origin: text('`purchase`, `renewal`, `upgrade`, `code`, `grant` or `order`'),
  starts_at: seconds('Start'),
  ends_at: seconds('End, excluded'),
  stopped_at: seconds('When it stopped before its end, or 0'),
  paid: quota('What the balance paid'),
  refunded: quota('What was returned to the balance'),
  receipt: z
    .object({
      price: quota('Price'),
      credit: quota('Rest of the replaced subscription'),
      formula: text('Computation'),
      rest: z
        .object({
          paid: quota('What the balance had paid for the replaced one'),
          left: int('Seconds, or the unit of the window'),
          of: int('The whole, in the same unit'),
          window: z
            .object({ span: text('As of a window of a plan'), kind: text('As of a window of a plan') })
            .nullable()
            .describe('The window that left the smallest share, or null when the time did'),
        })
        .nullable()
        .describe('Computation of the credit, or null without one'),
    })
    .describe('How `paid` was computed'),
  renews: flag('It is renewed when it ends'),
  renews_by: text('Who pays the renewal: `balance` or `card`'),
  saves_card: flag('Its card was saved, and can pay the renewal'),
  renewal_problem: text(
    '`NOT_SOLD`, `PRICE_RAISED`, `INSUFFICIENT_QUOTA`, `USER_BANNED`, `CARD_DECLINED`, ' +
      '`AUTHENTICATION_REQUIRED`, `CARD_REMOVED` or `PAYMENT_FAILED` when its renewal failed, or empty',
  ),
  used: quota('All calls that it has paid for'),
  windows: z
    .array(
      window.extend({
        used: int('Used in the open window'),
        held: int('Taken by calls that run'),
        window_start: seconds('Start of the open window, or 0'),
        resets_at: seconds('End of the open window, or 0'),
      }),
    )
    .describe('Its windows with their use now'),
  note: text('Of the admin who gave or refunded it'),
  created_time: seconds('When it was bought or given'),
});

export const subscriptionToWire = ({
  subscription,
  username,
  windows,
  used,
  savesCard,
}: SubscriptionView): z.output<typeof shownSubscription> => ({
  id: subscription.id,
  user_id: subscription.accountId,
  username,
  plan_id: subscription.planId,
  terms: toTerms(subscription.terms),
  state: subscription.state,
  origin: subscription.origin,
  starts_at: unixSeconds(subscription.startsAt),
  ends_at: unixSeconds(subscription.endsAt),
  stopped_at: secondsOrZero(subscription.stoppedAt),
  paid: subscription.paid,
  refunded: subscription.refunded,
  receipt: { ...subscription.receipt, rest: subscription.receipt.rest ?? null },
  renews: subscription.renews,
  renews_by: subscription.renewsBy,
  saves_card: savesCard,
  renewal_problem: subscription.renewalProblem,
  note: subscription.note,
  created_time: unixSeconds(subscription.createdAt),
  used,
  windows: windows.map(({ budget, state }) => ({
    window: budget.span as WireWindow['window'],
    kind: budget.kind,
    amount: budget.amount,
    used: state?.used ?? 0,
    held: state?.held ?? 0,
    window_start: secondsOrZero(state?.start),
    resets_at: secondsOrZero(state?.end),
  })),
});
