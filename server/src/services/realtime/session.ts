import type { WebSocket } from 'ws';
import { modelLimits } from '../../billing/prices/index.js';
import type { ChargeCheckpoints, TurnReservation, UnsettledCharge } from '../../billing/ledger/index.js';
import type { Logger } from '../../platform/observability/logger.js';
import { checkModel } from '../../gateway/route/call-route.js';
import { isAppError } from '../../shared/errors.js';
import { assertJsonBounds } from '../../shared/json.js';
import { RelayError } from '../../dialects/errors/relay-error.js';
import { possibleTokens } from '../../gateway/reserve/possible-usage.js';
import { asFields, type Fields } from '../../dialects/neutral/fields.js';
import { reportedUsage, withinLimits } from './reported-usage.js';
import { errorFrame, eventBounds, mayBeEvent, readEvent } from './session-events.js';
import { eventIn, type SessionWatch } from './session-watch.js';
import { SessionCharges, type SessionChargesDeps, type SessionTotal } from './session-charges.js';
import { withSessionModel } from './session-model.js';
import { namedByEvent } from '../../dialects/languages/provider-ids.js';
import { notFound } from '../../gateway/route/affinity/call-origin.js';
import { isFinal, SessionEndedError } from './session-admission.js';
import {
  countedUsage,
  type ReservedResponse,
  type ResponseCost,
  type ResponseReservation,
  reservedUsage,
  SessionReservations,
} from './session-reservations.js';
import { type ChargedAudio, noAudio } from './session-price.js';
import { idleSecondsIn, SessionSettings } from './session-settings.js';
import { unchargedTools } from './session-tools.js';
import { type EndCause, type Frame, SocketPair, type SocketPairLimits } from './socket-pair.js';
import { createdEvents, transcribersIn, TranscriptWatch, responseOfTranscript } from './transcripts.js';
import { type Mark, ResponseEstimate } from './response-estimate.js';

export interface SessionDeps extends SessionChargesDeps {
  readonly requestId: string;
  /** Whether the account belongs to the caller, who may then name everything that its provider stores. */
  readonly isOwnAccount: boolean;
  /** Whether the model only transcribes speech, and an event named it. Each transcript is a turn. */
  readonly isTranscription: boolean;
  readonly logger: Logger;
  readonly checkpoints: Pick<ChargeCheckpoints, 'note' | 'forget'>;
  /** Called once, when everything is charged. */
  readonly ended: (total: SessionTotal) => void;
  /** Called when a provider reports more usage than the model can have had, with the part that is charged. */
  readonly impossible: (reported: ChargedAudio, charged: ChargedAudio) => void;
  /** Called with tools of the provider that run for free. */
  readonly freeTools: (names: readonly string[]) => void;
  /**
   * Reserves the next cost of the session besides its responses.
   * @throws AppError when the caller may not continue, or cannot pay
   */
  readonly hold: () => Promise<void>;
  /**
   * Reserves a response, or a shorter response.
   * @throws AppError when the caller cannot pay, SessionEndedError when they may not continue
   */
  readonly reserve: (cost: ResponseCost) => Promise<ResponseReservation>;
  /** Makes an empty reservation. */
  readonly reserveNothing: () => Promise<TurnReservation>;
  readonly limits: SocketPairLimits;
}

/**
 * One realtime session. It forwards frames in both directions, and charges turn by turn
 * (docs/reference/relay/realtime.md#charge).
 */
export class RealtimeSession {
  private readonly pair: SocketPair;
  private readonly estimate: ResponseEstimate;
  private readonly transcripts: TranscriptWatch;
  private readonly settings: SessionSettings;
  private readonly reservations: SessionReservations;
  private readonly charges: SessionCharges;
  /** Whether the client knows that audio is not forwarded. */
  private isRefused = false;
  /** Whether a rule blocked the response, so that nothing more is forwarded to the client. */
  private isBlocked = false;

  constructor(
    client: WebSocket,
    upstream: WebSocket,
    private readonly deps: SessionDeps,
  ) {
    this.settings = new SessionSettings(deps.isTranscription);
    this.estimate = new ResponseEstimate(deps.upstreamModel, this.settings);
    this.transcripts = new TranscriptWatch(deps.isTranscription ? deps.route.bareModel : null);
    this.charges = new SessionCharges(deps, this.transcripts);
    const { price, reserve, reserveNothing, sessionLedger, route, options } = deps;
    this.reservations = new SessionReservations({
      price,
      estimate: this.estimate,
      settings: this.settings,
      limits: modelLimits(route.bareModel, options.values.ModelMaxOutput),
      reserve,
      reserveNothing,
      unpaid: (error) => {
        if (!isFinal(error)) throw error;
        this.endUnpaid(error);
      },
      release: (held) => sessionLedger.release(held),
    });
    this.pair = new SocketPair(
      client,
      upstream,
      {
        fromClient: (frame) => this.fromClient(frame),
        fromUpstream: (frame) => this.fromUpstream(frame),
        delivered: () => this.holdNext(),
        farewell: (cause, code) => this.farewell(cause, code),
        providerEnded: () => this.reservations.ended(),
      },
      deps.limits,
    );
  }

  get model(): string {
    return this.deps.route.model;
  }

  /** Whether session time is charged. A transcription session pays for its speech instead. */
  private get isTimed(): boolean {
    return this.deps.price.isTimed && !this.deps.isTranscription;
  }

  /**
   * Runs the session. Never throws. Resolves when both sides are closed and everything is charged.
   * @param early frames that the client sent before, in order
   */
  async run(early: readonly Frame[] = []): Promise<void> {
    this.charges.begin();
    const timer = this.isTimed && setInterval(() => this.chargeTime(), this.deps.limits.timedMilliseconds);
    this.pair.start(early);
    await this.pair.ended;
    if (timer) clearInterval(timer);
    await this.finish().catch((error: unknown) => {
      this.deps.logger.error({ err: error, requestId: this.deps.requestId }, 'end of a session could not be charged');
    });
    this.deps.checkpoints.forget(this);
    this.deps.ended(this.charges.total);
  }

  /** Returns what would be charged if this server were killed now. */
  unsettled(): UnsettledCharge[] {
    return this.charges.unsettled(this.reservations.begunResponses);
  }

  /** Ends the session because the server stops. */
  close(): void {
    this.pair.stop(1012, 'the server is restarting');
  }

  /**
   * Handles a frame of the client. An event with too many values is not parsed and ends the session: `[[],[],…]` grows
   * fiftyfold in memory. Binary frames that cannot be events are forwarded as they are; the others may still be sound, so
   * none of them ends the session.
   */
  private fromClient(frame: Frame): boolean | Promise<Frame | null> {
    if (!mayBeEvent(frame)) return true;
    try {
      assertJsonBounds(frame.data, eventBounds);
    } catch (error) {
      this.pair.report(errorFrame(error, this.deps.requestId));
      if (!frame.isBinary) this.pair.end(1008, 'the event is too complex');
      return false;
    }
    try {
      return this.eventOf(frame, readEvent(frame));
    } catch (error) {
      this.pair.report(errorFrame(error, this.deps.requestId));
      return false;
    }
  }

  private eventOf(frame: Frame, event: Fields): boolean | Promise<Frame | null> {
    const asked = this.permitted(event);
    if (!asked) return Promise.resolve(null);
    const { watch } = this.deps;
    const sent = asked === event ? frame : toFrame(asked);
    if (watch?.concernsInput(asked)) return this.checkInput(sent, asked, watch);
    return this.ordered(sent, asked) ?? (sent === frame || Promise.resolve(sent));
  }

  /** Counts an event, and reserves the responses that it has an effect on. Undefined for events without such an effect. */
  private ordered(frame: Frame, event: Fields): Promise<Frame | null> | undefined {
    const { estimate, reservations } = this;
    const before = estimate.mark();
    estimate.fromClient(event);
    if (concernsResponses.has(event['type'])) return this.reserved(frame, event);
    if (reservations.awaitsTurn(event)) return this.heard(frame, event, before);
    if (event['type'] === 'input_audio_buffer.append') reservations.feed();
    return undefined;
  }

  /**
   * Forwards an event with an effect on responses once these are reserved. A refused one is not forwarded, and the session
   * continues.
   */
  private async reserved(frame: Frame, event: Fields): Promise<Frame | null> {
    const { reservations, pair } = this;
    try {
      if (event['type'] !== 'response.create') return await this.updated(frame, event);
      const sent = await reservations.create(event);
      if (!pair.isEnding) return toFrame(sent);
      await reservations.withdraw(sent);
    } catch (error) {
      this.refuse(error, event);
    }
    return null;
  }

  /**
   * Forwards a session update. With an idle timeout the provider begins responses without any further event, so the first
   * of them is reserved before.
   */
  private async updated(frame: Frame, event: Fields): Promise<Frame | null> {
    const { settings, reservations, pair } = this;
    const isIdle = idleSecondsIn(event) > 0;
    if (isIdle && !reservations.isReady) await this.listen();
    const asked = settings.fromClient(event);
    const sent = asked === event ? frame : toFrame(asked);
    await reservations.reset(asFields(event['session']) ?? {});
    if (!isIdle || pair.isEnding) return sent;
    pair.instruct(sent.data.toString());
    await this.keepReady();
    return null;
  }

  /** Reserves the next turn that the provider begins. */
  private async listen(): Promise<void> {
    const update = await this.reservations.listen();
    if (update) this.pair.instruct(JSON.stringify(update));
  }

  /**
   * Reserves the turn that begins after an idle timeout. A caller who cannot pay for it loses the session. After other
   * failures the next event of the client reserves it, or the response itself.
   */
  private async keepReady(): Promise<void> {
    const { settings, reservations, pair } = this;
    if (settings.idleSeconds === 0 || reservations.isReady || pair.isEnding) return;
    await this.listen().catch((error: unknown) => {
      if (isFinal(error)) this.endUnpaid(error);
      else if (!isAppError(error)) throw error;
    });
  }

  /** Forwards an event once the turn that the provider may begin is reserved. */
  private async heard(frame: Frame, event: Fields, before: Mark): Promise<Frame | null> {
    const { reservations, estimate } = this;
    const isAudio = event['type'] === 'input_audio_buffer.append';
    if (isAudio && reservations.isDeaf) {
      estimate.withdraw(before);
      return null;
    }
    try {
      await this.listen();
      if (isAudio) reservations.feed();
      this.isRefused = false;
      return frame;
    } catch (error) {
      estimate.withdraw(before);
      if (!isAudio || !this.isRefused) this.refuse(error, event);
      this.isRefused = true;
      return null;
    }
  }

  /** Ends the session because the caller may not continue, or cannot pay for a turn that the provider begins. */
  private endUnpaid(error: unknown, event?: Fields): void {
    const reason = error instanceof SessionEndedError ? error.cause : error;
    this.pair.report(errorFrame(reason, this.deps.requestId, event));
    this.pair.end(1008, 'no further turn is possible');
  }

  private refuse(error: unknown, event: Fields): void {
    if (error instanceof SessionEndedError) this.endUnpaid(error, event);
    else this.pair.report(errorFrame(error, this.deps.requestId, event));
  }

  /**
   * Returns the event in the form that the provider gets. A key may not use a transcription model that it may not call
   * directly. No event may change the paid model, or name a prompt of a shared account.
   * @returns null for a refused event; the session continues without it
   */
  private permitted(event: Fields): Fields | null {
    const { route, caller, requestId, upstreamModel, isTranscription, isOwnAccount, price, options } = this.deps;
    try {
      const [foreign] = namedByEvent(event);
      if (foreign && !isOwnAccount) throw notFound(foreign, 'is not known');
      const session = isTranscription ? null : asFields(event['session']);
      if (session) for (const model of transcribersIn(session)) checkModel(caller, model);
      const uncharged = unchargedTools(event, price.price, options.values);
      if (uncharged.length > 0) this.deps.freeTools(uncharged);
      return withSessionModel(event, { names: [route.model, route.bareModel], upstreamModel, isTranscription });
    } catch (error) {
      this.pair.report(errorFrame(error, requestId));
      return null;
    }
  }

  /** Checks an event of the client. A blocked event is not forwarded, and the session continues. */
  private async checkInput(frame: Frame, event: Fields, watch: SessionWatch): Promise<Frame | null> {
    try {
      const passed = await watch.fromClient(event);
      const sent = passed === event ? frame : toFrame(passed);
      const waiting = this.ordered(sent, passed);
      return waiting ? await waiting : sent;
    } catch (error) {
      this.pair.report(errorFrame(error, this.deps.requestId));
      return null;
    }
  }

  private fromUpstream(frame: Frame): Promise<readonly Frame[] | undefined> | undefined {
    this.charges.noteData();
    const { watch, checkpoints } = this.deps;
    if (this.isTimed) checkpoints.note(this);
    const event = mayBeEvent(frame) ? eventIn(frame.data) : null;
    if (!event) return undefined;
    this.settings.fromUpstream(event);
    const isChecked = !this.isBlocked && watch?.concernsOutput(event) === true;
    const done = isChecked ? this.checkOutput(frame, event, watch) : this.turnOf(event);
    return this.isBlocked ? (done ?? Promise.resolve()).then(() => []) : done;
  }

  /**
   * Checks an event of the provider. After a blocked response the session ends, because the provider may already be
   * speaking the rest.
   */
  private async checkOutput(frame: Frame, event: Fields, watch: SessionWatch): Promise<readonly Frame[]> {
    let frames: readonly Frame[] = [];
    try {
      frames = (await watch.fromUpstream(event)).map((each) => (each === event ? frame : toFrame(each)));
    } catch (error) {
      this.isBlocked = true;
      this.pair.report(errorFrame(error, this.deps.requestId));
      this.pair.instruct(JSON.stringify({ type: 'response.cancel' }));
      this.pair.end(1008, 'the response was blocked');
    }
    // The turn is charged after the check, whose notes are part of the row.
    await this.turnOf(event);
    return frames;
  }

  /** Counts the event, and charges the turn that it ends. */
  private turnOf(event: Fields): Promise<readonly Frame[] | undefined> | undefined {
    const { isTranscription } = this.deps;
    // The client got such an event before the provider was connected.
    if (isTranscription && createdEvents.has(event['type'])) return Promise.resolve([]);
    if (event['type'] === 'error') {
      return this.reservations.refused(this.settings.refused(event)).then((shown) => [toFrame(shown)]);
    }
    if (!responseEvents.test(String(event['type']))) {
      this.estimate.fromUpstream(event, null);
      return this.speechOf(event) ?? this.settingsOf(event);
    }
    const reserved = this.reservations.of(event);
    return reserved
      ? this.partOf(event, reserved)
      : this.reservations.begun(event).then((late) => this.partOf(event, late));
  }

  /** Applies a session event: the provider may begin responses after silence, or no responses at all. */
  private settingsOf({ type }: Fields): Promise<undefined> | undefined {
    const { settings, reservations } = this;
    if (type !== 'session.created' && type !== 'session.updated') return undefined;
    if (settings.idleSeconds > 0) return this.keepReady().then(() => undefined);
    return settings.responds ? undefined : reservations.dropStanding().then(() => undefined);
  }

  /** Counts a part of a response, and charges the response with its end. */
  private partOf(event: Fields, reserved: ReservedResponse): Promise<undefined> | undefined {
    this.estimate.fromUpstream(event, reserved.heard);
    this.deps.checkpoints.note(this);
    if (this.reservations.exceeds(reserved)) {
      const { responseId } = reserved;
      this.pair.instruct(JSON.stringify({ type: 'response.cancel', response_id: responseId }));
    }
    return event['type'] === 'response.done' ? this.endOf(asFields(event['response']) ?? {}, reserved) : undefined;
  }

  /** Charges a response before the client can see its end. */
  private async endOf(response: Fields, reserved: ReservedResponse): Promise<undefined> {
    const reported = this.possible(reportedUsage(response['usage']));
    const usage = reported ?? (isVoid(response, reserved) ? noAudio : countedUsage(reserved));
    if (reserved.isInConversation) {
      if (reserved.isApart) this.estimate.endedApart(usage);
      else this.estimate.ended(usage, reserved.mark);
    }
    await this.charges.charge(usage, { reserved });
    this.reservations.take(reserved);
    await this.keepReady();
  }

  /**
   * Counts speech that a model transcribed. The current turn pays for it, or the reservation of the next. In a session
   * without other turns it is a turn.
   */
  private speechOf(event: Fields): Promise<undefined> | undefined {
    const { price, sessionLedger, isTranscription, checkpoints } = this.deps;
    const spoken = this.transcripts.read(event, this.estimate.sentSeconds);
    if (!spoken) return undefined;
    this.charges.addTranscript(spoken.model, spoken.transcript);
    checkpoints.note(this);
    if (this.transcripts.isWholeSession) this.estimate.endTranscript();
    if (isTranscription) return this.charges.charge(responseOfTranscript(spoken.transcript), { isSpeech: true });
    return sessionLedger.opened && this.charges.pending > price.reserve().amount
      ? this.charges.charge(noAudio)
      : undefined;
  }

  /** Charges a session without turns for its time, so that it ends when the user's balance is used up. */
  private chargeTime(): void {
    this.pair.enqueue(async () => {
      if (this.deps.sessionLedger.opened) await this.charges.charge(noAudio);
    });
  }

  /** Returns the part of a usage report that the model can have had. */
  private possible(reported: ChargedAudio | null): ChargedAudio | null {
    if (!reported) return null;
    const { route, options, impossible } = this.deps;
    const usage = withinLimits(reported, possibleTokens(route.bareModel, options.values));
    if (usage !== reported) impossible(reported, usage);
    return usage;
  }

  /** Reserves the next cost of the session, after a charge. */
  private async holdNext(): Promise<void> {
    if (!this.charges.takeReservationDue()) return;
    await this.deps.hold().catch((error: unknown) => this.endUnpaid(error));
  }

  /** Returns the final error for the client if the close code alone does not explain the reason; else null. */
  private farewell(cause: EndCause, code: number): string | null {
    const { requestId } = this.deps;
    if (cause === 'expired') {
      const error = new RelayError('INVALID_INPUT', 'The session reached its maximum duration', 'session_expired');
      return errorFrame(error, requestId);
    }
    if (cause !== 'upstream' || code !== 1006) return null;
    const error = new RelayError(
      'UPSTREAM_UNREACHABLE',
      'The upstream ended the session unexpectedly',
      'do_request_failed',
    );
    return errorFrame(error, requestId);
  }

  /**
   * Charges responses without an end: by the count here if the provider or the server broke off, and as reserved if the
   * client disconnected and the provider did not end in time. A session without any turn still gets a log row.
   */
  private async finish(): Promise<void> {
    const { sessionLedger } = this.deps;
    const { running, waiting } = await this.reservations.left();
    const unknown = this.pair.isCutOff ? waiting : [];
    for (const reserved of [...running, ...unknown]) {
      await this.charges.charge(this.pair.isCutOff ? reservedUsage(reserved) : countedUsage(reserved), { reserved });
    }
    if (!this.pair.isCutOff) for (const reserved of waiting) await sessionLedger.release(reserved.held);
    if (this.transcripts.isWholeSession) return this.finishSpeech();
    if (this.charges.isUnwritten || this.charges.pending > 0 || this.isTimed) await this.charges.charge(noAudio);
    await sessionLedger.close();
  }

  /** Charges a transcription session for its transcripts, and for an utterance whose text has begun to arrive. */
  private async finishSpeech(): Promise<void> {
    const { sessionLedger, isTranscription } = this.deps;
    const rest = this.transcripts.unfinished(this.estimate.sentSeconds);
    if (rest) this.charges.addTranscript(rest.model, rest.transcript);
    if (rest || this.charges.pending > 0 || this.charges.isUnwritten) {
      const isSpeech = isTranscription && rest !== null;
      await this.charges.charge(isSpeech ? responseOfTranscript(rest.transcript) : noAudio, { isSpeech });
    }
    await sessionLedger.close();
  }
}

/** Events of the client that order responses, or change which of them the provider begins. */
const concernsResponses: ReadonlySet<unknown> = new Set([
  ...['response.create', 'session.update', 'transcription_session.update'],
]);
/** Matches events that are part of a response. */
const responseEvents = /^response\.(?:created|done|.+\.delta)$/;

/** Whether a response failed, or was cancelled before it began. A provider that bills it reports it. */
const isVoid = ({ status }: Fields, { heard }: ReservedResponse): boolean =>
  (status === 'failed' || status === 'cancelled') && heard.text + heard.seconds === 0;

const toFrame = (event: Fields): Frame => ({ data: Buffer.from(JSON.stringify(event)), isBinary: false });
