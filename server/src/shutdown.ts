import type { Logger } from './platform/observability/logger.js';

interface Step {
  readonly name: string;
  readonly run: () => Promise<void> | void;
}

/** Shutdown hooks, run in reverse order of registration. A failed hook is logged and does not prevent the others. */
export class Shutdown {
  private readonly steps: Step[] = [];
  private running: Promise<void> | undefined;

  constructor(private readonly logger: Logger) {}

  /** Call where a resource is opened, so that none is forgotten. */
  onStop(name: string, run: () => Promise<void> | void): void {
    this.steps.push({ name, run });
  }

  /** All callers wait for the same stop. */
  stop(): Promise<void> {
    this.running ??= this.runAll();
    return this.running;
  }

  private async runAll(): Promise<void> {
    for (let step = this.steps.pop(); step; step = this.steps.pop()) {
      try {
        await step.run();
      } catch (error) {
        this.logger.error({ err: error, step: step.name }, 'shutdown hook failed');
      }
    }
  }
}
