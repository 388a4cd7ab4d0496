import type { Logger } from 'pino';
import { ScheduledJob } from '../../shared/scheduled-runs.js';
import type { CardRenewals } from './card-renewals.js';

export interface CardRenewalJobDeps {
  readonly renewals: Pick<CardRenewals, 'claim' | 'charge'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Charges the cards of plans that have ended. Every node runs it: each order is claimed by one. */
export class CardRenewalJob extends ScheduledJob<CardRenewalJobDeps> {
  protected readonly interval = 2_000;
  protected readonly failure = 'saved cards could not be charged';
  protected override readonly runsAtStart = false;
  /** Aborted by `stop`. An order whose charge was aborted is claimed again. */
  private readonly ending = new AbortController();

  override stop(): Promise<void> {
    this.ending.abort();
    return super.stop();
  }

  protected async work(): Promise<void> {
    const { signal } = this.ending;
    while (!signal.aborted) {
      const id = await this.deps.renewals.claim();
      if (id === null) return;
      await this.deps.renewals.charge(id, signal);
    }
  }
}
