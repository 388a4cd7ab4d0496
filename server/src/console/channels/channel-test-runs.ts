import type { SharedState } from '../../platform/cache/shared-state.js';
import { requirePermission, type MaybeActor } from '../../shared/actor.js';

/** How a channel's test in a run ended; skipped: its type has no test, only a call with a price would test it, or it is gone. */
export type TestOutcome = 'passed' | 'failed' | 'skipped';

/** A test of all channels that a user started. */
export interface ChannelTestRun extends Readonly<Record<TestOutcome, number>> {
  readonly startedAt: Date;
  /** Null while it is running. */
  readonly endedAt: Date | null;
  /** Channels of the site at its start. */
  readonly total: number;
}

const key = 'channel-test-run';
/** A run is kept anew with each renewal of its lease, so that one whose node died is forgotten. */
const runningSeconds = 60;
const endedSeconds = 24 * 3600;

/** The last run, for every node. */
export class ChannelTestRuns {
  constructor(private readonly state: Pick<SharedState, 'get' | 'set'>) {}

  /** @returns null without a run, or a day after its end */
  async last(actor: MaybeActor): Promise<ChannelTestRun | null> {
    requirePermission(actor, 'channels.read');
    const text = await this.state.get(key);
    if (text === null) return null;
    const run = JSON.parse(text) as ChannelTestRun & { startedAt: string; endedAt: string | null };
    return { ...run, startedAt: new Date(run.startedAt), endedAt: run.endedAt === null ? null : new Date(run.endedAt) };
  }

  /** Never throws: a run continues while the shared state is unavailable. */
  async keep(run: ChannelTestRun): Promise<void> {
    const seconds = run.endedAt ? endedSeconds : runningSeconds;
    await this.state.set(key, JSON.stringify(run), seconds).catch(() => undefined);
  }
}
