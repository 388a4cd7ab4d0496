import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Access } from '../../graphql/access.js';
import type { GraphQLContext } from '../../graphql/context.js';
import { omitNullish } from '../../graphql/nullable.js';
import { pageQueryOf } from '../../graphql/page.object.js';
import type { Page } from '../../shared/page.js';
import type { TopUpOrder } from './top-up-order.entity.js';
import {
  StartedPaymentObject,
  TopUpOrderListArgs,
  TopUpOrderObject,
  TopUpOrderPage,
  toOrderObject,
  toStartedPayment,
} from './wallet.object.js';
import type { OrderFilter, WalletService } from './wallet.service.js';

@Resolver(() => TopUpOrderObject)
export class WalletResolver {
  constructor(private readonly walletService: WalletService) {}

  @Access('common')
  @Query(() => TopUpOrderPage, { description: 'Own orders, the newest first unless sorted.' })
  async myTopUps(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => TopUpOrderListArgs) args: TopUpOrderListArgs,
  ): Promise<Page<TopUpOrderObject>> {
    return toPage(
      await this.walletService.listOwn(actor, omitNullish<OrderFilter>(args.filter ?? {}), pageQueryOf(args)),
    );
  }

  @Access('admin')
  @Query(() => TopUpOrderPage, { description: 'Orders of everybody.' })
  async topUps(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => TopUpOrderListArgs) args: TopUpOrderListArgs,
  ): Promise<Page<TopUpOrderObject>> {
    return toPage(await this.walletService.list(actor, omitNullish<OrderFilter>(args.filter ?? {}), pageQueryOf(args)));
  }

  @Access('common')
  @Query(() => String, { description: 'What topping up this amount costs the caller, with two decimals.' })
  payableAmount(
    @Ctx() { actor }: GraphQLContext,
    @Arg('amount', () => GraphQLSafeInt, { description: 'USD, or points when the site shows points.' }) amount: number,
  ): string {
    return this.walletService.payable(actor, amount);
  }

  @Access('common')
  @Mutation(() => StartedPaymentObject, { description: 'Makes an order.' })
  async startTopUp(
    @Ctx() { actor }: GraphQLContext,
    @Arg('amount', () => GraphQLSafeInt) amount: number,
    @Arg('paymentMethod', () => String, { description: '`zfb` or `wx`.' }) paymentMethod: string,
  ): Promise<StartedPaymentObject> {
    return toStartedPayment(await this.walletService.pay(actor, amount, paymentMethod));
  }
}

const toPage = ({ items, totalCount }: Page<TopUpOrder>): Page<TopUpOrderObject> => ({
  items: items.map(toOrderObject),
  totalCount,
});
