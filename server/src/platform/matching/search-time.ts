/** Milliseconds that a call has at first, and at most at any time. No search lasts longer. */
const full = 1000;
/** Milliseconds that each checked character gives back: 6.4 for a window of a stream. */
const perCharacter = 0.1;

/**
 * The time that one call has for searching, over all rules, patterns and texts. What a call checks gives time back, so that
 * a long stream is never cut for its length, while a slow pattern soon has no time left.
 */
export class SearchTime {
  private milliseconds = full;

  get left(): number {
    return this.milliseconds;
  }

  /** Below a millisecond nothing is searched. */
  get isOver(): boolean {
    return this.milliseconds < 1;
  }

  spend(milliseconds: number): void {
    this.milliseconds -= milliseconds;
  }

  /** Texts of the call are about to be checked, by however many rules. */
  earn(texts: readonly string[]): void {
    let characters = 0;
    for (const text of texts) characters += text.length;
    this.milliseconds = Math.min(full, Math.max(0, this.milliseconds) + characters * perCharacter);
  }
}
