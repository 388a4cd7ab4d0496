import { Field, Int, ObjectType } from 'type-graphql';
import { enumType, namesOf } from '../../platform/graphql/enums.js';
import { type ChannelSession, sessionSourceNames, type SessionSourceName } from './channel-sessions.js';

const SessionSourceEnum = enumType('SessionSource', namesOf(sessionSourceNames), 'What identifies a session.', {
  HEADER: 'The header X-Session-Affinity.',
  CODEX: 'A header of Codex.',
  CLAUDE_CODE: 'A header of Claude Code, or metadata.user_id.',
  PROMPT_CACHE_KEY: 'The field prompt_cache_key.',
  PREVIOUS_RESPONSE_ID: 'The field previous_response_id.',
  PROMPT: 'The system text and the first message of the user.',
});

@ObjectType('ChannelSession', { description: 'A session whose calls go to one channel and key.' })
export class ChannelSessionObject implements ChannelSession {
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
