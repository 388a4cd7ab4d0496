import {
  type CallCost,
  type Component,
  costNotes,
  type CostNotes,
  costOfUsage,
  type CostPrice,
  linesOfTranscripts,
  type Transcripts,
  withOtherCost,
} from '../../billing/prices/index.js';
import { noAudio, sumOf, sumOfTranscripts, usageOf, type ChargedAudio } from './session-price.js';

/** Finds the cost of a model on the channel. */
type FindCost = (model: string) => CostPrice | null;

/** The cost of a session. The cost of each turn is the difference to the cost of all earlier turns, like its charge. */
export class SessionCost {
  private total = noAudio;
  private known = 0;
  private found: CostNotes = {};
  private readonly speech = new Map<string, { readonly price: CostPrice; found: Transcripts }>();

  /**
   * @param price null when it is unknown
   * @param costOf finds the cost of transcription models
   */
  constructor(
    private readonly price: CostPrice | null,
    private readonly costOf: FindCost = () => null,
  ) {}

  /** Returns a cost that continues from here. No transcripts may be added to it. */
  copy(): SessionCost {
    return Object.assign(new SessionCost(this.price, this.costOf), this);
  }

  /** Returns a cost that begins anew. */
  apart(): SessionCost {
    return new SessionCost(this.price, this.costOf);
  }

  /** Counts speech that another model transcribed. Its cost is part of the next turn. */
  addTranscript(model: string, transcript: Transcripts): void {
    const known = this.speech.get(model);
    if (known) known.found = sumOfTranscripts(known.found, transcript);
    else {
      const price = this.costOf(model);
      if (price) this.speech.set(model, { price, found: transcript });
    }
  }

  /**
   * Adds a turn.
   * @returns its cost in USD
   */
  add(turn: ChargedAudio): number | undefined {
    if (!this.price) return undefined;
    this.total = sumOf(this.total, turn);
    const whole = this.withSpeech(costOfUsage(this.price, usageOf(this.total), null));
    this.found = costNotes(whole, null);
    const before = this.known;
    this.known = whole.usd;
    return Math.max(0, Math.round((whole.usd - before) * 1e9) / 1e9);
  }

  /** The cost of all turns so far, for the log row's `admin_info`. */
  get notes(): CostNotes {
    return this.found;
  }

  private withSpeech(cost: CallCost): CallCost {
    let whole = cost;
    for (const { price, found } of this.speech.values()) {
      whole = withOtherCost(whole, linesOfCost(price, found), price.factor);
    }
    return whole;
  }
}

const linesOfCost = ({ card }: CostPrice, found: Transcripts): Component[] => linesOfTranscripts(card, found);
