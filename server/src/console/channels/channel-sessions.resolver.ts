import { Arg, Ctx, Field, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { Access, Cost } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { enumType, namesOf } from '../../platform/graphql/enums.js';
import { PayloadMutation } from '../../platform/graphql/payload.js';
import {
  type ChannelSession,
  type ChannelSessions,
  sessionSourceNames,
  type SessionSourceName,
} from './channel-sessions.js';

const SessionSourceEnum = enumType('SessionSource', namesOf(sessionSourceNames), 'What identifies a session.', {
  HEADER: 'The header X-Session-Affinity.',
  CODEX: 'A header of Codex.',
  CLAUDE_CODE: 'A header of Claude Code, or metadata.user_id.',
  PROMPT_CACHE_KEY: 'The field prompt_cache_key.',
  PREVIOUS_RESPONSE_ID: 'The field previous_response_id.',
  PROMPT: 'The system text and the first message of the user.',
});

@ObjectType('ChannelSession', { description: 'A session whose calls go to one channel and key.' })
class ChannelSessionObject implements ChannelSession {
  @Field(() => Int, { description: 'The user whose session it is.' })
  userId: number;

  @Field(() => String, { description: 'As the client requested it. A session is kept for each model.' })
  model: string;

  @Field(() => SessionSourceEnum, { description: 'What identified the session.' })
  source: SessionSourceName;

  @Field(() => Int, { nullable: true, description: 'Place among the keys, from 1. Null when the key was removed.' })
  keyPosition: number | null;

  @Field(() => Date, { description: 'Since when its calls go to this channel and key.' })
  since: Date;

  @Field(() => Date, { description: 'Time of its last call.' })
  lastUsedAt: Date;

  @Field(() => Int, { description: 'Calls that the responding node served here.' })
  calls: number;

  @Field(() => Int, { description: 'Seconds until it is forgotten, without another call.' })
  secondsLeft: number;
}

@ObjectType('ChannelSessionList', { description: 'Sessions that the responding node knows.' })
class ChannelSessionList {
  @Field(() => Int, { description: 'Sessions whose calls go to the channel, also those that are not listed.' })
  totalCount: number;

  @Field(() => [ChannelSessionObject], { description: 'The last used ones, at most 200.' })
  items: ChannelSessionObject[];
}

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
