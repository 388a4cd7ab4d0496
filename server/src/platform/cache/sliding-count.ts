/** An amount that is to be added to a count over a window of seconds. */
export interface CountClaim {
  /** Unix second of the claim, by the clock of the node. */
  readonly second: number;
  /** Length of the window in seconds. */
  readonly window: number;
  /** The amount; 0 only reads. */
  readonly amount: number;
  readonly limit: number;
  /** Whether an amount above a limit of 1 or more may be the only one of its window. */
  readonly alone: boolean;
}

/** The count after a claim. */
export interface WindowCount {
  /** Whether the amount was added. */
  readonly admitted: boolean;
  /** The sum of the window, with the amount if it was added. */
  readonly sum: number;
  /** The Unix second to which the amount was added, or else the last second with use. */
  readonly second: number;
  /** The Unix second from which the amount fits; 0 if it was added. */
  readonly freeAt: number;
}

/**
 * A count over a window of seconds, in the memory of one process. It has one number for each second. Use counts until
 * its whole second has left the window: no window of that length ever has more than the limit, and use counts for at
 * most one second longer. The Redis scripts `tollgateCount` and `tollgateRecount` do the same.
 */
export class SlidingCount {
  private readonly bySecond = new Map<number, number>();
  private sum = 0;
  private first = 0;
  private last = 0;

  /** Adds the amount to a Unix second if the sum of the window (in seconds) stays within the limit. */
  claim({ second, window, amount, limit, alone }: CountClaim): WindowCount {
    // The count is outdated, or it was written while the clock was ahead by more than a window.
    if (Math.abs(second - this.last) > window) this.clear(second);
    this.leave(second - window);
    const fits = (sum: number): boolean => sum + amount <= limit || (alone && sum <= 0 && limit > 0);
    if (amount <= 0 || fits(this.sum)) {
      const at = Math.max(second, this.last);
      if (amount !== 0) {
        this.last = at;
        this.add(at, amount);
      }
      return { admitted: true, sum: this.sum, second: at, freeAt: 0 };
    }
    let rest = this.sum;
    for (let at = this.first; at <= this.last; at++) {
      rest -= this.bySecond.get(at) ?? 0;
      if (fits(rest)) return { admitted: false, sum: this.sum, second: this.last, freeAt: at + window + 1 };
    }
    return { admitted: false, sum: this.sum, second: this.last, freeAt: second + window + 1 };
  }

  /** Changes the amount of a second. It has no effect if that second is no longer in a window. */
  correct(second: number, amount: number): void {
    if (second >= this.first && second <= this.last) this.add(second, amount);
  }

  private add(second: number, amount: number): void {
    this.bySecond.set(second, (this.bySecond.get(second) ?? 0) + amount);
    this.sum += amount;
  }

  private leave(before: number): void {
    for (; this.first < before; this.first++) {
      this.sum -= this.bySecond.get(this.first) ?? 0;
      this.bySecond.delete(this.first);
    }
  }

  private clear(second: number): void {
    this.bySecond.clear();
    this.sum = 0;
    this.first = second;
    this.last = second;
  }
}
