/** Maximum number of items in one delivery. */
export const maxDelivered = 200;

/** Items delivered to a subscriber at once. */
export interface Delivery<Item> {
  readonly items: readonly Item[];
  /** Number of dropped items. The client must reload the list to see them. */
  readonly missed: number;
}

/**
 * A bounded buffer of one subscriber with at most `limit` items, even if the subscriber is slow. A later state replaces
 * the earlier state of the same object. If the buffer is full, the oldest item is dropped and counted.
 */
export class Mailbox<Item> implements AsyncIterableIterator<Delivery<Item>> {
  private items = new Map<unknown, Item>();
  private missed = 0;
  private closed = false;
  private wanting: ((result: IteratorResult<Delivery<Item>>) => void) | null = null;

  /**
   * @param keyOf identifies the thing of which an item is a state
   * @param onClose called once, when the subscriber has ended
   */
  constructor(
    private readonly limit: number,
    private readonly keyOf: (item: Item) => unknown,
    private readonly onClose: () => void,
  ) {}

  /**
   * Replaces items of the same key. The oldest beyond the limit are dropped and counted.
   * @param missed items dropped before
   */
  put(items: readonly Item[], missed = 0): void {
    if (this.closed || (items.length === 0 && missed === 0)) return;
    this.missed += missed;
    for (const item of items) {
      const key = this.keyOf(item);
      this.items.delete(key);
      this.items.set(key, item);
    }
    for (const key of this.items.keys()) {
      if (this.items.size <= this.limit) break;
      this.items.delete(key);
      this.missed++;
    }
    if (!this.wanting) return;
    const give = this.wanting;
    this.wanting = null;
    give({ done: false, value: this.take() });
  }

  /** Waits for the next items: all that arrived since the last call, in one delivery. */
  next(): Promise<IteratorResult<Delivery<Item>>> {
    if (this.closed) return Promise.resolve({ done: true, value: undefined });
    if (this.items.size > 0 || this.missed > 0) return Promise.resolve({ done: false, value: this.take() });
    return new Promise((resolve) => (this.wanting = resolve));
  }

  /** Ends the buffer and a pending read. Unread items are dropped. */
  return(): Promise<IteratorResult<Delivery<Item>>> {
    if (!this.closed) {
      this.closed = true;
      this.items.clear();
      this.wanting?.({ done: true, value: undefined });
      this.wanting = null;
      this.onClose();
    }
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private take(): Delivery<Item> {
    const delivery = { items: [...this.items.values()], missed: this.missed };
    this.items = new Map();
    this.missed = 0;
    return delivery;
  }
}
