import { malformed } from '../../dialects/errors/relay-error.js';
import { asFields, type Fields } from '../../dialects/neutral/fields.js';
import { onlyWritesDown } from './transcripts.js';

/** Fields that limit the output of a response: in both versions of the API, and in sessions of the beta version. */
const limitNames = ['max_output_tokens', 'max_response_output_tokens'] as const;

/**
 * Returns the output tokens that an object of the client permits. Null: as many as the model has. Undefined: it names
 * no limit.
 * @throws RelayError invalid_request for a limit that is not a number: a provider might read it differently
 */
export function limitIn(fields: Fields, at: string): number | null | undefined {
  let found: number | null | undefined;
  for (const name of limitNames) {
    const value = fields[name];
    if (value === undefined || value === null) continue;
    if (value === 'inf') return null;
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 1) {
      throw malformed(`${at}.${name} must be a whole number of tokens or "inf"`);
    }
    found = Math.max(found ?? 0, value);
  }
  return found;
}

/** Returns a `response.create` with limited output, under every name that the client gave the limit. */
export function withLimit(response: Fields, limit: number | 'inf'): Fields {
  const named = limitNames.filter((name) => name in response);
  const names = named.length > 0 ? named : [limitNames[0]];
  return { ...response, ...Object.fromEntries(names.map((name) => [name, limit])) };
}

/** The settings of a session that determine which responses the provider may begin, and their maximum length. */
export class SessionSettings {
  private isBeta = false;
  /** The limit set by the client, or by the provider's default; null when there is none. */
  maxOutput: number | null = null;
  /** Whether the provider begins a response at the end of speech. */
  responds = false;
  /** Whether speech of the user has begun and not ended. */
  isSpeaking = false;
  /** Whether the session has no model that responds: it detects turns, and transcribes them. */
  private writesDown = false;

  /**
   * Reads an event of the client.
   * @throws RelayError invalid_request for a limit that is not a number
   */
  fromClient(event: Fields): void {
    const session = event['type'] === 'session.update' ? asFields(event['session']) : null;
    if (!session) return;
    const limit = limitIn(session, 'session');
    if (limit !== undefined) this.maxOutput = limit;
    // The provider may begin responses before it confirms the update.
    if (this.respondsBy(session)) this.responds = true;
  }

  fromUpstream(event: Fields): void {
    const { type } = event;
    if (type === 'input_audio_buffer.speech_started') this.isSpeaking = true;
    if (type === 'input_audio_buffer.speech_stopped') this.isSpeaking = false;
    const session = type === 'session.created' || type === 'session.updated' ? asFields(event['session']) : null;
    if (!session) return;
    this.isBeta = limitNames[1] in session;
    const limit = session[this.limitName];
    if (type === 'session.created' && typeof limit === 'number') this.maxOutput = limit;
    this.responds = this.respondsBy(session) ?? this.responds;
  }

  private respondsBy(session: Fields): boolean | undefined {
    this.writesDown ||= onlyWritesDown(session);
    return this.writesDown ? false : respondsBy(session);
  }

  /** Returns an event that limits the responses that the provider begins. */
  update(limit: number | 'inf'): Fields {
    const version = this.isBeta ? {} : { type: 'realtime' };
    return { type: 'session.update', session: { ...version, [this.limitName]: limit } };
  }

  private get limitName(): (typeof limitNames)[number] {
    return limitNames[this.isBeta ? 1 : 0];
  }
}

/**
 * Whether the session begins responses; undefined when it does not say. Older sessions have the setting at the top
 * level, newer ones under `audio`.
 */
function respondsBy(session: Fields): boolean | undefined {
  const input = asFields(asFields(session['audio'])?.['input']);
  const detection = session['turn_detection'] === undefined ? input?.['turn_detection'] : session['turn_detection'];
  if (detection === undefined) return undefined;
  const settings = asFields(detection);
  return settings !== null && settings['type'] !== 'none' && settings['create_response'] !== false;
}
