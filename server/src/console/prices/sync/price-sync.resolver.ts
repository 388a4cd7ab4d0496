import { Arg, Args, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Access, Cost } from '../../../platform/graphql/access.js';
import type { GraphQLContext } from '../../../platform/graphql/context.js';
import { listQueryOf, PageOf } from '../../../platform/graphql/pagination.js';
import { sliceOf } from './price-diff-page.js';
import type { PriceCheckService } from './price-check.service.js';
import {
  ApplyPricesInput,
  ApplyPricesPayload,
  CheckPricesInput,
  PriceCheckObject,
  PriceDiffArgs,
  PriceDiffPage,
  PriceUpdateObject,
  toPriceCheck,
  toPriceDiffLine,
  toPriceUpdate,
  UndoPricesInput,
  type PriceDiffLineObject,
} from './price-sync.object.js';
import type { PriceUpdateService } from './price-update.service.js';
import { PayloadMutation } from '../../../platform/graphql/payload.js';

/** GraphQL of the comparison with public lists, and of prices that are taken from them. */
@Resolver(() => PriceCheckObject)
export class PriceSyncResolver {
  constructor(
    private readonly checks: PriceCheckService,
    private readonly updates: PriceUpdateService,
  ) {}

  @Access('prices.sync')
  @Query(() => PriceCheckObject, { nullable: true, description: 'Null when it does not exist any more.' })
  async priceCheck(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { nullable: true, description: 'Absent: the newest one.' }) id?: number | null,
  ): Promise<PriceCheckObject | null> {
    const found = await this.checks.find(actor, id ?? null);
    return found && toPriceCheck(found);
  }

  @Cost(5, ['pageSize'])
  @FieldResolver(() => PriceDiffPage, { description: 'Every model of the sources beside its current price, by name.' })
  async diff(
    @Root() { check }: PriceCheckObject,
    @Ctx() { actor }: GraphQLContext,
    @Args(() => PriceDiffArgs) args: PriceDiffArgs,
  ): Promise<PageOf<PriceDiffLineObject>> {
    const { slice, counts, models } = sliceOf(
      await this.checks.lines(actor, check, args),
      args.filter ?? {},
      listQueryOf(args),
    );
    return PageOf.from(slice, toPriceDiffLine, { counts: () => counts, models: () => models });
  }

  @Access('prices.sync')
  @Query(() => [PriceUpdateObject], { description: 'The last 20, the newest first.' })
  async priceUpdates(@Ctx() { actor }: GraphQLContext): Promise<PriceUpdateObject[]> {
    return (await this.updates.list(actor)).map(toPriceUpdate);
  }

  @Access('prices.sync')
  @PayloadMutation(
    { check: [() => PriceCheckObject, 'The lists that were read.'] },
    'Reads lists of prices. Changes no price.',
  )
  async checkPrices(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => CheckPricesInput, { description: 'Where the lists are.' })
    { urls, withCheckId }: CheckPricesInput,
  ): Promise<{ check: PriceCheckObject }> {
    return { check: toPriceCheck(await this.checks.check(actor, urls, withCheckId)) };
  }

  @Access('prices.sync')
  @Mutation(() => ApplyPricesPayload, {
    description:
      'Makes prices of a check the prices of the site, as one version. Models that are GONE lose their card.',
  })
  async applyPrices(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => ApplyPricesInput, { description: 'The check, and the models whose prices are taken.' })
    { checkId, choices, ...terms }: ApplyPricesInput,
  ): Promise<ApplyPricesPayload> {
    const update = await this.updates.apply(actor, checkId, terms, choices);
    return { update: update && toPriceUpdate(update) };
  }

  @Access('prices.sync')
  @PayloadMutation(
    { update: [() => PriceUpdateObject, 'The update that was taken back.'] },
    'Restores the prices from before an update.',
  )
  async undoPrices(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => UndoPricesInput, { description: 'The update.' }) { updateId }: UndoPricesInput,
  ): Promise<{ update: PriceUpdateObject }> {
    return { update: toPriceUpdate(await this.updates.undo(actor, updateId)) };
  }
}
