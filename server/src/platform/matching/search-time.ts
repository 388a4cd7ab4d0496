/** Milliseconds that a call has initially, which are also its maximum. No search lasts longer. */
const full = 1000;
/** Milliseconds that each checked character returns: 6.4 for a window of a stream. */
const perCharacter = 0.1;

/**
 * The time that one call has for searching, over all rules, patterns and texts. Each checked text returns some time, so
 * that a long stream is never cut because of its length, while a slow pattern soon has no time left.
 */
export class SearchTime {
  private milliseconds = full;

  get left(): number {
    return this.milliseconds;
  }

  /** Whether the time is used up. With less than a millisecond nothing is searched. */
  get isOver(): boolean {
    return this.milliseconds < 1;
  }

  spend(milliseconds: number): void {
    this.milliseconds -= milliseconds;
  }

  /** Returns time for texts that are about to be checked, regardless of the number of rules. */
  earn(texts: readonly string[]): void {
    let characters = 0;
    for (const text of texts) characters += text.length;
    this.milliseconds = Math.min(full, Math.max(0, this.milliseconds) + characters * perCharacter);
  }
}
