import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { Access } from '../../graphql/access.js';
import type { GraphQLContext } from '../../graphql/context.js';
import { ChannelMarginObject, MarginFilterInput } from './margin.object.js';
import type { MarginService } from './margin.service.js';
import { toUsageFilter } from './usage.object.js';

@Resolver(() => ChannelMarginObject)
export class MarginResolver {
  constructor(private readonly marginService: MarginService) {}

  @Access('admin', 'USAGE_READ')
  @Query(() => [ChannelMarginObject], {
    description: 'What channels earned with the calls whose cost is known, the most first.',
  })
  async channelMargins(
    @Ctx() { actor }: GraphQLContext,
    @Arg('filter', () => MarginFilterInput, { nullable: true }) filter?: MarginFilterInput,
  ): Promise<ChannelMarginObject[]> {
    return this.marginService.list(actor, toUsageFilter(filter));
  }
}
