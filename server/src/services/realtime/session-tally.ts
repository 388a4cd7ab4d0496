import type { Charge, SessionPayer } from '../../billing/ledger/index.js';
import type { OptionValues } from '../../options/option.service.js';
import type { CallRoute } from '../../gateway/route/call-route.js';
import { recordedAddress, type Caller } from '../../gateway/admit/authentication.js';
import type { SessionCost } from './session-cost.js';
import { type ChargedAudio, inputOf, noAudio, outputOf, type SessionPrice, sumOf } from './session-price.js';
import type { SessionWatch } from './session-watch.js';
import type { TranscriptWatch } from './transcripts.js';
import { secondsIn } from '../../shared/clock.js';

export interface SessionTallyDeps {
  readonly caller: Caller;
  readonly route: CallRoute;
  readonly channelId: number;
  readonly usedChannels: readonly number[];
  readonly upstreamModel: string;
  readonly options: { readonly values: OptionValues };
  /** Guardrails and capture. Absent when none concerns the caller. */
  readonly watch: SessionWatch | undefined;
  /** The client's address. */
  readonly address: string;
  /** Time of the start, by `performance.now()`. */
  readonly startedAt: number;
}

/** A turn with its charge. */
export interface TalliedTurn {
  readonly turn: ChargedAudio;
  readonly charge: Charge;
}

/** Times of a session, by `performance.now()`. All of its tallies share them. */
export interface SessionTimes {
  /** The provider's first data; null when the provider sent nothing. */
  firstDataAt: number | null;
  turnStartedAt: number;
  /** The time up to which session time was charged. */
  countedUntil: number;
}

/** Adds up the turns of a session that have one payer. The charge of each has the totals for their log row. */
export class SessionTally {
  usage: ChargedAudio = noAudio;
  turns = 0;
  /** Quota that the balance did not have. */
  uncharged = 0;

  constructor(
    private readonly deps: SessionTallyDeps,
    readonly price: SessionPrice,
    readonly cost: SessionCost,
    private readonly transcripts: Pick<TranscriptWatch, 'isWholeSession'>,
    private readonly times: SessionTimes,
    private readonly payer: Pick<SessionPayer, 'overflow'> | undefined,
  ) {}

  /** Returns a tally that continues from here, for turns that this one does not count. */
  copy(times: SessionTimes): SessionTally {
    const { deps, price, cost, transcripts, payer } = this;
    const copy = new SessionTally(deps, price.copy(), cost.copy(), transcripts, times, payer);
    copy.usage = this.usage;
    copy.turns = this.turns;
    copy.uncharged = this.uncharged;
    return copy;
  }

  /**
   * Adds a turn, with the session time since the last one.
   * @param reserved quota
   * @param isSpeech whether its tokens are those of transcripts, whose price and cost were counted separately
   */
  add(tokens: ChargedAudio, reserved: number, isSpeech = false): TalliedTurn {
    const { price, cost, deps, times } = this;
    const turn: ChargedAudio = { ...tokens, seconds: this.takeSeconds() };
    this.turns++;
    this.usage = sumOf(this.usage, turn);
    const now = performance.now();
    const milliseconds = now - times.turnStartedAt;
    times.turnStartedAt = now;
    const { quota, rest } = price.charge(turn, isSpeech);
    const upstreamUsd = cost.add(isSpeech ? noAudio : turn);
    const charge = { quota, rest, upstreamUsd, ...this.rowOf(turn, milliseconds) };
    // An excess is charged as far as the balance covers it.
    const isBeyond = deps.options.values.StrictReserve && quota > reserved;
    return { turn, charge: isBeyond ? { ...charge, least: reserved } : charge };
  }

  /** Returns the seconds since the last call. A transcription session pays for its speech, so it returns 0. */
  private takeSeconds(): number {
    const now = performance.now();
    const milliseconds = now - this.times.countedUntil;
    this.times.countedUntil = now;
    return this.transcripts.isWholeSession ? 0 : secondsIn(Math.round(milliseconds));
  }

  private rowOf(turn: ChargedAudio, milliseconds: number): Omit<Charge, 'quota' | 'rest' | 'upstreamUsd'> {
    const { price, cost, usage: total, payer } = this;
    const { firstDataAt } = this.times;
    const { caller, route, options, channelId, usedChannels, upstreamModel, startedAt, address, watch } = this.deps;
    return {
      counted: inputOf(turn) + outputOf(turn) > 0,
      logged: options.values.LogConsumeEnabled,
      channelId,
      username: caller.user.username,
      tokenName: caller.token.name,
      modelName: route.model,
      group: route.group,
      promptTokens: inputOf(turn),
      completionTokens: outputOf(turn),
      cachedTokens: 0,
      durationMs: Math.max(0, Math.round(milliseconds)),
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
        // The row is that of the whole session, and so is the duration.
        duration_ms: Math.max(0, Math.round(performance.now() - startedAt)),
        turns: this.turns,
        plan_overflow: payer?.overflow,
        ip: recordedAddress(caller, address),
        ...(this.uncharged > 0 ? { uncharged_quota: this.uncharged } : {}),
        ...(upstreamModel === route.bareModel ? {} : { is_model_mapped: true, upstream_model_name: upstreamModel }),
        admin_info: {
          use_channel: usedChannels.map(String),
          ...cost.notes,
          ...(watch && watch.notes.length > 0 ? { guardrails: watch.notes } : {}),
          ...(watch?.capture ? { captured: true } : {}),
        },
      },
    };
  }
}
