/** A queue of at most `max` items. A new item replaces the oldest one if the queue is full. */
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

  /** Returns the number of items that were dropped since the last call. */
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

  /** Returns taken items to the front. If new items have filled the queue meanwhile, the oldest ones are dropped. */
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
