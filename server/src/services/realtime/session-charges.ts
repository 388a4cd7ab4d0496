import type { OptionValues } from '../../options/option.service.js';
import type { Rounded } from '../../billing/prices/index.js';
import type { Charge, SessionLedger } from '../../billing/ledger/index.js';
import type { Admission } from '../../gateway/route/admission.js';
import type { Caller } from '../../gateway/admit/authentication.js';
import type { SessionCost } from './session-cost.js';
import { type ChargedAudio, inputOf, noAudio, outputOf, type SessionPrice, sumOf } from './session-price.js';
import type { ReservedResponse } from './session-reservations.js';
import type { SessionWatch } from './session-watch.js';
import type { TranscriptWatch } from './transcripts.js';

export interface SessionChargesDeps {
  readonly caller: Caller;
  readonly admission: Admission;
  readonly channelId: number;
  readonly usedChannels: readonly number[];
  readonly upstreamModel: string;
  readonly price: SessionPrice;
  readonly cost: SessionCost;
  readonly sessionLedger: SessionLedger;
  readonly options: { readonly values: OptionValues };
  /** Guardrails and capture. Absent when none concerns the caller. */
  readonly watch: SessionWatch | undefined;
  /** Called after every charged turn. */
  readonly charged: (turn: ChargedResponse) => void;
  /** Time of the start, by `performance.now()`. */
  readonly startedAt: number;
}

/** The totals of a session. */
export interface SessionTotal {
  readonly usage: ChargedAudio;
  readonly quota: number;
  /** Time of the provider's first data, by `performance.now()`; null when the provider sent nothing. */
  readonly firstDataAt: number | null;
}

/** A turn that was charged. */
export interface ChargedResponse {
  readonly usage: ChargedAudio;
  readonly quota: number;
  /** The user's new balance; null when unknown. */
  readonly userQuota: number | null;
}

/** Charges a session turn by turn, with its totals in the log row. */
export class SessionCharges {
  private usage: ChargedAudio = noAudio;
  private turns = 0;
  private quota = 0;
  private uncharged = 0;
  /** Number of guardrail notes that the log row already has. */
  private writtenNotes = 0;
  private turnStartedAt: number;
  /** The time up to which session time was charged, by `performance.now()`. */
  private countedUntil = 0;
  private firstDataAt: number | null = null;
  private isReservationDue = false;

  constructor(
    private readonly deps: SessionChargesDeps,
    private readonly transcripts: Pick<TranscriptWatch, 'isWholeSession'>,
  ) {
    this.turnStartedAt = deps.startedAt;
  }

  get total(): SessionTotal {
    const { usage, quota, firstDataAt } = this;
    return { usage, quota, firstDataAt };
  }

  /** Whether there is no log row yet, or it lacks notes of guardrails. */
  get isUnwritten(): boolean {
    return this.turns === 0 || (this.deps.watch?.notes.length ?? 0) > this.writtenNotes;
  }

  /** Begins to count session time. */
  begin(): void {
    this.countedUntil = performance.now();
  }

  /** Records that the provider sent data. */
  noteData(): void {
    this.firstDataAt ??= performance.now();
  }

  /** Returns once after each charge of the session's own reservation that the next cost has to be reserved. */
  takeReservationDue(): boolean {
    const { isReservationDue } = this;
    this.isReservationDue = false;
    return isReservationDue;
  }

  /**
   * Charges a response to its own reservation, and everything else to the reservation of the session. An excess is
   * charged as far as the balance covers it.
   * @param isSpeech whether its tokens are those of transcripts, whose price and cost were counted separately
   */
  async charge(
    tokens: ChargedAudio,
    { reserved, isSpeech = false }: { reserved?: ReservedResponse; isSpeech?: boolean } = {},
  ): Promise<undefined> {
    const { price, cost, sessionLedger, charged, options } = this.deps;
    const held = reserved?.held ?? sessionLedger.opened;
    if (!held) return;
    const turn: ChargedAudio = { ...tokens, seconds: this.takeSeconds() };
    this.turns++;
    this.usage = sumOf(this.usage, turn);
    const now = performance.now();
    const milliseconds = now - this.turnStartedAt;
    this.turnStartedAt = now;
    const priced = price.charge(turn, isSpeech);
    const { quota } = priced;
    this.writtenNotes = this.deps.watch?.notes.length ?? 0;
    const charge = this.toCharge(turn, priced, milliseconds, cost.add(isSpeech ? noAudio : turn));
    const isBeyond = options.values.StrictReserve && quota > held.amount;
    const { userQuota, uncharged } = await sessionLedger.settle(
      held,
      isBeyond ? { ...charge, least: held.amount } : charge,
    );
    this.uncharged += uncharged;
    this.quota += quota - uncharged;
    charged({ usage: turn, quota: quota - uncharged, userQuota });
    if (!reserved) this.isReservationDue = true;
  }

  /** Returns the seconds since the last call. A transcription session pays for its speech, so it returns 0. */
  private takeSeconds(): number {
    const now = performance.now();
    const milliseconds = now - this.countedUntil;
    this.countedUntil = now;
    return this.transcripts.isWholeSession ? 0 : Math.round(milliseconds) / 1000;
  }

  private toCharge(
    turn: ChargedAudio,
    { quota, rest }: Rounded,
    milliseconds: number,
    upstreamUsd: number | undefined,
  ): Charge {
    const { caller, admission, options, price, channelId, usedChannels, upstreamModel, startedAt, watch } = this.deps;
    const { usage: total, firstDataAt } = this;
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
        // The row is that of the whole session, and so is the duration.
        duration_ms: Math.max(0, Math.round(performance.now() - startedAt)),
        turns: this.turns,
        ...(this.uncharged > 0 ? { uncharged_quota: this.uncharged } : {}),
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
