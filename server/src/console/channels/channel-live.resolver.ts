import { Resolver, Root, Subscription } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import { deliveryType } from '../../platform/graphql/delivery.object.js';
import { liveSource } from '../../platform/graphql/live-sources.js';
import type { Delivery } from '../../platform/live/mailbox.js';
import type { ChannelWatch } from './channel-watch.js';
import type { Channel } from './channel.entity.js';
import { ChannelObject, toChannelObject } from './channel.object.js';

const ChannelsChanged = deliveryType(ChannelObject, 'ChannelsChanged', 'Channels that changed.');

/** Event sources of the subscriptions below. */
export interface ChannelSources {
  readonly channels: ChannelWatch;
}

@Resolver()
export class ChannelLiveResolver {
  @Access('channels.read')
  @Subscription(() => ChannelsChanged, {
    description: 'Channels whose status, response time, balance or settings changed.',
    subscribe: liveSource<ChannelSources>(({ live, actor }) => live.channels.changed(actor)),
  })
  channelChanged(@Root() { items, missed }: Delivery<Channel>): Delivery<ChannelObject> {
    return { items: items.map(toChannelObject), missed };
  }
}
