import { Field, ObjectType } from 'type-graphql';
import { pageType } from '../../graphql/page.object.js';
import type { ChannelHead } from './channel-heads.service.js';
import { ChannelObject, toChannelObject } from './channel.object.js';

@ObjectType('ChannelHead', { description: 'A tag with its channels, or one channel without a tag.' })
export class ChannelHeadObject {
  @Field(() => String, { description: 'Empty: the channel stands for itself.' })
  tag: string;

  @Field(() => [ChannelObject], { description: 'All of the tag, also those the filter did not find.' })
  channels: ChannelObject[];
}

export const ChannelHeadPage = pageType(ChannelHeadObject, 'ChannelHeadPage');

export const toChannelHeadObject = ({ tag, channels }: ChannelHead): ChannelHeadObject => ({
  tag,
  channels: channels.map(toChannelObject),
});
