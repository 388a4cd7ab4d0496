import {
  costNotes,
  costOfUsage,
  withOtherCost,
  type CallCost,
  type CostNotes,
  type CostPrice,
} from '../../billing/prices/channel-cost.service.js';
import { linesOfTranscripts, type Component, type Transcripts } from '../../billing/prices/price-book.service.js';
import { noAudio, sumOf, sumOfTranscripts, usageOf, type ChargedAudio } from './session-price.js';

/** Finds the cost of a model on the channel. */
type FindCost = (model: string) => CostPrice | null;

/** The cost of a session: each turn the difference to the cost of all turns before, as it is charged. */
export class SessionCost {
  private total = noAudio;
  private known = 0;
  private found: CostNotes = {};
  private readonly speech = new Map<string, { readonly price: CostPrice; found: Transcripts }>();

  /**
   * @param price null: unknown
   * @param costOf for models that write down the speech of the client
   */
  constructor(
    private readonly price: CostPrice | null,
    private readonly costOf: FindCost = () => null,
  ) {}

  /** Counts speech that another model wrote down. Its cost is part of the next turn. */
  addTranscript(model: string, transcript: Transcripts): void {
    const known = this.speech.get(model);
    if (known) known.found = sumOfTranscripts(known.found, transcript);
    else {
      const price = this.costOf(model);
      if (price) this.speech.set(model, { price, found: transcript });
    }
  }

  /** The cost of this turn in USD. */
  add(turn: ChargedAudio): number | undefined {
    if (!this.price) return undefined;
    this.total = sumOf(this.total, turn);
    const whole = this.withSpeech(costOfUsage(this.price, usageOf(this.total), null));
    this.found = costNotes(whole, null);
    const before = this.known;
    this.known = whole.usd;
    return Math.max(0, Math.round((whole.usd - before) * 1e9) / 1e9);
  }

  /** Of all turns so far, for the log row's `admin_info`. */
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
