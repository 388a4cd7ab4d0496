import { secondsIn } from '../../shared/clock.js';

/** How a batch of a queue is executed, and how failures are handled. */
export interface BatchWork<Item> {
  /**
   * Executes all items in one transaction and resolves each item. Throws the database's error when nothing was
   * committed.
   */
  run(items: Item[]): Promise<void>;
  /**
   * Called when the database was unreachable, or became so during the batch. It is unknown whether the batch was
   * committed.
   */
  unavailable(items: Item[], error: unknown): Promise<void>;
  /** Called when the database refuses this item for its content. */
  refused(item: Item, error: unknown): void;
}

interface Histogram {
  observe(value: number): void;
}

/** Metrics of the committed batches of a queue. */
export interface GroupCommitMetrics {
  readonly ledgerBatchSize: Histogram;
  readonly ledgerBatchSeconds: Histogram;
}

const maxBatch = 256;
const maxConflictRetries = 5;

/**
 * Group commit: while one batch is being committed, the next one collects items. There is no timer, so an idle node
 * adds no delay, and batches grow with the load. A batch that the database refuses for its content is retried item by
 * item, so that one invalid row does not affect the others.
 */
export class BatchQueue<Item> {
  private waiting: Item[] = [];
  private running = false;
  private idle: Array<() => void> = [];

  constructor(
    private readonly work: BatchWork<Item>,
    private readonly metrics?: GroupCommitMetrics,
  ) {}

  /** Queues an item. Its result arrives through the callbacks of `BatchWork`. */
  add(item: Item): void {
    this.waiting.push(item);
    if (this.running) return;
    this.running = true;
    // The batch starts after this round of I/O callbacks, so that calls that arrived together share it.
    setImmediate(() => void this.drive());
  }

  /** Resolves when no item is queued or being committed. */
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
      this.metrics?.ledgerBatchSize.observe(batch.length);
      this.metrics?.ledgerBatchSeconds.observe(secondsIn(performance.now() - started));
    } catch (error) {
      if (isUnavailable(error)) await this.work.unavailable(batch, error);
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

/** Whether the error is a serialization failure or deadlock: retrying the same batch may succeed. */
export function isConflict(error: unknown): boolean {
  const code = sqlState(error);
  return code === '40001' || code === '40P01';
}

/**
 * Whether the server did not respond, is shutting down or is out of resources. It is then unknown whether the batch was
 * committed.
 */
export function isUnavailable(error: unknown): boolean {
  const code = sqlState(error);
  if (code === null) return true;
  // 08 connection, 53 resources (too many connections, disk full), 57 operator (shutdown, statement timeout), 58
  // system, 25006 read-only, XX000 internal
  return /^(08|53|57|58)/.test(code) || code === '25006' || code === 'XX000';
}

/** Returns the SQLSTATE of a database error; null for other errors, such as ECONNREFUSED, which also have a `code`. */
export function sqlState(error: unknown): string | null {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code) ? code : null;
}
