import type { SessionLedger, SessionPayer, UnsettledCharge } from '../../billing/ledger/index.js';
import type { SessionCost } from './session-cost.js';
import { type ChargedAudio, noAudio, type SessionPrice, sumOf } from './session-price.js';
import { countedUsage, type ReservedResponse } from './session-reservations.js';
import { SessionTally, type SessionTallyDeps, type SessionTimes } from './session-tally.js';
import type { TranscriptWatch } from './transcripts.js';

export interface SessionChargesDeps extends SessionTallyDeps {
  readonly price: SessionPrice;
  readonly cost: SessionCost;
  readonly sessionLedger: SessionLedger;
  /** Called after every charged turn. */
  readonly charged: (turn: ChargedResponse) => void;
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
  /** Turns by payer. */
  private readonly tallies = new Map<string | undefined, SessionTally>();
  private readonly times: SessionTimes;
  /** Speech that no tally has yet. */
  private readonly spoken: Array<Parameters<SessionPrice['addTranscript']>> = [];
  private quota = 0;
  /** Number of guardrail notes that the log row already has. */
  private writtenNotes = 0;
  private isReservationDue = false;

  constructor(
    private readonly deps: SessionChargesDeps,
    private readonly transcripts: Pick<TranscriptWatch, 'isWholeSession'>,
  ) {
    this.times = { firstDataAt: null, turnStartedAt: deps.startedAt, countedUntil: 0 };
  }

  get total(): SessionTotal {
    const usage = [...this.tallies.values()].reduce((sum, tally) => sumOf(sum, tally.usage), noAudio);
    return { usage, quota: this.quota, firstDataAt: this.times.firstDataAt };
  }

  /** Whether there is no log row yet, or it lacks notes of guardrails. */
  get isUnwritten(): boolean {
    const hasTurn = [...this.tallies.values()].some(({ turns }) => turns > 0);
    return !hasTurn || (this.deps.watch?.notes.length ?? 0) > this.writtenNotes;
  }

  /** Begins to count session time. */
  begin(): void {
    this.times.countedUntil = performance.now();
  }

  /** Records that the provider sent data. */
  noteData(): void {
    this.times.firstDataAt ??= performance.now();
  }

  /** Counts speech that a model transcribed. The payer of the session's own reservation pays for it with its next turn. */
  addTranscript(...spoken: Parameters<SessionPrice['addTranscript']>): void {
    this.spoken.push(spoken);
    this.ownTally();
  }

  /** The quota of transcripts that no turn has charged yet. */
  get pending(): number {
    return this.ownTally()?.price.pending ?? 0;
  }

  /**
   * Returns the tally of the session's own reservation, with all speech. While there is no such reservation, the only
   * payer so far has it; null when there are several.
   */
  private ownTally(): SessionTally | null {
    const { opened } = this.deps.sessionLedger;
    const [only] = this.tallies.size === 1 ? this.tallies.values() : [];
    const tally = opened ? this.tallyOf(opened.payer) : (only ?? null);
    if (!tally) return null;
    for (const spoken of this.spoken.splice(0)) {
      tally.price.addTranscript(...spoken);
      tally.cost.addTranscript(...spoken);
    }
    return tally;
  }

  private tallyOf(payer: SessionPayer | undefined): SessionTally {
    const known = this.tallies.get(payer?.name);
    if (known) return known;
    const { deps, transcripts, times } = this;
    const isFirst = this.tallies.size === 0 && payer?.groupRatio === undefined;
    const price = isFirst ? deps.price : deps.price.apart(payer?.groupRatio ?? deps.price.price.groupRatio);
    const tally = new SessionTally(deps, price, isFirst ? deps.cost : deps.cost.apart(), transcripts, times, payer);
    this.tallies.set(payer?.name, tally);
    return tally;
  }

  /** Returns once after each charge of the session's own reservation that the next cost has to be reserved. */
  takeReservationDue(): boolean {
    const { isReservationDue } = this;
    this.isReservationDue = false;
    return isReservationDue;
  }

  /**
   * Charges a response to its own reservation, and everything else to the reservation of the session.
   * @param isSpeech whether its tokens are those of transcripts, whose price and cost were counted separately
   */
  async charge(
    tokens: ChargedAudio,
    { reserved, isSpeech = false }: { reserved?: ReservedResponse; isSpeech?: boolean } = {},
  ): Promise<undefined> {
    const { sessionLedger, charged, watch } = this.deps;
    const held = reserved?.held ?? sessionLedger.opened;
    if (!held) return;
    this.ownTally();
    const tally = this.tallyOf(held.payer);
    const { turn, charge } = tally.add(tokens, held.amount, isSpeech);
    this.writtenNotes = watch?.notes.length ?? 0;
    const { userQuota, uncharged } = await sessionLedger.settle(held, charge);
    const quota = charge.quota - uncharged;
    tally.uncharged += uncharged;
    this.quota += quota;
    charged({ usage: turn, quota, userQuota });
    if (!reserved) this.isReservationDue = true;
  }

  /**
   * Returns what the session would be charged if this server were killed now. Transcripts and session time are charged
   * with the oldest response, or to the session's own reservation.
   * @param running responses that have begun
   */
  unsettled(running: readonly ReservedResponse[]): UnsettledCharge[] {
    const { price, sessionLedger } = this.deps;
    const own = sessionLedger.opened;
    this.ownTally();
    const times = { ...this.times };
    const copies = new Map<string | undefined, SessionTally>();
    const copyOf = (payer: SessionPayer | undefined): SessionTally => {
      const copy = copies.get(payer?.name) ?? this.tallyOf(payer).copy(times);
      copies.set(payer?.name, copy);
      return copy;
    };
    const charges: UnsettledCharge[] = running.map((reserved) => {
      const { held } = reserved;
      return sessionLedger.unsettled(held, copyOf(held.payer).add(countedUsage(reserved), held.amount).charge);
    });
    if (!own) return charges;
    const tally = copyOf(own.payer);
    const isOwing = (running.length === 0 && price.isTimed) || tally.price.pending > 0;
    return [...charges, sessionLedger.unsettled(own, isOwing ? tally.add(noAudio, own.amount).charge : null)];
  }
}
