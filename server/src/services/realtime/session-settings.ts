import { malformed } from '../../dialects/errors/relay-error.js';
import { randomBytes } from 'node:crypto';
import { asFields, someText, type Fields } from '../../dialects/neutral/fields.js';
import { onlyWritesDown } from './transcripts.js';
import { secondsIn } from '../../shared/clock.js';

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

/** The turns that a provider may begin without a request, and their length. */
interface OwnTurns {
  /** Whether it begins a response at the end of speech; undefined when it does not say. */
  readonly responds: boolean | undefined;
  /** Seconds after a response in which speech has to begin, else the provider begins another response; 0 is unlimited. */
  readonly idleSeconds: number;
  /** Null when there is no limit. */
  readonly maxOutput: number | null;
  /** Bytes of the client's audio for a second. */
  readonly inputRate: number;
}

const pcmBytesPerSecond = 48_000;
const narrowBytesPerSecond = 8_000;

/** Returns the bytes per second of a format: `pcm16`, or `{type: "audio/pcm", rate: 24000}`. */
export function rateOf(format: unknown): number {
  if (format === undefined || format === 'pcm16') return pcmBytesPerSecond;
  const { type, rate } = asFields(format) ?? {};
  if (type !== 'audio/pcm') return narrowBytesPerSecond;
  return typeof rate === 'number' && rate >= 8000 && rate <= 48_000 ? rate * 2 : pcmBytesPerSecond;
}

/** Returns the rate of the client's audio; undefined when a session does not name its format. */
function inputRateIn(session: Fields): number | undefined {
  const format = session['input_audio_format'] ?? asFields(asFields(session['audio'])?.['input'])?.['format'];
  return format === undefined ? undefined : rateOf(format);
}

const sessionEvents = /^(transcription_)?session\.(created|updated)$/;
const updates: ReadonlySet<unknown> = new Set(['session.update', 'transcription_session.update']);

/**
 * The settings of a session that determine which responses the provider may begin, and their maximum length. An update
 * that the provider has not confirmed can add to them, but takes nothing from them: the provider may refuse it.
 */
export class SessionSettings {
  private isBeta = false;
  /** The settings that the provider reported last. Until then it may begin responses. */
  private confirmed: OwnTurns = { responds: undefined, idleSeconds: 0, maxOutput: null, inputRate: rateOf(undefined) };
  /** Whether the provider reports a session without a model that responds: it detects turns, and transcribes them. */
  private isTranscription = false;
  /** The settings that may apply as well because of unconfirmed updates, and the number of the last of these updates. */
  private asked: (OwnTurns & { readonly by: number }) | null = null;
  /** Updates that were sent to the provider. */
  private sent = 0;
  /** Updates that the provider confirmed or refused. It handles them in their order. */
  private answered = 0;
  /** Begins the ids of updates. It is random, so that a client cannot have another event refused by such an id. */
  private readonly idPrefix = `tollgate_update_${randomBytes(8).toString('hex')}_`;
  /** Whether the provider began a response that nothing had requested. */
  private hasBegun = false;
  /** The limit set by the client, or by the provider's default; null when there is none. */
  wanted: number | null = null;
  /** Whether speech of the user has begun and not ended. */
  private isSpeaking = false;

  /** @param isSpeechOnly whether the session was opened at a model that only transcribes */
  constructor(private readonly isSpeechOnly: boolean) {}

  /** Whether the provider may begin a response by itself. */
  get responds(): boolean {
    if (this.isSpeechOnly) return false;
    return this.hasBegun || this.confirmed.responds !== false || this.asked?.responds === true || this.idleSeconds > 0;
  }

  /** Seconds of silence after which the provider may begin a response; 0 when it begins none. */
  get idleSeconds(): number {
    return this.isSpeechOnly ? 0 : Math.max(this.confirmed.idleSeconds, this.asked?.idleSeconds ?? 0);
  }

  /** The maximum output of a response that names no limit; null when there is none. */
  get maxOutput(): number | null {
    const { confirmed, asked, wanted } = this;
    return larger(larger(confirmed.maxOutput, wanted), asked ? asked.maxOutput : 0);
  }

  /** Bytes of the client's audio for a second: those of the densest format that may apply. */
  get inputRate(): number {
    return Math.min(this.confirmed.inputRate, this.asked?.inputRate ?? Infinity);
  }

  /** Seconds of audio without speech that the provider keeps for the conversation. */
  get keptSilence(): number {
    const isWaiting = this.confirmed.responds === true && this.answered >= this.sent && !this.isSpeaking;
    return isWaiting ? Math.max(maxSilence, this.confirmed.idleSeconds) : Infinity;
  }

  /**
   * Reads an event that is sent to the provider.
   * @returns the event for the provider: an update of a session with responses has an id, by which its refusal is recognized
   * @throws RelayError invalid_request for a limit that is not a number
   */
  fromClient(event: Fields): Fields {
    const session = updates.has(event['type']) ? asFields(event['session']) : null;
    if (!session) return event;
    this.ask(session);
    if (this.isSpeechOnly) return event;
    return { ...event, event_id: `${this.idPrefix}${someText(event['event_id']) ?? ''}` };
  }

  private ask(session: Fields): void {
    const limit = limitIn(session, 'session');
    this.sent++;
    if (limit !== undefined) this.wanted = limit;
    const detection = detectionOf(session);
    const isChanged = this.isTranscription && session['type'] === 'realtime';
    const responds = isChanged || (!this.isTranscription && detection?.responds === true);
    const idleSeconds = detection?.idleSeconds ?? 0;
    const inputRate = inputRateIn(session);
    if (limit === undefined && !responds && idleSeconds === 0 && inputRate === undefined) return;
    this.asked = {
      responds: responds || this.asked?.responds === true,
      idleSeconds: Math.max(idleSeconds, this.asked?.idleSeconds ?? 0),
      maxOutput: larger(limit === undefined ? 0 : limit, this.asked ? this.asked.maxOutput : 0),
      inputRate: Math.min(inputRate ?? Infinity, this.asked?.inputRate ?? Infinity),
      by: this.sent,
    };
  }

  /** Reads an event of the provider. */
  fromUpstream(event: Fields): void {
    const { type } = event;
    if (type === 'input_audio_buffer.speech_started') this.isSpeaking = true;
    if (type === 'input_audio_buffer.speech_stopped') this.isSpeaking = false;
    const [, kind, step] = sessionEvents.exec(String(type)) ?? [];
    const session = step === undefined ? null : asFields(event['session']);
    if (!session) return;
    this.isBeta = limitNames[1] in session;
    if (step === 'updated') this.answer();
    const reported = session[this.limitName];
    const limit = typeof reported === 'number' ? reported : null;
    if (step === 'created') this.wanted = limit;
    this.isTranscription = kind !== undefined || onlyWritesDown(session);
    const detection = this.isTranscription ? noDetection : (detectionOf(session) ?? this.confirmed);
    const inputRate = inputRateIn(session) ?? this.confirmed.inputRate;
    this.confirmed = { responds: detection.responds, idleSeconds: detection.idleSeconds, maxOutput: limit, inputRate };
  }

  /**
   * Reads an error of the provider, which may be the refusal of an update.
   * @returns the error in the form that the client may see: with the id of its own event
   */
  refused(event: Fields): Fields {
    const error = asFields(event['error']);
    const id = someText(error?.['event_id']);
    if (!id?.startsWith(this.idPrefix)) return event;
    this.answer();
    return { ...event, error: { ...error, event_id: id.slice(this.idPrefix.length) || null } };
  }

  private answer(): void {
    this.answered = Math.min(this.sent, this.answered + 1);
    if (this.asked && this.answered >= this.asked.by) this.asked = null;
  }

  /** Records that the provider began a response that nothing had requested. */
  began(): void {
    this.hasBegun = true;
  }

  /** Returns an event that limits the responses that the provider begins. It counts as sent. */
  update(limit: number | 'inf'): Fields {
    this.sent++;
    const version = this.isBeta ? {} : { type: 'realtime' };
    return { type: 'session.update', event_id: this.idPrefix, session: { ...version, [this.limitName]: limit } };
  }

  private get limitName(): (typeof limitNames)[number] {
    return limitNames[this.isBeta ? 1 : 0];
  }
}

/** Returns the idle timeout that an update of the client sets; 0 when it sets none. */
export const idleSecondsIn = (event: Fields): number => detectionOf(asFields(event['session']) ?? {})?.idleSeconds ?? 0;

/** Seconds of audio before the user's speech that a provider with turn detection keeps. */
const maxSilence = 1;
const noDetection = { responds: false, idleSeconds: 0 };

/** Returns the larger of two limits; null is unlimited. */
const larger = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : Math.max(one, other);

/**
 * Returns the turns that the detection of a session begins; undefined when the session does not say. Older sessions
 * have the setting at the top level, newer ones under `audio`.
 */
function detectionOf(session: Fields): Pick<OwnTurns, 'responds' | 'idleSeconds'> | undefined {
  const input = asFields(asFields(session['audio'])?.['input']);
  const detection = session['turn_detection'] === undefined ? input?.['turn_detection'] : session['turn_detection'];
  if (detection === undefined) return undefined;
  const settings = asFields(detection);
  if (!settings || settings['type'] === 'none') return noDetection;
  const { create_response: creates, idle_timeout_ms: idle } = settings;
  return { responds: creates !== false, idleSeconds: typeof idle === 'number' && idle > 0 ? secondsIn(idle) : 0 };
}
