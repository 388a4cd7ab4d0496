import { Arg, Args, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Access, Cost, NotInPanels } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { loadFor } from '../../platform/graphql/loaders.js';
import { MoneyObject } from '../../platform/graphql/money.object.js';
import { listQueryOf, PageOf } from '../../platform/graphql/pagination.js';
import { bucketZone, TimeRangeObject, zonesOf } from '../../platform/graphql/ranges.js';
import { GraphQLSafeInt, GraphQLTimeZone } from '../../platform/graphql/scalars.js';
import type { Slice } from '../../shared/page.js';
import { resolveTimeRange } from '../../shared/time-range.js';
import type { OptionValues } from '../../options/option.service.js';
import { type OrderSums, paymentTestMessages, type TopUpOrder } from '../../billing/payments/index.js';
import {
  OwnTopUpOrderListArgs,
  PaymentMethodEnum,
  PaymentMethodObject,
  RevenueBucketEnum,
  RevenueObject,
  type StartedTopUp,
  MarkTopUpPaidInput,
  RefundTopUpInput,
  SettleTopUpRefundInput,
  StartPlanPaymentInput,
  StartTopUpInput,
  TestPaymentPayload,
  toOrderEventObject,
  toOrderFilter,
  toOrderObject,
  toOrderSums,
  toPaymentForm,
  toPaymentMethodObject,
  TopUpEventObject,
  TopUpReversalObject,
  toReversalObject,
  TopUpOrderListArgs,
  TopUpOrderObject,
  TopUpOrderPageObject,
  toRevenueObject,
  PaymentFormObject,
} from './wallet.object.js';
import type { OrderService } from './order.service.js';
import type { PaymentTestService } from './payment-test.service.js';
import type { RevenueBucket, WalletService } from './wallet.service.js';
import { PayloadMutation, replayed } from '../../platform/graphql/payload.js';

@Resolver(() => TopUpOrderObject)
export class WalletResolver {
  constructor(
    private readonly walletService: WalletService,
    private readonly options: { readonly values: Pick<OptionValues, 'QuotaPerUnit' | 'MinTopUp'> },
    private readonly tests: PaymentTestService,
    private readonly orders: OrderService,
  ) {}

  @Query(() => TopUpOrderPageObject, { description: 'Orders of all users.' })
  @Access('payments')
  @Cost(1, ['pageSize'])
  async topUps(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => TopUpOrderListArgs) args: TopUpOrderListArgs,
  ): Promise<PageOf<TopUpOrderObject>> {
    const filter = toOrderFilter(args.filter);
    const page = await this.walletService.list(actor, filter, listQueryOf(args));
    return this.toPage(page, () => this.walletService.sums(actor, filter));
  }

  @Query(() => [TopUpEventObject], {
    description: 'History of an order, oldest first. Beyond 100 entries, only credits are kept.',
  })
  @Access('payments')
  @NotInPanels()
  async topUpEvents(
    @Ctx() { actor }: GraphQLContext,
    @Arg('orderId', () => Int, { description: '`TopUpOrder.id`.' }) orderId: number,
  ): Promise<TopUpEventObject[]> {
    return (await this.orders.events(actor, orderId)).map(toOrderEventObject);
  }

  @Query(() => [TopUpReversalObject], { description: 'Refunds and disputes of an order, oldest first.' })
  @Access('payments')
  @NotInPanels()
  async topUpReversals(
    @Ctx() { actor }: GraphQLContext,
    @Arg('orderId', () => Int, { description: '`TopUpOrder.id`.' }) orderId: number,
  ): Promise<TopUpReversalObject[]> {
    return (await this.orders.reversals(actor, [orderId])).map(toReversalObject);
  }

  @FieldResolver(() => [TopUpReversalObject], { nullable: true, description: 'Refunds and disputes, oldest first.' })
  @Access('payments')
  @Cost(1)
  async reversals(@Root() { id }: TopUpOrderObject, @Ctx() context: GraphQLContext): Promise<TopUpReversalObject[]> {
    const question = { name: 'reversals of orders', scope: 'ADMIN_READ' } as const;
    const found = await loadFor(context, this.orders, question, id, async (ids) => {
      const rows = await this.orders.reversals(context.actor, ids);
      return new Map(ids.map((one) => [one, rows.filter(({ orderId }) => orderId === one)]));
    });
    return (found ?? []).map(toReversalObject);
  }

  @PayloadMutation(
    { order: [() => TopUpOrderObject, 'The order after the change.'] },
    'Credits an unpaid order whose payment arrived without a callback. A later callback credits nothing. Needs payments too.',
  )
  @Access('users.quota')
  async markTopUpPaid(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => MarkTopUpPaidInput, { description: 'The order, and a note.' }) { id, note }: MarkTopUpPaidInput,
  ): Promise<{ order: TopUpOrderObject }> {
    return { order: this.toObject(await this.orders.markPaid(actor, id, note)) };
  }

  @PayloadMutation(
    {
      order: [() => TopUpOrderObject, 'The order after the change.'],
      confirmed: [
        () => Boolean,
        'False: the gateway has not confirmed the refund. The server sends it again if the gateway allows it.',
      ],
      replayed,
    },
    'Takes back the quota of a paid order, or of a part of it, and pays the money back at its gateway. Needs payments too.',
  )
  @Access('users.quota')
  async refundTopUp(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => RefundTopUpInput, { description: 'The order, the amount and a note.' })
    { id, ...input }: RefundTopUpInput,
  ): Promise<{ order: TopUpOrderObject; confirmed: boolean; replayed: boolean }> {
    const { order, ...result } = await this.orders.refund(actor, id, input);
    return { order: this.toObject(order), ...result };
  }

  @PayloadMutation(
    { order: [() => TopUpOrderObject, 'The order after the change.'] },
    'Ends a refund whose outcome is not known, as you found it at the gateway. Not for gateways that the server asks again. Needs payments too.',
  )
  @Access('users.quota')
  async settleTopUpRefund(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => SettleTopUpRefundInput, { description: 'The order, and the outcome.' })
    { id, ...found }: SettleTopUpRefundInput,
  ): Promise<{ order: TopUpOrderObject }> {
    return { order: this.toObject(await this.orders.settleRefund(actor, id, found)) };
  }

  @Query(() => [PaymentMethodObject], {
    description: 'All ways to pay, those that are offered first; orders may have others of them.',
  })
  @Access('common')
  paymentMethods(@Ctx() { actor }: GraphQLContext): PaymentMethodObject[] {
    const { MinTopUp } = this.options.values;
    return this.walletService.methods(actor).map((method) => toPaymentMethodObject(method, MinTopUp));
  }

  @Mutation(() => TestPaymentPayload, {
    description: 'Checks the saved settings of a payment gateway without a payment.',
  })
  @Access('payments.settings')
  async testPayment(
    @Ctx() { actor }: GraphQLContext,
    @Arg('provider', () => String, {
      nullable: true,
      description: 'The gateway, as in `PaymentMethodDetails.provider`. Default: the one that is configured.',
    })
    provider?: string | null,
  ): Promise<TestPaymentPayload> {
    const test = await this.tests.test(actor, provider);
    return { ...test, message: paymentTestMessages[test.outcome] };
  }

  @Query(() => TopUpOrderPageObject, { description: 'Own orders.' })
  @Access('common')
  @Cost(1, ['pageSize'])
  async myTopUps(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => OwnTopUpOrderListArgs) args: OwnTopUpOrderListArgs,
  ): Promise<PageOf<TopUpOrderObject>> {
    const filter = toOrderFilter(args.filter);
    const page = await this.walletService.listOwn(actor, filter, listQueryOf(args));
    return this.toPage(page, () => this.walletService.sumsOwn(actor, filter));
  }

  @Query(() => [RevenueObject], {
    description:
      'Income by period, method and currency, oldest first: payments less refunds. Periods without either are absent.',
  })
  @Access('payments')
  @Cost(50)
  async revenue(
    @Ctx() { actor }: GraphQLContext,
    @Arg('range', () => TimeRangeObject, {
      nullable: true,
      description: 'When the orders were paid or refunded. When absent: at any time.',
    })
    range?: TimeRangeObject | null,
    @Arg('timeZone', () => GraphQLTimeZone, { nullable: true, description: bucketZone }) timeZone?: string | null,
    @Arg('bucket', () => RevenueBucketEnum, {
      defaultValue: RevenueBucketEnum.MONTH,
      description: 'Length of the periods.',
    })
    bucket: RevenueBucket = 'MONTH',
  ): Promise<RevenueObject[]> {
    const zones = zonesOf(range, timeZone);
    const paid = resolveTimeRange(range, { timeZone: zones.rangeTimeZone });
    return (await this.walletService.revenue(actor, paid, bucket, zones.timeZone)).map(toRevenueObject);
  }

  @Query(() => MoneyObject, { description: 'Price of this top-up for the caller.' })
  @Access('common')
  payableAmount(
    @Ctx() { actor }: GraphQLContext,
    @Arg('amount', () => GraphQLSafeInt, { description: 'USD, or quota if the site shows quota.' }) amount: number,
    @Arg('method', () => PaymentMethodEnum, { nullable: true, description: 'Default: the first that is offered.' })
    method?: string | null,
  ): MoneyObject {
    return this.walletService.payable(actor, amount, method);
  }

  @PayloadMutation(
    {
      order: [() => TopUpOrderObject, 'The new order, or that of the first call with the key.'],
      form: [() => PaymentFormObject, 'What the browser of the buyer opens or posts.'],
      replayed,
    },
    'Creates an order and its payment form.',
  )
  @Access('common')
  async startTopUp(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => StartTopUpInput, { description: 'The amount and the method.' })
    { amount, method, idempotencyKey, topUpCode }: StartTopUpInput,
  ): Promise<StartedTopUp> {
    const started = await this.walletService.pay(actor, amount, method, idempotencyKey, topUpCode);
    return { order: this.toObject(started.order), form: toPaymentForm(started.checkout), replayed: started.replayed };
  }

  @PayloadMutation(
    {
      order: [() => TopUpOrderObject, 'The new order, or that of the first call with the key.'],
      form: [() => PaymentFormObject, 'What the browser of the buyer opens or posts.'],
      replayed,
    },
    'Creates an order whose credit buys a plan, and its payment form.',
  )
  @Access('common')
  async startPlanPayment(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => StartPlanPaymentInput, { description: 'The plan, the method, and who pays renewals.' })
    { planId, method, renews, idempotencyKey }: StartPlanPaymentInput,
  ): Promise<StartedTopUp> {
    const started = await this.walletService.payForPlan(actor, planId, method, idempotencyKey, renews ?? false);
    return { order: this.toObject(started.order), form: toPaymentForm(started.checkout), replayed: started.replayed };
  }

  private toPage(page: Slice<TopUpOrder>, sums: () => Promise<OrderSums>): PageOf<TopUpOrderObject> {
    return PageOf.from(page, (order) => this.toObject(order), {
      sums: async () => toOrderSums(await sums(), this.options.values.QuotaPerUnit),
    });
  }

  private toObject(order: TopUpOrder): TopUpOrderObject {
    return toOrderObject(order, this.walletService.statusOf(order), this.options.values.QuotaPerUnit);
  }
}
