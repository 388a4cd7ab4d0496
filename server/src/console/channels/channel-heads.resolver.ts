import { Args, Ctx, Query, Resolver, Field, ObjectType } from 'type-graphql';
import { Access, Cost } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { listQueryOf, PageOf, pageObject } from '../../platform/graphql/pagination.js';
import type { ChannelHeads, ChannelHead } from './channel-heads.js';
import { ChannelListArgs, toChannelFilter } from './channel-list.object.js';
import { ChannelObject, toChannelObject } from './channel.object.js';

@ObjectType('ChannelHead', { description: 'A tag with its channels, or one channel without a tag.' })
class ChannelHeadObject {
  @Field(() => String, { nullable: true, description: 'Null: one channel without a tag.' })
  tag: string | null;

  @Field(() => [ChannelObject], { description: 'All channels of the tag, also those that the filter does not match.' })
  channels: ChannelObject[];
}

const ChannelHeadPage = pageObject(ChannelHeadObject, 'ChannelHeadPage');

const toChannelHeadObject = ({ tag, channels }: ChannelHead): ChannelHeadObject => ({
  tag: tag || null,
  channels: channels.map(toChannelObject),
});

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
