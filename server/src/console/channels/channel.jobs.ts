import type { DataSource } from 'typeorm';
import type { SharedState } from '../../platform/cache/shared-state.js';
import { isAppError } from '../../shared/errors.js';
import type { Actor } from '../../shared/actor.js';
import { findRoot } from '../users/index.js';
import type { ChannelSchedules } from './channel-schedules.js';

export interface ChannelClockDeps {
  readonly database: Pick<DataSource, 'query'>;
  readonly schedules: ChannelSchedules;
  readonly state: Pick<SharedState, 'once'>;
  /** Minutes between schedules; 0 means never. */
  readonly testMinutes: number;
  readonly balanceMinutes: number;
  readonly logger: { warn(details: object, message: string): void };
}

const tick = 15_000;

/** Scheduled tests and balance updates. One node starts each run: the first one to mark the period. */
export class ChannelClock {
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(private readonly deps: ChannelClockDeps) {}

  /** The first run starts after one period, because a restart gives no reason to test. */
  async start(): Promise<void> {
    const { schedules, testMinutes, balanceMinutes } = this.deps;
    await this.every(testMinutes, 'channel-tests', (root) => schedules.startTests(root, false));
    await this.every(balanceMinutes, 'channel-balances', (root) => schedules.startBalances(root));
  }

  stop(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  private async every(minutes: number, name: string, begin: (root: Actor) => Promise<void>): Promise<void> {
    if (minutes === 0) return;
    const { state, logger } = this.deps;
    const isDue = (): Promise<boolean> => state.once(`period:${name}`, minutes * 60);
    await isDue().catch(() => false);
    const run = async (): Promise<void> => {
      if (!(await isDue())) return;
      const root = await findRoot(this.deps.database);
      if (root) await begin(root);
    };
    const timer = setInterval(() => {
      run().catch((error: unknown) => {
        // A run is running already, so there is nothing to start.
        if (!isAppError(error)) logger.warn({ err: error, name }, 'channel run did not start');
      });
    }, tick);
    this.timers.push(timer.unref());
  }
}
