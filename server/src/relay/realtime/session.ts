import type { WebSocket } from 'ws';
import type { OptionValues } from '../../modules/options/option.service.js';
import type { Charge } from '../../modules/quota/ledger.service.js';
import type { SessionBooks } from '../../modules/quota/session-books.service.js';
import type { Logger } from '../../observability/logger.js';
import { checkModel, type Admission } from '../access/admission.js';
import type { Caller } from '../access/authentication.js';
import { assertJsonBounds } from '../../shared/json.js';
import { toCallFailure } from '../errors/failure.js';
import { RelayError } from '../errors/relay-error.js';
import { possibleTokens } from '../record/cover.js';
import { asFields, type Fields } from '../neutral/fields.js';
import { eventIn, type SessionWatch } from './session-watch.js';
import type { SessionCost } from './session-cost.js';
import { withSessionModel } from './session-model.js';
import { type ChargedAudio, inputOf, noAudio, outputOf, type SessionPrice, sumOf } from './session-price.js';
import { type EndCause, type Frame, SocketPair, type SocketPairLimits } from './socket-pair.js';
import { transcribersIn, TranscriptWatch } from './transcripts.js';
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

/** Tool schemas of a `session.update` are the largest that clients send. */
const eventBounds = { maxDepth: 128, maxValues: 50_000 };

/**
 * One realtime session: forwards frames in both directions, and charges turn by turn
 * (docs/reference/relay/realtime.md#charge).
 */
export class RealtimeSession {
  private readonly pair: SocketPair;
  private readonly estimate: TurnEstimate;
  private readonly transcripts = new TranscriptWatch();
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

  /** Never throws. Resolves when both sides are closed and everything is charged. */
  async run(): Promise<void> {
    this.countedUntil = performance.now();
    const { price, limits } = this.deps;
    const timer = price.isTimed && setInterval(() => this.chargeTime(), limits.timedMilliseconds);
    this.pair.start();
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
    const { admission, caller, requestId, upstreamModel } = this.deps;
    try {
      const session = asFields(event['session']);
      if (session) for (const model of transcribersIn(session)) checkModel(caller, model);
      return withSessionModel(event, { names: [admission.model, admission.bareModel], upstreamModel });
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
  private turnOf(event: Fields): Promise<undefined> | undefined {
    if (event['type'] !== 'response.done') {
      this.estimate.fromUpstream(event);
      return this.speechOf(event);
    }
    const { usage } = (event['response'] ?? {}) as { usage?: unknown };
    const estimated = this.estimate.take();
    // Charged before the client can see the end of the turn.
    return this.charge(this.possible(reportedUsage(usage)) ?? estimated);
  }

  /** Counts speech that another model wrote down. A turn pays for it, or what is reserved for the next one. */
  private speechOf(event: Fields): Promise<undefined> | undefined {
    const { price, cost, books } = this.deps;
    const spoken = this.transcripts.read(event);
    if (!spoken) return undefined;
    price.addTranscript(spoken.model, spoken.transcript);
    cost.addTranscript(spoken.model, spoken.transcript);
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

  private async charge(tokens: ChargedAudio): Promise<undefined> {
    const { price, cost, books, charged } = this.deps;
    const turn: ChargedAudio = { ...tokens, seconds: this.takeSeconds() };
    this.turns++;
    this.total = sumOf(this.total, turn);
    const now = performance.now();
    const milliseconds = now - this.turnStartedAt;
    this.turnStartedAt = now;
    const quota = price.charge(turn);
    this.quota += quota;
    this.writtenNotes = this.deps.watch?.notes.length ?? 0;
    const { userQuota } = await books.settle(this.toCharge(turn, quota, milliseconds, cost.add(turn)));
    charged({ usage: turn, quota, userQuota });
    this.needsHold = true;
  }

  /** An interrupted turn is charged by our own count. A session without any turn still gets a log row. */
  private async finish(): Promise<void> {
    const { books } = this.deps;
    const rest = this.estimate.take();
    const { price } = this.deps;
    const hasRest = inputOf(rest) + outputOf(rest) > 0 || price.pending > 0 || price.isTimed;
    const hasNotes = (this.deps.watch?.notes.length ?? 0) > this.writtenNotes;
    if (books.isOpen && (hasRest || hasNotes || this.turns === 0)) await this.charge(rest);
    await books.close();
  }

  private readEvent(frame: Frame, use: (event: Fields) => void): void {
    const event = frame.isBinary ? null : eventIn(frame.data);
    if (event) use(event);
  }

  private toCharge(turn: ChargedAudio, quota: number, milliseconds: number, upstreamUsd: number | undefined): Charge {
    const { caller, admission, options, price, channelId, usedChannels, upstreamModel, startedAt, watch } = this.deps;
    const { total, firstDataAt } = this;
    return {
      quota,
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

/** docs/reference/relay/realtime.md. */
export function errorFrame(error: unknown, requestId: string): string {
  const { message, type, param, code } = toCallFailure(error);
  return JSON.stringify({
    event_id: `evt_${requestId}`,
    type: 'error',
    error: { message: `${message} (request id: ${requestId})`, type, param, code },
  });
}

const most = 100_000_000;

/** The usage that a provider reports for a turn, bounded and non-negative; null when it reports none. */
function reportedUsage(usage: unknown): ChargedAudio | null {
  if (typeof usage !== 'object' || usage === null) return null;
  const report = usage as Fields;
  const input = count(report['input_tokens']);
  const output = count(report['output_tokens']);
  if (input + output === 0 && count(report['total_tokens']) === 0) return null;
  const inputs = (report['input_token_details'] ?? {}) as Fields;
  const outputs = (report['output_token_details'] ?? {}) as Fields;
  const audioInputTokens = Math.min(input, count(inputs['audio_tokens']));
  const audioOutputTokens = Math.min(output, count(outputs['audio_tokens']));
  return {
    // Everything except audio counts as text, images included.
    textInputTokens: input - audioInputTokens,
    textOutputTokens: output - audioOutputTokens,
    audioInputTokens,
    audioOutputTokens,
    ...cachedParts(inputs, input - audioInputTokens, audioInputTokens),
  };
}

/** @returns the same object when nothing in it is larger */
function withinLimits(usage: ChargedAudio, most: ReturnType<typeof possibleTokens>): ChargedAudio {
  if (inputOf(usage) <= most.prompt && outputOf(usage) <= most.output) return usage;
  const audioInputTokens = Math.min(usage.audioInputTokens, most.prompt);
  const audioOutputTokens = Math.min(usage.audioOutputTokens, most.output);
  const textInputTokens = Math.min(usage.textInputTokens, most.prompt - audioInputTokens);
  const image = Math.min(usage.imageInputTokens ?? 0, textInputTokens);
  return {
    textInputTokens,
    textOutputTokens: Math.min(usage.textOutputTokens, most.output - audioOutputTokens),
    audioInputTokens,
    audioOutputTokens,
    cachedTextTokens: Math.min(usage.cachedTextTokens ?? 0, textInputTokens - image),
    imageInputTokens: image,
    cachedImageTokens: Math.min(usage.cachedImageTokens ?? 0, image),
    cachedAudioTokens: Math.min(usage.cachedAudioTokens ?? 0, audioInputTokens),
  };
}

/** Cached tokens by kind, which price cards price apart. */
function cachedParts(inputs: Fields, text: number, audio: number): Partial<ChargedAudio> {
  const cached = (inputs['cached_tokens_details'] ?? {}) as Fields;
  const image = Math.min(text, count(inputs['image_tokens']));
  return {
    cachedTextTokens: Math.min(text - image, count(cached['text_tokens'])),
    imageInputTokens: image,
    cachedImageTokens: Math.min(image, count(cached['image_tokens'])),
    cachedAudioTokens: Math.min(audio, count(cached['audio_tokens'])),
  };
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.min(Math.max(0, Math.trunc(value)), most) : 0;
}
