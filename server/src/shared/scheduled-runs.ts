/** A job that repeats in the background, one round at a time. */
export class ScheduledRuns {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  /** The next round has been asked for and has not begun. */
  private isWaiting = false;
  private stopped = false;

  /**
   * @param round does the work once
   * @param report receives the error of a round that failed; the next round tries again
   */
  constructor(
    private readonly round: () => Promise<unknown>,
    private readonly report: (error: unknown) => void,
  ) {}

  /** A long round ends early when this is true. */
  get isStopped(): boolean {
    return this.stopped;
  }

  /** Asks for a round every so many milliseconds, without keeping the process alive. */
  every(milliseconds: number): void {
    this.timer = setInterval(() => void this.run(), milliseconds).unref();
  }

  /**
   * Asks for a round, which begins when the running one has ended. Requests before it begins share it.
   * @returns when that round has ended; never rejects
   */
  run(): Promise<void> {
    if (this.stopped || this.isWaiting) return this.running;
    this.isWaiting = true;
    this.running = this.running
      .then(async () => {
        this.isWaiting = false;
        if (!this.stopped) await this.round();
      })
      .catch(this.report);
    return this.running;
  }

  /** Begins no further round and waits for the running one. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.running;
  }
}
