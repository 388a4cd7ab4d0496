import { Args, Ctx, Query, Resolver, ObjectType } from 'type-graphql';
import { fields, of, text } from '../../platform/graphql/fields.js';
import { Access, Cost } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { listQueryOf, PageOf, pageObject } from '../../platform/graphql/pagination.js';
import type { ChannelsByTag, TaggedChannels } from './channels-by-tag.js';
import { ChannelListArgs, toChannelFilter } from './channel-list.object.js';
import { ChannelObject, toChannelObject } from './channel.object.js';

@ObjectType('TaggedChannels', { description: 'A tag with its channels, or one channel without a tag.' })
class TaggedChannelsObject extends fields({
  tag: text.orNull('Null: one channel without a tag.'),
  channels: of<ChannelObject[]>(
    () => [ChannelObject],
    'All channels of the tag, also those that the filter does not match.',
  ),
}) {}

const TaggedChannelsPage = pageObject(
  TaggedChannelsObject,
  'TaggedChannelsPage',
  'A page of tags with their channels.',
);

const toTaggedChannelsObject = ({ tag, channels }: TaggedChannels): TaggedChannelsObject => ({
  tag: tag || null,
  channels: channels.map(toChannelObject),
});

@Resolver(() => TaggedChannelsObject)
export class ChannelsByTagResolver {
  constructor(private readonly entries: ChannelsByTag) {}

  @Query(() => TaggedChannelsPage, {
    description: 'Channels by tag, then those without one. Counts tags and channels.',
  })
  @Access('channels.read')
  @Cost(1, ['pageSize'])
  async channelsByTag(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => ChannelListArgs) args: ChannelListArgs,
  ): Promise<PageOf<TaggedChannelsObject>> {
    const page = await this.entries.list(actor, toChannelFilter(args.filter), listQueryOf(args));
    return PageOf.from(page, toTaggedChannelsObject);
  }
}
