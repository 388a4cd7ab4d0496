import { Arg, Args, Ctx, Query, Resolver } from 'type-graphql';
import { Access, Cost, TakesSettings } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { nullWhenNotFound } from '../../platform/graphql/nullable.js';
import { listQueryOf, PageOf } from '../../platform/graphql/pagination.js';
import { PriceVersionListArgs, PriceVersionObject, PriceVersionPage, toPriceVersion } from './price-version.object.js';
import type { PriceVersionService } from './price-version.service.js';

@Resolver(() => PriceVersionObject)
export class PriceVersionResolver {
  constructor(private readonly priceVersionService: PriceVersionService) {}

  @Access('prices')
  @Cost(1, ['pageSize'])
  @Query(() => PriceVersionPage, { description: 'Current and former price tables.' })
  async priceVersions(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => PriceVersionListArgs) args: PriceVersionListArgs,
  ): Promise<PageOf<PriceVersionObject>> {
    return PageOf.from(await this.priceVersionService.list(actor, listQueryOf(args)), toPriceVersion);
  }

  @Access('prices')
  @Query(() => PriceVersionObject, { nullable: true, description: 'Null when the version does not exist.' })
  async priceVersion(
    @Ctx() { actor }: GraphQLContext,
    @Arg('version', () => String, { description: '`PriceVersion.version`, such as `LogPrice.version` of a call.' })
    version: string,
  ): Promise<PriceVersionObject | null> {
    const found = await nullWhenNotFound(this.priceVersionService.get(actor, version));
    return found && toPriceVersion(found);
  }

  @Access(['prices', 'channels.write'])
  @TakesSettings()
  @Query(() => [String], { description: 'Models of enabled channels that have no price.' })
  unpricedModels(
    @Ctx() { actor }: GraphQLContext,
    @Arg('among', () => [String], { nullable: true, description: 'These models, in place of those of channels.' })
    among?: string[] | null,
  ): Promise<string[]> {
    return this.priceVersionService.unpriced(actor, among ?? undefined);
  }
}
