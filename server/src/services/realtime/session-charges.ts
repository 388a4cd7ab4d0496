import type { SessionLedger, UnsettledCharge } from '../../billing/ledger/index.js';
import type { SessionCost } from './session-cost.js';
import { type ChargedAudio, noAudio, type SessionPrice } from './session-price.js';
import { countedUsage, type ReservedResponse } from './session-reservations.js';
import { SessionTally, type SessionTallyDeps } from './session-tally.js';
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
  private readonly tally: SessionTally;
  private quota = 0;
  /** Number of guardrail notes that the log row already has. */
  private writtenNotes = 0;
  private isReservationDue = false;

  constructor(
    private readonly deps: SessionChargesDeps,
    transcripts: Pick<TranscriptWatch, 'isWholeSession'>,
  ) {
    this.tally = new SessionTally(deps, deps.price, deps.cost, transcripts);
  }

  get total(): SessionTotal {
    const { usage, firstDataAt } = this.tally;
    return { usage, quota: this.quota, firstDataAt };
  }

  /** Whether there is no log row yet, or it lacks notes of guardrails. */
  get isUnwritten(): boolean {
    return this.tally.turns === 0 || (this.deps.watch?.notes.length ?? 0) > this.writtenNotes;
  }

  /** Begins to count session time. */
  begin(): void {
    this.tally.begin();
  }

  /** Records that the provider sent data. */
  noteData(): void {
    this.tally.firstDataAt ??= performance.now();
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
    const { turn, charge } = this.tally.add(tokens, held.amount, isSpeech);
    this.writtenNotes = watch?.notes.length ?? 0;
    const { userQuota, uncharged } = await sessionLedger.settle(held, charge);
    const quota = charge.quota - uncharged;
    this.tally.uncharged += uncharged;
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
    const tally = this.tally.copy();
    const charges: UnsettledCharge[] = running.map((reserved) => {
      const { held } = reserved;
      return sessionLedger.unsettled(held, tally.add(countedUsage(reserved), held.amount).charge);
    });
    const own = sessionLedger.opened;
    if (!own) return charges;
    const isOwing = running.length === 0 && (price.isTimed || price.pending > 0);
    return [...charges, sessionLedger.unsettled(own, isOwing ? tally.add(noAudio, own.amount).charge : null)];
  }
}
