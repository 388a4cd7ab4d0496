import type { Logger } from './observability/logger.js';

interface Step {
  readonly name: string;
  readonly run: () => Promise<void> | void;
}

/** What has to be undone at the end, last opened first. A step that fails is told and does not keep the others from running. */
export class Shutdown {
  private readonly steps: Step[] = [];
  private running: Promise<void> | undefined;

  constructor(private readonly logger: Logger) {}

  /** Called where a thing is opened, so that nothing opened is forgotten. */
  onStop(name: string, run: () => Promise<void> | void): void {
    this.steps.push({ name, run });
  }

  /** Any number of callers wait for the one stop. */
  stop(): Promise<void> {
    this.running ??= this.runAll();
    return this.running;
  }

  private async runAll(): Promise<void> {
    for (let step = this.steps.pop(); step; step = this.steps.pop()) {
      try {
        await step.run();
      } catch (error) {
        this.logger.error({ err: error, step: step.name }, 'a part did not stop cleanly');
      }
    }
  }
}
