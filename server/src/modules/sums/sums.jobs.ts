import type { SharedState } from '../../cache/shared-state.js';
import type { SumFolding } from './sum-folding.service.js';

const roundMilliseconds = 10_000;
const leaseSeconds = 60;

interface FoldingParts {
  readonly folding: Pick<SumFolding, 'step'>;
  /** What providers said that calls cost. */
  readonly foldCosts: () => Promise<void>;
  readonly state: Pick<SharedState, 'lease'>;
  readonly nodeId: string;
  readonly logger: { info(details: object, message: string): void; warn(details: object, message: string): void };
}

/** Folds what is over, on one node by lease; two at once would wait for each other and do nothing twice. */
export class SumClock {
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(private readonly parts: FoldingParts) {}

  start(): void {
    const round = (): void => {
      this.running = this.running.then(() => this.round());
    };
    this.timer = setInterval(round, roundMilliseconds);
    this.timer.unref();
    round();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    if (this.timer) clearInterval(this.timer);
    await this.running;
  }

  /** Never throws: the next round goes on where this one ended. */
  private async round(): Promise<void> {
    const { folding, foldCosts, state, nodeId, logger } = this.parts;
    try {
      while (!this.isStopped && (await state.lease('sums', nodeId, leaseSeconds))) {
        const blocks = await folding.step();
        if (blocks === 0) {
          await foldCosts();
          return;
        }
        if (blocks > 1) logger.info({ blocks }, 'hours or minutes were folded into the sums');
      }
    } catch (error) {
      logger.warn({ err: error }, 'the sums could not be folded');
    }
  }
}
