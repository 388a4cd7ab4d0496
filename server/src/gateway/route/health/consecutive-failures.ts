/** Failures that make a cooldown. */
const enough = 3;
/** Milliseconds within which they count. */
const windowLength = 30_000;
/** Keys and models that are counted at a time. */
const maxCounted = 10_000;

/** Counts the failures of keys and models that have no success between them. */
export class ConsecutiveFailures {
  /** Times of failures, Unix milliseconds, by key and model. */
  private readonly times = new Map<string, number[]>();

  /** @param changed called after each change; `isEmpty`: whether no failure is counted */
  constructor(private readonly changed: (isEmpty: boolean) => void) {}

  /** @returns whether the recent failures are enough for a cooldown; they are forgotten then */
  add(key: string, now: number): boolean {
    const recent = (this.times.get(key) ?? []).filter((time) => time > now - windowLength);
    recent.push(now);
    if (recent.length >= enough) {
      this.forget(key);
      return true;
    }
    if (this.times.size >= maxCounted) this.times.clear();
    this.times.set(key, recent);
    this.changed(false);
    return false;
  }

  forget(key: string): void {
    this.times.delete(key);
    this.changed(this.times.size === 0);
  }

  prune(now: number): void {
    for (const [key, times] of this.times) if ((times.at(-1) ?? 0) + windowLength < now) this.forget(key);
  }
}
