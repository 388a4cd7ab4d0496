import { Arg, Args, Ctx, Int, Mutation, Query, Resolver } from 'type-graphql';
import { Access } from '../../graphql/access.js';
import type { GraphQLContext } from '../../graphql/context.js';
import { omitNullish } from '../../graphql/nullable.js';
import { pageQueryOf } from '../../graphql/page.object.js';
import type { Page } from '../../shared/page.js';
import type { Redeemed, RedeemService } from './redeem.service.js';
import {
  RedeemedObject,
  RedemptionInputObject,
  RedemptionListArgs,
  RedemptionObject,
  RedemptionPage,
  RedemptionPatchInput,
  toNewRedemptions,
  toRedemptionFields,
  toRedemptionObject,
} from './redemption.object.js';
import type { RedemptionFilter, RedemptionService } from './redemption.service.js';

@Resolver(() => RedemptionObject)
export class RedemptionResolver {
  constructor(
    private readonly redemptionService: RedemptionService,
    private readonly redeemService: RedeemService,
  ) {}

  @Access('admin')
  @Query(() => RedemptionPage, { description: 'Codes, the newest first unless sorted.' })
  async redemptions(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => RedemptionListArgs) args: RedemptionListArgs,
  ): Promise<Page<RedemptionObject>> {
    const filter = omitNullish<RedemptionFilter>(args.filter ?? {});
    const page = await this.redemptionService.list(actor, filter, pageQueryOf(args));
    return { ...page, items: page.items.map(toRedemptionObject) };
  }

  @Access('admin')
  @Query(() => RedemptionObject)
  async redemption(@Ctx() { actor }: GraphQLContext, @Arg('id', () => Int) id: number): Promise<RedemptionObject> {
    return toRedemptionObject(await this.redemptionService.get(actor, id));
  }

  @Access('admin')
  @Query(() => Int, { description: 'How many codes have exactly this name.' })
  redemptionCount(@Ctx() { actor }: GraphQLContext, @Arg('name', () => String) name: string): Promise<number> {
    return this.redemptionService.countByName(actor, name);
  }

  @Access('admin')
  @Mutation(() => [String], { description: 'The codes made.' })
  createRedemptions(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => RedemptionInputObject) input: RedemptionInputObject,
  ): Promise<string[]> {
    return this.redemptionService.create(actor, toNewRedemptions(input));
  }

  @Access('admin')
  @Mutation(() => RedemptionObject, { description: 'Only an unused code can be changed.' })
  async updateRedemption(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int) id: number,
    @Arg('input', () => RedemptionPatchInput) input: RedemptionPatchInput,
  ): Promise<RedemptionObject> {
    return toRedemptionObject(await this.redemptionService.update(actor, id, toRedemptionFields(input)));
  }

  @Access('admin')
  @Mutation(() => RedemptionObject, { description: '1 enabled, 2 disabled; a used code stays used.' })
  async setRedemptionStatus(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int) id: number,
    @Arg('status', () => Int) status: number,
  ): Promise<RedemptionObject> {
    return toRedemptionObject(await this.redemptionService.setStatus(actor, id, status));
  }

  @Access('admin')
  @Mutation(() => Boolean)
  async deleteRedemption(@Ctx() { actor }: GraphQLContext, @Arg('id', () => Int) id: number): Promise<boolean> {
    await this.redemptionService.delete(actor, id);
    return true;
  }

  @Access('admin')
  @Mutation(() => Int, { description: 'Deletes the codes with exactly this name. How many there were.' })
  deleteRedemptionsByName(@Ctx() { actor }: GraphQLContext, @Arg('name', () => String) name: string): Promise<number> {
    return this.redemptionService.deleteByName(actor, name);
  }

  @Access('admin')
  @Mutation(() => Int, { description: 'Disables the unused ones among these. How many there were.' })
  disableRedemptions(@Ctx() { actor }: GraphQLContext, @Arg('ids', () => [Int]) ids: number[]): Promise<number> {
    return this.redemptionService.disable(actor, ids);
  }

  @Access('admin')
  @Mutation(() => Int, { description: 'How many there were.' })
  deleteDisabledRedemptions(@Ctx() { actor }: GraphQLContext): Promise<number> {
    return this.redemptionService.deleteDisabled(actor);
  }

  @Access('common')
  @Mutation(() => RedeemedObject, { description: 'Turns a code into balance.' })
  redeem(@Ctx() { actor }: GraphQLContext, @Arg('key', () => String) key: string): Promise<Redeemed> {
    return this.redeemService.redeem(actor, key);
  }
}
