import { costNotes, costOfUsage, type CostNotes, type CostPrice } from '../../modules/pricing/channel-cost.service.js';
import { noAudio, sumOf, usageOf, type ChargedAudio } from './session-price.js';

/** The cost of a session: each turn the difference to the cost of all turns before, as it is charged. */
export class SessionCost {
  private total = noAudio;
  private known = 0;
  private found: CostNotes = {};

  /** @param price null: unknown */
  constructor(private readonly price: CostPrice | null) {}

  /** The cost of this turn in USD. */
  add(turn: ChargedAudio): number | undefined {
    if (!this.price) return undefined;
    this.total = sumOf(this.total, turn);
    const whole = costOfUsage(this.price, usageOf(this.total), null);
    this.found = costNotes(whole, null);
    const before = this.known;
    this.known = whole.usd;
    return Math.max(0, Math.round((whole.usd - before) * 1e9) / 1e9);
  }

  /** Of all turns so far, for the log row's `admin_info`. */
  get notes(): CostNotes {
    return this.found;
  }
}
