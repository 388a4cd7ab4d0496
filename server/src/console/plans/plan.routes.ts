import { z } from 'zod';
import { markReplayed } from '../../platform/http/idempotency-key.js';
import { listOf, nullish, pages } from '../../platform/http/openapi/operation.js';
import { wirePage } from '../../platform/http/paging.js';
import { routesFor } from '../../platform/http/route.js';
import { renewalPayers } from '../../billing/plans/index.js';
import type { PlanService } from './plan.service.js';
import {
  createPlanBody,
  planToWire,
  shownPlan,
  shownSubscription,
  subscriptionToWire,
  updatePlanBody,
} from './plan.wire.js';
import type { SubscriptionService } from './subscription.service.js';

interface PlanServices {
  readonly planService: PlanService;
  readonly subscriptionService: SubscriptionService;
}
const route = routesFor<PlanServices>({ isScoped: true });

const unknownPlan = 2_000_000_000;

/** `/api/plan` (docs/reference/rest/tokens-and-wallet.md#plans). */
export const planRoutes = [
  route('GET /api/plan', {
    summary: 'Plans in the order in which they pay',
    description: 'Users see those on sale, those who may change prices all.',
    caller: 'user',
    data: z.array(shownPlan),
    example: {},
    handle: async ({ planService }, { actor }) => (await planService.list(actor)).map(planToWire),
  }),
  route('POST /api/plan', {
    summary: 'Create a plan',
    caller: { may: 'prices' },
    once: true,
    body: createPlanBody,
    data: shownPlan,
    example: {
      body: {
        name: 'Coder',
        price: 5_000_000,
        period_unit: 'month',
        period_count: 1,
        windows: [
          { window: '5h', kind: 'money', amount: 1_000_000 },
          { window: 'week', kind: 'money', amount: 5_000_000 },
        ],
      },
    },
    handle: async ({ planService }, { actor, body, idempotencyKey, reply }) => {
      const { plan, replayed } = await planService.create(actor, body, idempotencyKey);
      markReplayed(reply, replayed);
      return planToWire(plan);
    },
  }),
  route('PUT /api/plan', {
    summary: 'Change a plan for those who buy it from now on',
    description: 'Absent fields stay. Subscriptions that were sold keep their terms.',
    caller: { may: 'prices' },
    body: updatePlanBody,
    data: shownPlan,
    errors: ['NOT_FOUND'],
    example: { body: { id: unknownPlan, price: 6_000_000 }, fails: 'NOT_FOUND' },
    handle: async ({ planService }, { actor, body }) =>
      planToWire(await planService.update(actor, body.id, body.fields)),
  }),
  route('DELETE /api/plan/:id', {
    summary: 'Delete a plan',
    description: 'Running subscriptions go on, and are not renewed.',
    caller: { may: 'prices' },
    errors: ['NOT_FOUND'],
    example: { path: { id: unknownPlan }, fails: 'NOT_FOUND' },
    handle: async ({ planService }, { actor, id }) => {
      await planService.delete(actor, id);
    },
  }),
  route('POST /api/plan/buy', {
    summary: 'Buy a plan from the balance',
    caller: 'user',
    once: true,
    body: z.object({ plan_id: z.int(), renews: nullish.flag }),
    data: shownSubscription,
    errors: ['NOT_FOUND', 'CONFLICT', 'INSUFFICIENT_QUOTA'],
    example: { body: { plan_id: unknownPlan, renews: false }, fails: 'NOT_FOUND' },
    handle: async ({ subscriptionService }, { actor, body, idempotencyKey, reply }) => {
      const wanted = { planId: body.plan_id, renews: body.renews ?? false };
      const { view, replayed } = await subscriptionService.buy(actor, wanted, idempotencyKey);
      markReplayed(reply, replayed);
      return subscriptionToWire(view);
    },
  }),
  route('POST /api/plan/upgrade', {
    summary: 'Replace a running plan by a larger one',
    description: 'The rest of the running one is credited. The receipt has the computation.',
    caller: 'user',
    once: true,
    body: z.object({ subscription_id: z.int(), plan_id: z.int() }),
    data: shownSubscription,
    errors: ['NOT_FOUND', 'CONFLICT', 'INSUFFICIENT_QUOTA'],
    example: { body: { subscription_id: unknownPlan, plan_id: unknownPlan }, fails: 'NOT_FOUND' },
    handle: async ({ subscriptionService }, { actor, body, idempotencyKey, reply }) => {
      const { view, replayed } = await subscriptionService.upgrade(
        actor,
        body.subscription_id,
        body.plan_id,
        idempotencyKey,
      );
      markReplayed(reply, replayed);
      return subscriptionToWire(view);
    },
  }),
  route('PUT /api/plan/renewal', {
    summary: 'Turn the renewal of a running plan on or off',
    caller: 'user',
    body: z.object({ subscription_id: z.int(), renews: z.boolean(), renews_by: z.enum(renewalPayers).nullish() }),
    data: shownSubscription,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: { body: { subscription_id: unknownPlan, renews: true }, fails: 'NOT_FOUND' },
    handle: async ({ subscriptionService }, { actor, body }) =>
      subscriptionToWire(
        await subscriptionService.setRenewal(actor, body.subscription_id, body.renews, body.renews_by),
      ),
  }),
  route('GET /api/plan/self', {
    summary: 'Own subscriptions',
    description: 'The last 100, newest first, with the use of their windows.',
    caller: 'user',
    data: z.array(shownSubscription),
    example: {},
    handle: async ({ subscriptionService }, { actor }) =>
      (await subscriptionService.listOwn(actor)).map(subscriptionToWire),
  }),
  route('GET /api/plan/subscription', {
    summary: 'Subscriptions of all users, newest first',
    caller: { may: 'payments' },
    query: pages,
    data: listOf(shownSubscription),
    example: { query: { p: 1 } },
    handle: ({ subscriptionService }, { actor, query, request }) =>
      wirePage(request, query, { paged: true }, subscriptionToWire, (page) =>
        subscriptionService.list(actor, {}, page),
      ),
  }),
  route('POST /api/plan/grant', {
    summary: 'Give a plan to a user for one period',
    caller: { may: 'users.quota' },
    once: true,
    body: z.object({ user_id: z.int(), plan_id: z.int(), note: nullish.text }),
    data: shownSubscription,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: { body: { user_id: 1, plan_id: unknownPlan }, fails: 'NOT_FOUND' },
    handle: async ({ subscriptionService }, { actor, body, idempotencyKey, reply }) => {
      const given = { accountId: body.user_id, planId: body.plan_id, note: body.note ?? '' };
      const { view, replayed } = await subscriptionService.grant(actor, given, idempotencyKey);
      markReplayed(reply, replayed);
      return subscriptionToWire(view);
    },
  }),
  route('POST /api/plan/renewal/stop', {
    summary: 'Turn off the renewal of a subscription of any user',
    description: 'Its running period goes on. Also ends the charges of an ended one whose card was declined.',
    caller: { may: 'users.quota' },
    body: z.object({ id: z.int() }),
    data: shownSubscription,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: { body: { id: unknownPlan }, fails: 'NOT_FOUND' },
    handle: async ({ subscriptionService }, { actor, body }) =>
      subscriptionToWire(await subscriptionService.stopRenewal(actor, body.id)),
  }),
  route('POST /api/plan/refund', {
    summary: 'Return the price of a subscription to the balance',
    description: 'All that was paid, or `amount` of it. A running subscription ends.',
    caller: { may: 'users.quota' },
    body: z.object({ id: z.int(), amount: nullish.whole, note: z.string() }),
    data: shownSubscription,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: { body: { id: unknownPlan, note: 'bought by mistake' }, fails: 'NOT_FOUND' },
    handle: async ({ subscriptionService }, { actor, body }) =>
      subscriptionToWire(
        await subscriptionService.refund(actor, body.id, { amount: body.amount ?? null, note: body.note }),
      ),
  }),
];
