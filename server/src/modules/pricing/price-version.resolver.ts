import { Arg, Args, Ctx, Query, Resolver } from 'type-graphql';
import { Access } from '../../graphql/access.js';
import type { GraphQLContext } from '../../graphql/context.js';
import { PageArgs, pageQueryOf } from '../../graphql/page.object.js';
import type { Page } from '../../shared/page.js';
import { PriceVersionObject, PriceVersionPage, toPriceVersion } from './price-version.object.js';
import type { PriceVersionService } from './price-version.service.js';

@Resolver(() => PriceVersionObject)
export class PriceVersionResolver {
  constructor(private readonly priceVersionService: PriceVersionService) {}

  @Access('admin')
  @Query(() => PriceVersionPage, { description: 'Price tables that are or were in force, the newest first.' })
  async priceVersions(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => PageArgs) args: PageArgs,
  ): Promise<Page<PriceVersionObject>> {
    const { items, totalCount } = await this.priceVersionService.list(actor, pageQueryOf(args));
    return { items: items.map(toPriceVersion), totalCount };
  }

  @Access('admin')
  @Query(() => PriceVersionObject)
  async priceVersion(
    @Ctx() { actor }: GraphQLContext,
    @Arg('version', () => String) version: string,
  ): Promise<PriceVersionObject> {
    return toPriceVersion(await this.priceVersionService.get(actor, version));
  }

  @Access('admin')
  @Query(() => [String], { description: 'Models that enabled channels serve and nobody priced.' })
  unpricedModels(@Ctx() { actor }: GraphQLContext): Promise<string[]> {
    return this.priceVersionService.unpriced(actor);
  }
}
