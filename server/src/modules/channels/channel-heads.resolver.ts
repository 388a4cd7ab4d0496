import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { Access } from '../../graphql/access.js';
import type { GraphQLContext } from '../../graphql/context.js';
import { pageQueryOf } from '../../graphql/page.object.js';
import type { Page } from '../../shared/page.js';
import { ChannelHeadObject, ChannelHeadPage, toChannelHeadObject } from './channel-heads.object.js';
import type { ChannelHeads } from './channel-heads.service.js';
import { ChannelListArgs, toFilter } from './channel.object.js';

/** The list of channels in tag mode. */
@Resolver(() => ChannelHeadObject)
export class ChannelHeadResolver {
  constructor(private readonly heads: ChannelHeads) {}

  @Access('admin')
  @Query(() => ChannelHeadPage, { description: 'Channels by tag, then those without one; totals count lines.' })
  async channelHeads(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => ChannelListArgs) args: ChannelListArgs,
  ): Promise<Page<ChannelHeadObject>> {
    const page = await this.heads.list(actor, toFilter(args.filter ?? {}), pageQueryOf(args));
    return { ...page, items: page.items.map(toChannelHeadObject) };
  }
}
