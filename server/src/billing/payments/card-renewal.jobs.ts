import type { Logger } from 'pino';
import { ScheduledRuns } from '../../shared/scheduled-runs.js';
import type { CardRenewals } from './card-renewals.js';

export interface CardRenewalJobDeps {
  readonly renewals: Pick<CardRenewals, 'claim' | 'charge'>;
  readonly logger: Pick<Logger, 'warn'>;
}

const milliseconds = 2_000;

/** Charges the cards of plans that have ended. Every node runs it: each order is claimed by one. */
export class CardRenewalJob {
  /** Aborted by `stop`. An order whose charge was aborted is claimed again. */
  private readonly ending = new AbortController();
  private readonly runs = new ScheduledRuns(
    () => this.chargeAll(),
    (error) => this.deps.logger.warn({ err: error }, 'saved cards could not be charged'),
  );

  constructor(private readonly deps: CardRenewalJobDeps) {}

  start(): void {
    this.runs.every(milliseconds);
  }

  stop(): Promise<void> {
    this.ending.abort();
    return this.runs.stop();
  }

  private async chargeAll(): Promise<void> {
    const { signal } = this.ending;
    while (!signal.aborted) {
      const id = await this.deps.renewals.claim();
      if (id === null) return;
      await this.deps.renewals.charge(id, signal);
    }
  }
}
