import { Arg, Ctx, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { fields, int, of } from '../../platform/graphql/fields.js';
import { Access, Cost } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { PayloadMutation } from '../../platform/graphql/payload.js';
import { ChannelSessionObject } from './channel-session.object.js';
import type { ChannelSessions } from './channel-sessions.js';

@ObjectType('ChannelSessionList', { description: 'Sessions that the responding node knows.' })
class ChannelSessionList extends fields({
  totalCount: int('Sessions whose calls go to the channel, also those that are not listed.'),
  items: of<ChannelSessionObject[]>(() => [ChannelSessionObject], 'The last used ones, at most 200.'),
}) {}

/** GraphQL of session affinity: admins see and clear pinned sessions. */
@Resolver()
export class ChannelSessionResolver {
  constructor(private readonly sessions: ChannelSessions) {}

  @Query(() => ChannelSessionList, { description: 'Sessions whose calls go to this channel.' })
  @Access('channels.read')
  @Cost(10)
  channelSessions(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`Channel.id`.' }) id: number,
  ): ChannelSessionList {
    return this.sessions.of(actor, id);
  }

  @PayloadMutation(
    { count: [() => Int, 'Number of sessions that the responding node knew. They are cleared at every node.'] },
    'Forgets the sessions of a channel: their next calls are routed as those of new ones.',
  )
  @Access('channels.write')
  async clearChannelSessions(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`Channel.id`.' }) id: number,
  ): Promise<{ count: number }> {
    return { count: await this.sessions.clear(actor, id) };
  }
}
