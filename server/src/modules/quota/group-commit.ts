/** How a lane's work is done, and what happens when it cannot be. */
export interface LaneWork<Item> {
  /** One transaction for all of them; tells each item its result. Throws what the database said when nothing was done. */
  run(items: Item[]): Promise<void>;
  /** The database could not be reached, or went away meanwhile: whether the batch was committed is not known. */
  away(items: Item[], error: unknown): Promise<void>;
  /** The database will not take this one as it is. */
  refused(item: Item, error: unknown): void;
}

export interface GroupCommitMetrics {
  turn(size: number, milliseconds: number): void;
}

const maxBatch = 256;
const maxConflictRetries = 5;

/**
 * Group commit: while one batch is on its way to the database the next one gathers. There is no timer, so an idle node adds
 * no wait, and batches grow with the load. A batch that the database refuses for its data is tried again one by one, so
 * that one bad row harms nobody else.
 */
export class BatchQueue<Item> {
  private waiting: Item[] = [];
  private running = false;
  private idle: Array<() => void> = [];

  constructor(
    private readonly work: LaneWork<Item>,
    private readonly metrics?: GroupCommitMetrics,
  ) {}

  add(item: Item): void {
    this.waiting.push(item);
    if (this.running) return;
    this.running = true;
    // After this round of I/O callbacks, so that calls which arrived together start together.
    setImmediate(() => void this.drive());
  }

  /** Resolves when nothing is queued or on its way. */
  async drained(): Promise<void> {
    if (!this.running) return;
    await new Promise<void>((resolve) => this.idle.push(resolve));
  }

  private async drive(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.length <= maxBatch ? this.waiting : this.waiting.slice(0, maxBatch);
      this.waiting = this.waiting.slice(batch.length);
      await this.runBatch(batch);
    }
    this.running = false;
    for (const resolve of this.idle.splice(0)) resolve();
  }

  private async runBatch(batch: Item[]): Promise<void> {
    const started = performance.now();
    try {
      await this.runWithRetry(batch);
      this.metrics?.turn(batch.length, performance.now() - started);
    } catch (error) {
      if (isAway(error)) await this.work.away(batch, error);
      else if (batch.length === 1 && batch[0] !== undefined) this.work.refused(batch[0], error);
      else for (const item of batch) await this.runBatch([item]);
    }
  }

  private async runWithRetry(batch: Item[]): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        await this.work.run(batch);
        return;
      } catch (error) {
        if (!isConflict(error) || attempt >= maxConflictRetries) throw error;
      }
    }
  }
}

/** Serialization failure or deadlock: the same batch may work now. */
function isConflict(error: unknown): boolean {
  const code = sqlState(error);
  return code === '40001' || code === '40P01';
}

/** The server said nothing, or that it is going away or full: whether the batch was committed is not known. */
export function isAway(error: unknown): boolean {
  const code = sqlState(error);
  if (code === null) return true;
  // 08 connection, 53 resources (too many connections, disk full), 57 operator (shutdown, statement timeout), 58 system,
  // 25006 read-only, XX000 internal
  return /^(08|53|57|58)/.test(code) || code === '25006' || code === 'XX000';
}

/** The SQLSTATE of a database error; null for anything else, such as ECONNREFUSED, which also has a `code`. */
export function sqlState(error: unknown): string | null {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code) ? code : null;
}
