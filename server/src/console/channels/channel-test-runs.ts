import type { SharedState } from '../../platform/cache/shared-state.js';
import { requirePermission, type MaybeActor } from '../../shared/actor.js';

/**
 * The result of a channel's test in a run. A channel is skipped if its type has no test, if only a call with a price
 * would test it, or if it was deleted.
 */
export type TestOutcome = 'passed' | 'failed' | 'skipped';

/** A test of all channels that a user started. */
export interface ChannelTestRun extends Readonly<Record<TestOutcome, number>> {
  readonly startedAt: Date;
  /** The end of the run; null while it is running. */
  readonly endedAt: Date | null;
  /** Number of the site's channels at the start of the run. */
  readonly total: number;
}

const key = 'channel-test-run';
/**
 * Seconds for which a run is stored. Each renewal of its lease stores it again, so that a run whose node died is
 * forgotten.
 */
const runningSeconds = 60;
const endedSeconds = 24 * 3600;

/** Stores the last run, for every node. */
export class ChannelTestRuns {
  constructor(private readonly state: Pick<SharedState, 'get' | 'set'>) {}

  /**
   * Returns the last run.
   * @returns null if there is none, or a day after its end
   */
  async last(actor: MaybeActor): Promise<ChannelTestRun | null> {
    requirePermission(actor, 'channels.read');
    const text = await this.state.get(key);
    if (text === null) return null;
    const run = JSON.parse(text) as ChannelTestRun & { startedAt: string; endedAt: string | null };
    return { ...run, startedAt: new Date(run.startedAt), endedAt: run.endedAt === null ? null : new Date(run.endedAt) };
  }

  /** Stores a run. Never throws: the run continues while the shared state is unavailable. */
  async keep(run: ChannelTestRun): Promise<void> {
    const seconds = run.endedAt ? endedSeconds : runningSeconds;
    await this.state.set(key, JSON.stringify(run), seconds).catch(() => undefined);
  }
}
