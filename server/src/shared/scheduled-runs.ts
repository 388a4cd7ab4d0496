/** A job that repeats in the background, one run at a time. */
export class ScheduledRuns {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  /** Whether the next run was requested and has not begun. */
  private isWaiting = false;
  private stopped = false;

  /**
   * @param work does the work once
   * @param report receives the error of a failed run; the next run retries
   */
  constructor(
    private readonly work: () => Promise<unknown>,
    private readonly report: (error: unknown) => void,
  ) {}

  /** A long run ends early when this is true. */
  get isStopped(): boolean {
    return this.stopped;
  }

  /** Requests a run every so many milliseconds, without keeping the process alive. */
  every(milliseconds: number): void {
    this.timer = setInterval(() => void this.run(), milliseconds).unref();
  }

  /**
   * Requests a run, which begins when the running one has ended. Requests before it begins share it.
   * @returns a promise that resolves when that run has ended; never rejects
   */
  run(): Promise<void> {
    if (this.stopped || this.isWaiting) return this.running;
    this.isWaiting = true;
    this.running = this.running
      .then(async () => {
        this.isWaiting = false;
        if (!this.stopped) await this.work();
      })
      .catch(this.report);
    return this.running;
  }

  /** Begins no further run and waits for the running one. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.running;
  }
}

/** Work that the server repeats while it runs. */
export abstract class ScheduledJob<Deps extends { readonly logger: { warn(details: object, message: string): void } }> {
  protected readonly runs = new ScheduledRuns(
    () => this.work(),
    (error) => this.deps.logger.warn({ err: error }, this.failure),
  );
  /** Milliseconds from one run to the next. */
  protected abstract readonly interval: number;
  /** The text in the log when a run failed. */
  protected abstract readonly failure: string;
  protected readonly runsAtStart: boolean = true;

  constructor(protected readonly deps: Deps) {}

  protected abstract work(): Promise<unknown>;

  start(): void {
    this.runs.every(this.interval);
    if (this.runsAtStart) void this.runs.run();
  }

  /** Does the work once, after a running one. Never throws: the next run retries. */
  run(): Promise<void> {
    return this.runs.run();
  }

  /** Waits for a running one. */
  stop(): Promise<void> {
    return this.runs.stop();
  }
}
