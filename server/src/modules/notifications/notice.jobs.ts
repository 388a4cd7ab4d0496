import type { NoticeOutbox } from './notice-outbox.service.js';

const milliseconds = 5_000;

/** Looks for notices that nobody is taking care of: at the start, and every few seconds. */
export class NoticeClock {
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> | null = null;

  constructor(private readonly outbox: Pick<NoticeOutbox, 'round'>) {}

  start(): void {
    this.timer = setInterval(() => this.tick(), milliseconds);
    this.timer.unref();
    this.tick();
  }

  /** What is under way is the outbox's to wait for. */
  stop(): void {
    if (this.timer) clearInterval(this.timer);
  }

  /** A round that takes longer than the pause is not overtaken by the next. */
  private tick(): void {
    this.running ??= this.outbox.round().finally(() => (this.running = null));
  }
}
