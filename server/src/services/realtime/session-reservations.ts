import { setTimeout as sleep } from 'node:timers/promises';
import type { TurnReservation } from '../../billing/ledger/index.js';
import { AppError, isAppError } from '../../shared/errors.js';
import { asFields, someText, type Fields } from '../../dialects/neutral/fields.js';
import type { ChargedAudio, ReadTokens, SessionPrice } from './session-price.js';
import { limitIn, withLimit, type SessionSettings } from './session-settings.js';
import {
  isApart,
  namesServers,
  outputTokens,
  type Heard,
  type Mark,
  type ResponseEstimate,
} from './response-estimate.js';

/** The maximum cost of a response. */
export interface ResponseCost {
  /** Returns the quota for a number of output tokens. */
  readonly of: (outputTokens: number) => number;
  readonly promptTokens: number;
  readonly outputTokens: number;
  /** Whether the limits of requests have counted the response already, or cannot prevent it. */
  readonly isCounted: boolean;
}

export interface ResponseReservation {
  readonly held: TurnReservation;
  /** Output tokens that the reservation pays for. */
  readonly outputTokens: number;
}

/** A reserved response: a `response.create`, or a turn that the provider begins. */
export interface ReservedResponse extends ResponseReservation {
  read: ReadTokens;
  /** Whether the reservation pays for less output than the response may have. */
  readonly isLimited: boolean;
  /** The id of its `response.create`; null for turns that the provider begins. */
  eventId: string | null;
  responseId: unknown;
  mark: Mark;
  isInConversation: boolean;
  /** Whether it does not read the conversation. */
  isApart: boolean;
  readonly heard: Heard;
  isCancelled: boolean;
}

export interface SessionReservationsDeps {
  readonly price: SessionPrice;
  readonly estimate: ResponseEstimate;
  readonly settings: SessionSettings;
  /** Limits of the model in tokens; 0 when a limit is not known. */
  readonly limits: { readonly maxInput: number; readonly maxOutput: number };
  /**
   * Reserves a response.
   * @throws AppError when the caller may not continue, or cannot pay for a useful response
   */
  readonly reserve: (cost: ResponseCost) => Promise<ResponseReservation>;
  /** Makes an empty reservation, for a response that has begun without one. */
  readonly reserveNothing: () => Promise<TurnReservation>;
  /**
   * Called when the provider began a response that cannot be reserved.
   * @throws the error when the reason is neither that the caller cannot pay nor that they may not continue
   */
  readonly unpaid: (error: unknown) => void;
  readonly release: (held: TurnReservation) => Promise<void>;
}

/** Maximum number of responses of a session that were requested and have not ended. Each costs memory and work. */
const maxResponses = 100;
/** Input and output tokens of realtime models without published limits. */
const [usualInput, usualOutput] = [32_000, 4096];
/** Tokens of speech that are reserved before it begins. */
const speechTokens = 150;
/** Tokens of text that are reserved before they are sent, so that not each item beside audio needs a reservation. */
const spareText = 1000;
const tokensOfSecond = 10;
/** Milliseconds after a refusal in which the balance is not asked again. */
const refusedMilliseconds = 1000;
/** Milliseconds in which the provider may begin a response to the last speech of a client that disconnected. */
const graceMilliseconds = 1000;
/** The prefix of ids for events without an id. A refusal of the provider names the event by this id. */
const ownId = 'tollgate_response_';

/**
 * The reservations of a session's responses, from the request for a response to its end
 * (docs/adr/0118-realtime-responses-are-reserved-when-ordered.md).
 */
export class SessionReservations {
  /** Requested responses that have not begun. The provider begins them in this order. */
  private readonly waiting: ReservedResponse[] = [];
  private readonly running: ReservedResponse[] = [];
  /** The reservation for the next turn that the provider begins. */
  private standing: ReservedResponse | null = null;
  /** The last reservation of such a turn. Both sides of the session ask for it, and it is made once. */
  private listening: Promise<Fields | null> = Promise.resolve(null);
  /** Whether audio was forwarded since the provider last began a response. */
  private isFed = false;
  /** Whether the limits of requests have counted the next turn that the provider begins. */
  private isCounted = false;
  private refusedAt = -Infinity;
  private count = 0;
  /**
   * The limit that this server set for the session because it is lower than the client's. Null when the client's limit
   * applies.
   */
  private lowered: number | null = null;
  private whenIdle: () => void = () => undefined;

  constructor(private readonly deps: SessionReservationsDeps) {}

  /**
   * Reserves the response that an event requests.
   * @returns the event for the provider
   * @throws AppError when it is refused
   */
  async create(event: Fields): Promise<Fields> {
    const { estimate, settings } = this.deps;
    if (this.waiting.length + this.running.length >= maxResponses) {
      throw new AppError('RATE_LIMITED', `Too many responses at once: at most ${maxResponses} of a session`);
    }
    const response = asFields(event['response']) ?? {};
    const named = limitIn(response, 'response');
    // A limit that the event carries applies whatever the provider has confirmed.
    const own = named === undefined && this.lowered !== null ? settings.wanted : named;
    const limit = own === undefined ? settings.maxOutput : own;
    const eventId = someText(event['event_id']) ?? `${ownId}${++this.count}`;
    const read = estimate.readBy(response);
    // Tools that only the servers know may fill the whole input.
    const text = namesServers(response) ? Math.max(read.text, this.deps.limits.maxInput || usualInput) : read.text;
    const reserved = await this.reserve({ ...read, text }, limit);
    // If the provider reports no usage, the input that was read is charged.
    reserved.read = read;
    reserved.eventId = eventId;
    reserved.isInConversation = response['conversation'] !== 'none';
    reserved.isApart = isApart(response);
    this.waiting.push(reserved);
    const sent = { ...event, event_id: eventId };
    if (reserved.isLimited) return { ...sent, response: withLimit(response, reserved.outputTokens) };
    return this.lowered === null || named !== undefined
      ? sent
      : { ...sent, response: withLimit(response, limit ?? 'inf') };
  }

  /** Withdraws the reservation of an event that was not forwarded. */
  async withdraw({ event_id: id }: Fields): Promise<void> {
    const at = this.waiting.findIndex(({ eventId }) => eventId === id);
    for (const { held } of this.waiting.splice(at, 1)) await this.deps.release(held);
    this.settled();
  }

  /** Whether a turn that the provider begins now is reserved, with the whole conversation. */
  get isReady(): boolean {
    const { text, audio } = this.deps.estimate.conversation;
    return this.standing !== null && audio <= this.standing.read.audio && text <= this.standing.read.text;
  }

  /**
   * Whether an event has to wait for a reservation: audio, after which the provider may begin a response, and an item that
   * a response reads which may already have been triggered, by audio or an idle timeout.
   */
  awaitsTurn({ type }: Fields): boolean {
    const { settings } = this.deps;
    if (!settings.responds || this.isReady) return false;
    const isTriggered = this.isFed || settings.idleSeconds > 0;
    return type === 'input_audio_buffer.append' || (type === 'conversation.item.create' && isTriggered);
  }

  /** Records that audio was forwarded. */
  feed(): void {
    this.isFed = true;
  }

  /** Whether the reservation was refused a moment ago. The balance is not asked for each piece of audio. */
  get isDeaf(): boolean {
    return performance.now() - this.refusedAt < refusedMilliseconds;
  }

  /**
   * Reserves the next turn that the provider begins, unless it is reserved.
   * @returns an event for the provider that has to be sent before the audio; null when none is needed
   * @throws AppError when it is refused
   */
  listen(): Promise<Fields | null> {
    this.listening = this.listening.catch(() => null).then(() => (this.isReady ? null : this.listenAnew()));
    return this.listening;
  }

  /** Replaces the reservation. What it held is released before, because many balances do not pay for two turns. */
  private async listenAnew(): Promise<Fields | null> {
    const { estimate, settings } = this.deps;
    const before = this.standing;
    await this.dropStanding();
    const { text, audio } = estimate.conversation;
    const speech = Math.max(speechTokens, settings.idleSeconds * tokensOfSecond);
    const read = { text: text + spareText, audio: audio + speech };
    try {
      this.standing = await this.reserve(read, settings.maxOutput, this.isCounted);
    } catch (error) {
      this.refusedAt = performance.now();
      // The provider may still answer the sound so far.
      if (before) this.standing = await this.reserve(before.read, settings.maxOutput, true).catch(() => null);
      throw error;
    }
    this.refusedAt = -Infinity;
    this.isCounted = true;
    const { isLimited, outputTokens: most } = this.standing;
    const limit = isLimited && (settings.wanted === null || most < settings.wanted) ? most : null;
    if (limit === this.lowered) return null;
    this.lowered = limit;
    return settings.update(limit ?? settings.wanted ?? 'inf');
  }

  /** Handles a session update of the client: its next audio is reserved again, and the client's limits apply again. */
  async reset(session: Fields): Promise<void> {
    if (limitIn(session, 'session') === undefined) return;
    await this.listening.catch(() => null);
    this.lowered = null;
    await this.dropStanding();
  }

  async dropStanding(): Promise<void> {
    const { standing } = this;
    this.standing = null;
    if (standing) await this.deps.release(standing.held);
  }

  /**
   * Returns the response that an event of the provider is part of. A response begins with its first event. Null when
   * none was requested.
   */
  of(event: Fields): ReservedResponse | null {
    const id = event['response_id'] ?? asFields(event['response'])?.['id'];
    // Some providers do not name the response in each of its events.
    const known = id === undefined ? this.running[0] : this.running.find(({ responseId }) => (responseId ?? id) === id);
    if (known) {
      known.responseId ??= id;
      return known;
    }
    const reserved = this.waiting.shift() ?? this.takeStanding();
    return reserved && this.begin(reserved, id);
  }

  private takeStanding(): ReservedResponse | null {
    const { standing } = this;
    this.standing = null;
    this.isFed = false;
    this.isCounted = false;
    return standing;
  }

  /**
   * Reserves as much as possible for a response that no event requested, unless its reservation is being made.
   * @returns its reservation
   */
  async begun(event: Fields): Promise<ReservedResponse> {
    const { estimate, settings, reserveNothing, unpaid } = this.deps;
    const id = event['response_id'] ?? asFields(event['response'])?.['id'];
    // The provider begins responses after speech, even if no event said so.
    if (event['type'] === 'response.created') settings.began();
    await this.listening.catch(() => null);
    const standing = this.takeStanding();
    if (standing) return this.begin(standing, id);
    const reserve = (isCounted: boolean): Promise<ReservedResponse> =>
      this.reserve(estimate.conversation, settings.maxOutput, isCounted);
    try {
      const reserved = await reserve(false).catch((error: unknown) => {
        // No limit of requests prevents a response that has begun.
        if (!isAppError(error) || error.code !== 'RATE_LIMITED') throw error;
        return reserve(true);
      });
      return this.begin(reserved, id);
    } catch (error) {
      unpaid(error);
      const nothing = { held: await reserveNothing(), outputTokens: 0 };
      return this.begin(reservedResponse(nothing, estimate.conversation, estimate.mark(), true), id);
    }
  }

  private begin(reserved: ReservedResponse, id: unknown): ReservedResponse {
    reserved.responseId = id;
    reserved.mark = this.deps.estimate.mark();
    this.running.push(reserved);
    return reserved;
  }

  /** Responses that have begun and not ended. */
  get begunResponses(): readonly ReservedResponse[] {
    return this.running;
  }

  /** Whether a response exceeds its reservation. Reports it once. */
  exceeds(reserved: ReservedResponse): boolean {
    const { heard, isLimited, isCancelled, outputTokens: most } = reserved;
    if (!isLimited || isCancelled) return false;
    // Providers that obey a limit count tokens a little differently.
    return (reserved.isCancelled = heard.text + outputTokens(heard.seconds) > most * 1.1 + 16 || most === 0);
  }

  /** Removes a reservation whose response has ended. The caller charges it. */
  take(reserved: ReservedResponse): void {
    this.running.splice(this.running.indexOf(reserved), 1);
    this.settled();
  }

  /**
   * Handles a request that the provider refused, so that no response begins.
   * @returns the error in the form that its client may see: with the id of the client's event
   */
  async refused(event: Fields): Promise<Fields> {
    const error = asFields(event['error']) ?? {};
    const id = error['event_id'];
    const named = someText(id);
    const isOldest = !named && error['code'] === 'conversation_already_has_active_response';
    const at = isOldest ? 0 : this.waiting.findIndex(({ eventId }) => eventId === named);
    const [reserved] = at < 0 ? [] : this.waiting.splice(at, 1);
    if (reserved) await this.deps.release(reserved.held);
    this.settled();
    return named?.startsWith(ownId) ? { ...event, error: { ...error, event_id: null } } : event;
  }

  /** Resolves when every response that the provider may have begun has ended. */
  async ended(): Promise<void> {
    if (this.standing && this.isFed) await sleep(graceMilliseconds);
    await this.dropStanding();
    if (this.waiting.length + this.running.length === 0) return;
    await new Promise<void>((resolve) => (this.whenIdle = resolve));
  }

  /** Returns the reservations whose responses have not ended: `running` ones have begun, `waiting` ones have not. */
  async left(): Promise<{
    readonly running: readonly ReservedResponse[];
    readonly waiting: readonly ReservedResponse[];
  }> {
    await this.dropStanding();
    return { running: this.running.splice(0), waiting: this.waiting.splice(0) };
  }

  private settled(): void {
    if (this.waiting.length + this.running.length === 0) this.whenIdle();
  }

  private async reserve(read: ReadTokens, limit: number | null, isCounted = false): Promise<ReservedResponse> {
    const { price, limits, reserve, estimate } = this.deps;
    const most = limits.maxOutput || (limit ?? usualOutput);
    const cost = { outputTokens: Math.min(limit ?? most, most), promptTokens: read.text + read.audio, isCounted };
    const capped = limits.maxInput > 0 ? withinInput(read, limits.maxInput) : read;
    const reservation = await reserve({ ...cost, of: (output) => price.bound(capped, output) });
    // The model may have more output than is known here, so what is reserved is its limit.
    const isUnknown = limits.maxOutput === 0 && limit === null;
    const isLimited = isUnknown || reservation.outputTokens < cost.outputTokens;
    return reservedResponse(reservation, read, estimate.mark(), isLimited);
  }
}

/** Limits the input. The provider truncates a longer conversation. */
function withinInput({ text, audio }: ReadTokens, most: number): ReadTokens {
  const heard = Math.min(audio, most);
  return { audio: heard, text: Math.min(text, most - heard) };
}

const reservedResponse = (
  reservation: ResponseReservation,
  read: ReadTokens,
  mark: Mark,
  isLimited: boolean,
): ReservedResponse => ({
  ...reservation,
  read,
  isLimited,
  eventId: null,
  responseId: undefined,
  mark,
  isInConversation: true,
  isApart: false,
  heard: { text: 0, seconds: 0 },
  isCancelled: false,
});

/** Returns the usage of a response as counted here. */
export const countedUsage = ({ read, heard }: ReservedResponse): ChargedAudio => ({
  textInputTokens: read.text,
  textOutputTokens: heard.text,
  audioInputTokens: read.audio,
  audioOutputTokens: outputTokens(heard.seconds),
});

/** Returns the usage that a response was reserved for. */
export const reservedUsage = ({ read, outputTokens: output }: ReservedResponse): ChargedAudio => ({
  textInputTokens: read.text,
  textOutputTokens: 0,
  audioInputTokens: read.audio,
  audioOutputTokens: output,
});
