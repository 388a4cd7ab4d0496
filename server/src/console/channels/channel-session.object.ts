import { ObjectType } from 'type-graphql';
import { fields, int, moment, of, text } from '../../platform/graphql/fields.js';
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
export class ChannelSessionObject
  extends fields({
    userId: int('The user whose session it is.'),
    model: text('As the client requested it. A session is kept for each model.'),
    source: of<SessionSourceName>(() => SessionSourceEnum, 'What identified the session.'),
    keyPosition: int.orNull('Place among the keys, from 1. Null when the key was removed.'),
    since: moment('Since when its calls go to this channel and key.'),
    lastUsedAt: moment('Time of its last call.'),
    calls: int('Calls that the responding node served here.'),
    secondsLeft: int('Seconds until it is forgotten, without another call.'),
  })
  implements ChannelSession {}
