import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { Access, Cost } from '../../graphql/access.js';
import type { GraphQLContext } from '../../graphql/context.js';
import { listQueryOf, PageOf } from '../../graphql/pagination.js';
import { ChannelHeadObject, ChannelHeadPage, toChannelHeadObject } from './channel-heads.object.js';
import type { ChannelHeads } from './channel-heads.service.js';
import { ChannelListArgs, toChannelFilter } from './channel-list.object.js';

@Resolver(() => ChannelHeadObject)
export class ChannelHeadResolver {
  constructor(private readonly heads: ChannelHeads) {}

  @Query(() => ChannelHeadPage, { description: 'Channels by tag, then those without one. Counts tags and channels.' })
  @Access('channels.read')
  @Cost(1, ['pageSize'])
  async channelHeads(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => ChannelListArgs) args: ChannelListArgs,
  ): Promise<PageOf<ChannelHeadObject>> {
    const page = await this.heads.list(actor, toChannelFilter(args.filter), listQueryOf(args));
    return PageOf.from(page, toChannelHeadObject);
  }
}
