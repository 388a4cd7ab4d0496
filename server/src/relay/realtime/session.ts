import type { WebSocket } from 'ws';
import type { OptionValues } from '../../modules/options/option.service.js';
import type { Rounded } from '../../modules/pricing/price-book.service.js';
import type { Charge } from '../../modules/quota/ledger.service.js';
import type { SessionBooks } from '../../modules/quota/session-books.service.js';
import type { Logger } from '../../observability/logger.js';
import { checkModel, type Admission } from '../access/admission.js';
import type { Caller } from '../access/authentication.js';
import { assertJsonBounds } from '../../shared/json.js';
import { RelayError } from '../errors/relay-error.js';
import { possibleTokens } from '../record/cover.js';
import { asFields, type Fields } from '../neutral/fields.js';
import { reportedUsage, withinLimits } from './reported-usage.js';
import { errorFrame, eventBounds } from './session-events.js';
import { eventIn, type SessionWatch } from './session-watch.js';
import type { SessionCost } from './session-cost.js';
import { withSessionModel } from './session-model.js';
import { type ChargedAudio, inputOf, noAudio, outputOf, type SessionPrice, sumOf } from './session-price.js';
import { type EndCause, type Frame, SocketPair, type SocketPairLimits } from './socket-pair.js';
import { createdEvents, transcribersIn, TranscriptWatch, turnOfTranscript } from './transcripts.js';
import { TurnEstimate } from './turn-estimate.js';

export interface SessionDeps {
  readonly requestId: string;
  readonly caller: Caller;
  readonly admission: Admission;
  readonly channelId: number;
  readonly usedChannels: readonly number[];
  readonly upstreamModel: string;
  readonly price: SessionPrice;
  readonly cost: SessionCost;
  readonly books: SessionBooks;
  /** The model only writes down speech, and an event named it: each transcript is a turn. */
  readonly isTranscription: boolean;
  readonly options: { readonly values: OptionValues };
  readonly logger: Logger;
  /** Guardrails and capture; absent: none concerns the caller. */
  readonly watch: SessionWatch | undefined;
  /** Called once, when everything is charged. */
  readonly ended: (total: SessionTotal) => void;
  /** Called after every charged turn. */
  readonly charged: (turn: ChargedTurn) => void;
  /** Called when a provider reports more than the model can have had, with the part that is charged. */
  readonly impossible: (reported: ChargedAudio, charged: ChargedAudio) => void;
  /**
   * Reserves each turn after the first.
   * @throws AppError when the caller may not continue, or cannot pay
   */
  readonly holdTurn: () => Promise<void>;
  readonly limits: SocketPairLimits;
  /** By `performance.now()`. */
  readonly startedAt: number;
}

/** A whole session. */
export interface SessionTotal {
  readonly usage: ChargedAudio;
  readonly quota: number;
  /** By `performance.now()`; null: the provider sent nothing. */
  readonly firstDataAt: number | null;
}

/** A turn that was charged. */
export interface ChargedTurn {
  readonly usage: ChargedAudio;
  readonly quota: number;
  /** The user's new balance; null when unknown. */
  readonly userQuota: number | null;
}

/**
 * One realtime session: forwards frames in both directions, and charges turn by turn
 * (docs/reference/relay/realtime.md#charge).
 */
export class RealtimeSession {
  private readonly pair: SocketPair;
  private readonly estimate: TurnEstimate;
  private readonly transcripts: TranscriptWatch;
  private total: ChargedAudio = noAudio;
  private turns = 0;
  private quota = 0;
  /** Notes of guardrails that the log row has. */
  private writtenNotes = 0;
  private turnStartedAt: number;
  /** Until when the time of the session is counted. By `performance.now()`. */
  private countedUntil = 0;
  private firstDataAt: number | null = null;
  private needsHold = false;
  /** A rule blocked the response: nothing more is forwarded to the client. */
  private isBlocked = false;

  constructor(
    client: WebSocket,
    upstream: WebSocket,
    private readonly deps: SessionDeps,
  ) {
    this.turnStartedAt = deps.startedAt;
    this.estimate = new TurnEstimate(deps.upstreamModel);
    this.transcripts = new TranscriptWatch(deps.isTranscription ? deps.admission.bareModel : null);
    this.pair = new SocketPair(
      client,
      upstream,
      {
        fromClient: (frame) => this.fromClient(frame),
        fromUpstream: (frame) => this.fromUpstream(frame),
        delivered: () => this.holdNext(),
        farewell: (cause, code) => this.farewell(cause, code),
      },
      deps.limits,
    );
  }

  get model(): string {
    return this.deps.admission.model;
  }

  /** A session for transcripts pays for its speech instead. */
  private get isTimed(): boolean {
    return this.deps.price.isTimed && !this.deps.isTranscription;
  }

  /**
   * Never throws. Resolves when both sides are closed and everything is charged.
   * @param early frames of the client that came before, in their order
   */
  async run(early: readonly Frame[] = []): Promise<void> {
    this.countedUntil = performance.now();
    const timer = this.isTimed && setInterval(() => this.chargeTime(), this.deps.limits.timedMilliseconds);
    this.pair.start(early);
    await this.pair.ended;
    if (timer) clearInterval(timer);
    await this.finish().catch((error: unknown) => {
      this.deps.logger.error({ err: error, requestId: this.deps.requestId }, 'end of a session could not be charged');
    });
    const { total: usage, quota, firstDataAt } = this;
    this.deps.ended({ usage, quota, firstDataAt });
  }

  /** Ends the session because the server stops. */
  close(): void {
    this.pair.end(1012, 'the server is restarting');
  }

  /** An event with too many values is not parsed and ends the session: `[[],[],…]` grows fiftyfold in memory. */
  private fromClient(frame: Frame): boolean | Promise<Frame | null> {
    try {
      if (!frame.isBinary) assertJsonBounds(frame.data, eventBounds);
    } catch (error) {
      this.pair.report(errorFrame(error, this.deps.requestId));
      this.pair.end(1008, 'the event is too complex');
      return false;
    }
    let checked: Promise<Frame | null> | undefined;
    this.readEvent(frame, (event) => {
      const asked = this.permitted(event);
      if (!asked) {
        checked = Promise.resolve(null);
        return;
      }
      const sent = asked === event ? frame : toFrame(asked);
      this.estimate.fromClient(asked);
      if (this.deps.watch?.concernsInput(asked)) checked = this.checkInput(sent, asked, this.deps.watch);
      else if (sent !== frame) checked = Promise.resolve(sent);
    });
    return checked ?? true;
  }

  /**
   * The event as the provider gets it. A key lets no model write speech down that it may not call itself, and no event changes
   * the model that is paid for: null then, and the session goes on without the event.
   */
  private permitted(event: Fields): Fields | null {
    const { admission, caller, requestId, upstreamModel, isTranscription } = this.deps;
    try {
      const session = isTranscription ? null : asFields(event['session']);
      if (session) for (const model of transcribersIn(session)) checkModel(caller, model);
      return withSessionModel(event, { names: [admission.model, admission.bareModel], upstreamModel, isTranscription });
    } catch (error) {
      this.pair.report(errorFrame(error, requestId));
      return null;
    }
  }

  /** A blocked event is not forwarded. The session goes on. */
  private async checkInput(frame: Frame, event: Fields, watch: SessionWatch): Promise<Frame | null> {
    try {
      const passed = await watch.fromClient(event);
      return passed === event ? frame : toFrame(passed);
    } catch (error) {
      this.pair.report(errorFrame(error, this.deps.requestId));
      return null;
    }
  }

  private fromUpstream(frame: Frame): Promise<readonly Frame[] | undefined> | undefined {
    this.firstDataAt ??= performance.now();
    const { watch } = this.deps;
    let done: Promise<readonly Frame[] | undefined> | undefined;
    this.readEvent(frame, (event) => {
      const isChecked = !this.isBlocked && watch?.concernsOutput(event) === true;
      done = isChecked ? this.checkOutput(frame, event, watch) : this.turnOf(event);
    });
    return this.isBlocked ? (done ?? Promise.resolve()).then(() => []) : done;
  }

  /** After a response that a rule blocks, the session ends: the provider may already speak the rest. */
  private async checkOutput(frame: Frame, event: Fields, watch: SessionWatch): Promise<readonly Frame[]> {
    let frames: readonly Frame[] = [];
    try {
      frames = (await watch.fromUpstream(event)).map((each) => (each === event ? frame : toFrame(each)));
    } catch (error) {
      this.isBlocked = true;
      this.pair.report(errorFrame(error, this.deps.requestId));
      this.pair.end(1008, 'the response was blocked');
    }
    // After the check, whose notes are part of the row.
    await this.turnOf(event);
    return frames;
  }

  /** Counts the event, and charges the turn that it ends. */
  private turnOf(event: Fields): Promise<readonly Frame[] | undefined> | undefined {
    const { isTranscription } = this.deps;
    // Its client got one before there was a provider.
    if (isTranscription && createdEvents.has(event['type'])) return Promise.resolve([]);
    if (event['type'] !== 'response.done') {
      this.estimate.fromUpstream(event);
      return this.speechOf(event);
    }
    const { usage } = (event['response'] ?? {}) as { usage?: unknown };
    const estimated = this.estimate.take();
    // Charged before the client can see the end of the turn.
    return this.charge(this.possible(reportedUsage(usage)) ?? estimated);
  }

  /**
   * Counts speech that a model wrote down. A turn pays for it, or what is reserved for the next one. It is a turn of a
   * session that has no other ones.
   */
  private speechOf(event: Fields): Promise<undefined> | undefined {
    const { price, cost, books, isTranscription } = this.deps;
    const spoken = this.transcripts.read(event, this.estimate.sentSeconds);
    if (!spoken) return undefined;
    price.addTranscript(spoken.model, spoken.transcript);
    cost.addTranscript(spoken.model, spoken.transcript);
    if (this.transcripts.isWholeSession) this.estimate.take();
    if (isTranscription) return this.charge(turnOfTranscript(spoken.transcript), true);
    return books.isOpen && price.pending > price.reserve().amount ? this.charge(noAudio) : undefined;
  }

  /** Charges a session without turns for its time, so that it ends with the balance of its user. */
  private chargeTime(): void {
    this.pair.enqueue(async () => {
      if (this.deps.books.isOpen) await this.charge(noAudio);
    });
  }

  /** Seconds since the last call. A session that only writes speech down pays for its speech. */
  private takeSeconds(): number {
    const now = performance.now();
    const milliseconds = now - this.countedUntil;
    this.countedUntil = now;
    return this.transcripts.isWholeSession ? 0 : Math.round(milliseconds) / 1000;
  }

  /** The part of a report that the model can have had. */
  private possible(reported: ChargedAudio | null): ChargedAudio | null {
    if (!reported) return null;
    const { admission, options, impossible } = this.deps;
    const usage = withinLimits(reported, possibleTokens(admission.bareModel, options.values));
    if (usage !== reported) impossible(reported, usage);
    return usage;
  }

  /** Reserves the next turn, after the client received the end of the last one. */
  private async holdNext(): Promise<void> {
    if (!this.needsHold) return;
    this.needsHold = false;
    try {
      await this.deps.holdTurn();
    } catch (error) {
      this.pair.report(errorFrame(error, this.deps.requestId));
      this.pair.end(1008, 'no further turn is possible');
    }
  }

  /** The final error for the client, where the close code alone does not explain the reason; else null. */
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

  /** @param isSpeech its tokens are those of transcripts, whose price and cost were counted apart */
  private async charge(tokens: ChargedAudio, isSpeech = false): Promise<undefined> {
    const { price, cost, books, charged } = this.deps;
    const turn: ChargedAudio = { ...tokens, seconds: this.takeSeconds() };
    this.turns++;
    this.total = sumOf(this.total, turn);
    const now = performance.now();
    const milliseconds = now - this.turnStartedAt;
    this.turnStartedAt = now;
    const charge = price.charge(turn, isSpeech);
    const { quota } = charge;
    this.quota += quota;
    this.writtenNotes = this.deps.watch?.notes.length ?? 0;
    const { userQuota } = await books.settle(
      this.toCharge(turn, charge, milliseconds, cost.add(isSpeech ? noAudio : turn)),
    );
    charged({ usage: turn, quota, userQuota });
    this.needsHold = true;
  }

  /** An interrupted turn is charged by our own count. A session without any turn still gets a log row. */
  private async finish(): Promise<void> {
    const { books, price } = this.deps;
    if (this.transcripts.isWholeSession) return this.finishSpeech();
    const rest = this.estimate.take();
    const hasRest = inputOf(rest) + outputOf(rest) > 0 || price.pending > 0 || this.isTimed;
    const hasNotes = (this.deps.watch?.notes.length ?? 0) > this.writtenNotes;
    if (books.isOpen && (hasRest || hasNotes || this.turns === 0)) await this.charge(rest);
    await books.close();
  }

  /** A session that only writes speech down pays for its transcripts, and for an utterance whose text has begun to come. */
  private async finishSpeech(): Promise<void> {
    const { books, price, cost, isTranscription } = this.deps;
    const rest = this.transcripts.unfinished(this.estimate.sentSeconds);
    if (rest) {
      price.addTranscript(rest.model, rest.transcript);
      cost.addTranscript(rest.model, rest.transcript);
    }
    const hasNotes = (this.deps.watch?.notes.length ?? 0) > this.writtenNotes;
    if (books.isOpen && (rest || price.pending > 0 || hasNotes || this.turns === 0)) {
      const isTurn = isTranscription && rest !== null;
      await this.charge(isTurn ? turnOfTranscript(rest.transcript) : noAudio, isTurn);
    }
    await books.close();
  }

  private readEvent(frame: Frame, use: (event: Fields) => void): void {
    const event = frame.isBinary ? null : eventIn(frame.data);
    if (event) use(event);
  }

  private toCharge(
    turn: ChargedAudio,
    { quota, rest }: Rounded,
    milliseconds: number,
    upstreamUsd: number | undefined,
  ): Charge {
    const { caller, admission, options, price, channelId, usedChannels, upstreamModel, startedAt, watch } = this.deps;
    const { total, firstDataAt } = this;
    return {
      quota,
      rest,
      counted: inputOf(turn) + outputOf(turn) > 0,
      logged: options.values.LogConsumeEnabled,
      channelId,
      username: caller.user.username,
      tokenName: caller.token.name,
      modelName: admission.model,
      group: admission.group,
      promptTokens: inputOf(turn),
      completionTokens: outputOf(turn),
      cachedTokens: 0,
      durationMs: Math.max(0, Math.round(milliseconds)),
      upstreamUsd,
      isStream: true,
      content: price.line(),
      other: {
        ws: true,
        ...price.factors(),
        text_input: total.textInputTokens,
        text_output: total.textOutputTokens,
        audio_input: total.audioInputTokens,
        audio_output: total.audioOutputTokens,
        cache_tokens: 0,
        cache_ratio: 0,
        frt: firstDataAt === null ? -1000 : Math.round((firstDataAt - startedAt) * 100) / 100,
        // Of the whole session, as the row.
        duration_ms: Math.max(0, Math.round(performance.now() - startedAt)),
        turns: this.turns,
        ...(upstreamModel === admission.bareModel ? {} : { is_model_mapped: true, upstream_model_name: upstreamModel }),
        admin_info: {
          use_channel: usedChannels.map(String),
          ...this.deps.cost.notes,
          ...(watch && watch.notes.length > 0 ? { guardrails: watch.notes } : {}),
          ...(watch?.capture ? { captured: true } : {}),
        },
      },
    };
  }
}

const toFrame = (event: Fields): Frame => ({ data: Buffer.from(JSON.stringify(event)), isBinary: false });
