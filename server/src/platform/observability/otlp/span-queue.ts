/** Waiting items, at most `max`: a new one takes the place of the oldest. */
export class DropOldestQueue<Item> {
  private readonly items: Array<Item | undefined>;
  private first = 0;
  private count = 0;
  private droppedCount = 0;

  constructor(readonly max: number) {
    this.items = new Array<Item | undefined>(max);
  }

  get size(): number {
    return this.count;
  }

  /** Items that were dropped since the last call. */
  takeDropped(): number {
    const { droppedCount } = this;
    this.droppedCount = 0;
    return droppedCount;
  }

  /** Replaces the oldest item when the queue is full. */
  add(item: Item): void {
    if (this.count === this.max) {
      this.items[this.first] = item;
      this.first = (this.first + 1) % this.max;
      this.droppedCount++;
      return;
    }
    this.items[(this.first + this.count) % this.max] = item;
    this.count++;
  }

  /** Removes up to `most` of the oldest items. */
  take(most: number): Item[] {
    const taken: Item[] = [];
    while (taken.length < most && this.count > 0) {
      const item = this.items[this.first];
      this.items[this.first] = undefined;
      this.first = (this.first + 1) % this.max;
      this.count--;
      if (item !== undefined) taken.push(item);
    }
    return taken;
  }

  /** Puts taken items back in front. Where others have taken their place meanwhile, the oldest are dropped. */
  putBack(items: readonly Item[]): void {
    for (let at = items.length - 1; at >= 0; at--) {
      if (this.count === this.max) {
        this.droppedCount += at + 1;
        return;
      }
      this.first = (this.first + this.max - 1) % this.max;
      this.items[this.first] = items[at];
      this.count++;
    }
  }
}
