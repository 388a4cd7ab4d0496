import { Arg, Ctx, Int, Query, Resolver } from 'type-graphql';
import { Access, Cost } from '../../../platform/graphql/access.js';
import type { GraphQLContext } from '../../../platform/graphql/context.js';
import { ChannelHealthListObject, ChannelHealthWindowEnum } from './channel-health.object.js';
import type { ChannelHealthService, ChannelHealthWindow } from './channel-health.service.js';

@Resolver(() => ChannelHealthListObject)
export class ChannelHealthResolver {
  constructor(private readonly channelHealthService: ChannelHealthService) {}

  @Query(() => ChannelHealthListObject, {
    description:
      'Which channels fail or are slow, and why: those with calls or failed attempts. Figures are up to 12 seconds old.',
  })
  @Access('channels.read')
  @Cost(20)
  channelHealth(
    @Ctx() { actor }: GraphQLContext,
    @Arg('window', () => ChannelHealthWindowEnum, {
      defaultValue: 'HOUR',
      description: 'The time until now that the figures cover.',
    })
    window: ChannelHealthWindow,
    @Arg('channelIds', () => [Int], { nullable: true, description: 'When absent: all.' }) ids: number[] | null,
  ): Promise<ChannelHealthListObject> {
    return this.channelHealthService.list(actor, window, ids);
  }
}
