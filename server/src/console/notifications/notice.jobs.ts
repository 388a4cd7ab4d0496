import type { NoticeOutbox } from './notice-outbox.js';

const milliseconds = 5_000;

/** Retries undelivered notices, at start and every few seconds. */
export class NoticeClock {
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> | null = null;

  constructor(private readonly outbox: Pick<NoticeOutbox, 'round'>) {}

  start(): void {
    this.timer = setInterval(() => this.tick(), milliseconds);
    this.timer.unref();
    this.tick();
  }

  /** Running deliveries are awaited by the outbox. */
  stop(): void {
    if (this.timer) clearInterval(this.timer);
  }

  /** Starts no second round while one is running. */
  private tick(): void {
    this.running ??= this.outbox.round().finally(() => (this.running = null));
  }
}
