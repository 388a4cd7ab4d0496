import type { NoticeOutbox } from './notice-outbox.js';

const milliseconds = 5_000;

/** Retries undelivered notices, at start and every few seconds. */
export class NoticeClock {
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> | null = null;

  constructor(private readonly outbox: Pick<NoticeOutbox, 'run'>) {}

  start(): void {
    this.timer = setInterval(() => this.tick(), milliseconds);
    this.timer.unref();
    this.tick();
  }

  /** Stops the timer. The outbox awaits running deliveries. */
  stop(): void {
    if (this.timer) clearInterval(this.timer);
  }

  /** Starts a run, unless one is in progress. */
  private tick(): void {
    this.running ??= this.outbox.run().finally(() => (this.running = null));
  }
}
