import { Arg, Args, Ctx, Int, Query, Resolver } from 'type-graphql';
import { Access, Cost } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { listQueryOf, PageOf } from '../../platform/graphql/pagination.js';
import { PayloadMutation, replayed } from '../../platform/graphql/payload.js';
import {
  BuyPlanInput,
  CreatePlanInput,
  GrantPlanInput,
  PlanObject,
  PlanReceiptObject,
  toReceiptObject,
  RefundPlanInput,
  SetPlanRenewalInput,
  StopPlanRenewalInput,
  SubscriptionListArgs,
  SubscriptionObject,
  SubscriptionPageObject,
  toPlanInput,
  toPlanObject,
  toPlanPatch,
  toSubscriptionFilter,
  toSubscriptionObject,
  UpdatePlanInput,
  UpgradePlanInput,
} from './plan.object.js';
import type { PlanService } from './plan.service.js';
import type { Sold, SubscriptionService } from './subscription.service.js';

const sold = { subscription: [() => SubscriptionObject, 'The subscription.'], replayed } as const;
interface SoldPayload {
  subscription: SubscriptionObject;
  replayed: boolean;
}
const toPayload = ({ view, replayed }: Sold): SoldPayload => ({ subscription: toSubscriptionObject(view), replayed });

@Resolver(() => PlanObject)
export class PlanResolver {
  constructor(
    private readonly planService: PlanService,
    private readonly subscriptionService: SubscriptionService,
  ) {}

  @Query(() => [PlanObject], {
    description: 'Plans in the order in which they pay. Users see those on sale, those who may change prices all.',
  })
  @Access('common')
  async plans(@Ctx() { actor }: GraphQLContext): Promise<PlanObject[]> {
    return (await this.planService.list(actor)).map(toPlanObject);
  }

  @Query(() => [SubscriptionObject], {
    description: 'The last 100 subscriptions of the caller to plans, newest first.',
  })
  @Access('common')
  async myPlans(@Ctx() { actor }: GraphQLContext): Promise<SubscriptionObject[]> {
    return (await this.subscriptionService.listOwn(actor)).map(toSubscriptionObject);
  }

  @Query(() => SubscriptionPageObject, { description: 'Subscriptions of all users to plans.' })
  @Access('payments')
  @Cost(1, ['pageSize'])
  async planSubscriptions(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => SubscriptionListArgs) args: SubscriptionListArgs,
  ): Promise<PageOf<SubscriptionObject>> {
    const filter = toSubscriptionFilter(args.filter);
    const page = await this.subscriptionService.list(actor, filter, listQueryOf(args));
    return PageOf.from(page, toSubscriptionObject, { sums: () => this.subscriptionService.sums(actor, filter) });
  }

  @Query(() => PlanReceiptObject, { description: 'The price of an upgrade now.' })
  @Access('common')
  async planUpgrade(
    @Ctx() { actor }: GraphQLContext,
    @Arg('subscriptionId', () => Int, { description: '`PlanSubscription.id` of the running one.' })
    subscriptionId: number,
    @Arg('planId', () => Int, { description: '`Plan.id` of the new one.' }) planId: number,
  ): Promise<PlanReceiptObject> {
    return toReceiptObject(await this.subscriptionService.quote(actor, subscriptionId, planId));
  }

  @PayloadMutation({ plan: [() => PlanObject, 'The new plan.'], replayed }, 'Creates a plan.')
  @Access('prices')
  async createPlan(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => CreatePlanInput, { description: 'The plan.' }) input: CreatePlanInput,
  ): Promise<{ plan: PlanObject; replayed: boolean }> {
    const created = await this.planService.create(actor, toPlanInput(input), input.idempotencyKey);
    return { plan: toPlanObject(created.plan), replayed: created.replayed };
  }

  @PayloadMutation(
    { plan: [() => PlanObject, 'The plan after the change.'] },
    'Changes a plan for those who buy it from now on.',
  )
  @Access('prices')
  async updatePlan(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => UpdatePlanInput, { description: 'What changes.' }) input: UpdatePlanInput,
  ): Promise<{ plan: PlanObject }> {
    return { plan: toPlanObject(await this.planService.update(actor, input.id, toPlanPatch(input))) };
  }

  @PayloadMutation(
    { id: [() => Int, 'The id of the deleted plan.'] },
    'Deletes a plan. Running subscriptions go on, and are not renewed.',
  )
  @Access('prices')
  async deletePlan(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`Plan.id`.' }) id: number,
  ): Promise<{ id: number }> {
    await this.planService.delete(actor, id);
    return { id };
  }

  @PayloadMutation(sold, 'Buys a plan from the balance of the caller.')
  @Access('common')
  async buyPlan(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => BuyPlanInput, { description: 'The plan, and whether it is renewed.' })
    { planId, renews, idempotencyKey }: BuyPlanInput,
  ): Promise<SoldPayload> {
    return toPayload(await this.subscriptionService.buy(actor, { planId, renews: renews ?? false }, idempotencyKey));
  }

  @PayloadMutation(sold, 'Replaces a running plan of the caller by a larger one. `planUpgrade` computes the price.')
  @Access('common')
  async upgradePlan(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => UpgradePlanInput, { description: 'The running and the new plan.' })
    { subscriptionId, planId, idempotencyKey }: UpgradePlanInput,
  ): Promise<SoldPayload> {
    return toPayload(await this.subscriptionService.upgrade(actor, subscriptionId, planId, idempotencyKey));
  }

  @PayloadMutation(
    { subscription: [() => SubscriptionObject, 'The subscription after the change.'] },
    'Turns the renewal of a running plan of the caller on or off.',
  )
  @Access('common')
  async setPlanRenewal(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => SetPlanRenewalInput, { description: 'The subscription, whether it is renewed, and who pays.' })
    { id, renews, by }: SetPlanRenewalInput,
  ): Promise<{ subscription: SubscriptionObject }> {
    return { subscription: toSubscriptionObject(await this.subscriptionService.setRenewal(actor, id, renews, by)) };
  }

  @PayloadMutation(sold, 'Gives a plan to a user for one period.')
  @Access('users.quota')
  async grantPlan(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => GrantPlanInput, { description: 'The user and the plan.' })
    { userId, planId, note, idempotencyKey }: GrantPlanInput,
  ): Promise<SoldPayload> {
    const given = { accountId: userId, planId, note: note ?? '' };
    return toPayload(await this.subscriptionService.grant(actor, given, idempotencyKey));
  }

  @PayloadMutation(
    { subscription: [() => SubscriptionObject, 'The subscription after the change.'] },
    'Turns off the renewal of a subscription of any user. Its running period goes on.',
  )
  @Access('users.quota')
  async stopPlanRenewal(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => StopPlanRenewalInput, { description: 'The subscription.' }) { id }: StopPlanRenewalInput,
  ): Promise<{ subscription: SubscriptionObject }> {
    return { subscription: toSubscriptionObject(await this.subscriptionService.stopRenewal(actor, id)) };
  }

  @PayloadMutation(
    { subscription: [() => SubscriptionObject, 'The subscription after the refund.'] },
    'Returns the price of a subscription, or a part of it, to the balance, and ends it.',
  )
  @Access('users.quota')
  async refundPlan(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => RefundPlanInput, { description: 'The subscription, the amount and the reason.' })
    { id, amount, note }: RefundPlanInput,
  ): Promise<{ subscription: SubscriptionObject }> {
    const refunded = await this.subscriptionService.refund(actor, id, { amount: amount ?? null, note });
    return { subscription: toSubscriptionObject(refunded) };
  }
}
