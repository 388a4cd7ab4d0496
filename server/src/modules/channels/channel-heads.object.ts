import { Field, ObjectType } from 'type-graphql';
import { pageObject } from '../../graphql/pagination.js';
import type { ChannelHead } from './channel-heads.service.js';
import { ChannelObject, toChannelObject } from './channel.object.js';

@ObjectType('ChannelHead', { description: 'A tag with its channels, or one channel without a tag.' })
export class ChannelHeadObject {
  @Field(() => String, { nullable: true, description: 'Null: one channel without a tag.' })
  tag: string | null;

  @Field(() => [ChannelObject], { description: 'All channels of the tag, also those that the filter does not match.' })
  channels: ChannelObject[];
}

export const ChannelHeadPage = pageObject(ChannelHeadObject, 'ChannelHeadPage');

export const toChannelHeadObject = ({ tag, channels }: ChannelHead): ChannelHeadObject => ({
  tag: tag || null,
  channels: channels.map(toChannelObject),
});
