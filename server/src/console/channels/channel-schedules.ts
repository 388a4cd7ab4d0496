import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Repository } from 'typeorm';
import type { SharedState } from '../../platform/cache/shared-state.js';
import { providerOf } from '../../dialects/makers/providers.js';
import { requirePermission, type Actor, type MaybeActor } from '../../shared/actor.js';
import { secondsIn } from '../../shared/clock.js';
import { ConflictError, isAppError } from '../../shared/errors.js';
import type { OptionValues } from '../../options/option.service.js';
import type { ChannelBalanceService } from './channel-balance.service.js';
import type { ChannelGuard } from './channel-guard.js';
import type { ChannelTestRun, ChannelTestRuns, TestOutcome } from './channel-test-runs.js';
import { untestable, type ChannelTestResult, type ChannelTestService } from './channel-test.service.js';
import type { Channel } from './channel.entity.js';

export interface ChannelSchedulesDeps {
  readonly channels: Repository<Channel>;
  readonly guard: Pick<ChannelGuard, 'disableAutomatically' | 'enableAutomatically'>;
  readonly tests: Pick<ChannelTestService, 'test'>;
  /** Stores the counts of tests that a user started. */
  readonly runs: Pick<ChannelTestRuns, 'keep'>;
  readonly balances: Pick<ChannelBalanceService, 'update' | 'exhausted'>;
  readonly state: Pick<SharedState, 'lease' | 'release'>;
  readonly options: { readonly values: OptionValues };
  /** Notified of the end of a test that a user started. */
  readonly notices: {
    notifyRoot(notice: { type: string; title: string; content: string; values?: readonly string[] }): void;
  };
  readonly nodeId: string;
  /** POLLING_INTERVAL in milliseconds: the pause between two channels. */
  readonly pause: number;
  readonly logger: { info(details: object, message: string): void; warn(details: object, message: string): void };
}

type Row = Pick<Channel, 'id' | 'type' | 'status' | 'autoDisable'>;

interface Run {
  /** Name of the run's lease. */
  readonly name: string;
  /** The message of the CONFLICT while such a run is in progress. */
  readonly busy: string;
  visit(row: Row): Promise<void>;
  /** Called before the first channel, with the number of channels. */
  began?(count: number): Promise<void>;
  /** Called after each renewal of the lease. */
  renewed?(): Promise<void>;
  ended?(): Promise<void>;
}

const leaseSeconds = 60;
const renewMilliseconds = 20_000;

/** Tests and balance updates of all channels, one after another, on one node at a time. */
export class ChannelSchedules {
  private readonly running = new Set<Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(private readonly deps: ChannelSchedulesDeps) {}

  /**
   * Starts the tests in the background.
   * @param notifies whether to store the counts, and to notify the super admin at the end: true for tests that a user
   * started, false for scheduled ones
   * @throws AppError CONFLICT while one is running on any node
   */
  async startTests(actor: MaybeActor, notifies = true): Promise<void> {
    const admin = requirePermission(actor, 'channels.write');
    let run: ChannelTestRun = { startedAt: new Date(), endedAt: null, total: 0, passed: 0, failed: 0, skipped: 0 };
    const keep = async (changes: Partial<ChannelTestRun>): Promise<void> => {
      run = { ...run, ...changes };
      if (notifies) await this.deps.runs.keep(run);
    };
    await this.start({
      name: 'channel-tests',
      busy: 'A test is already running',
      began: (total) => keep({ total }),
      renewed: () => keep({}),
      visit: async (row) => {
        let outcome: TestOutcome = 'skipped';
        try {
          outcome = await this.test(admin, row);
        } finally {
          await keep({ [outcome]: run[outcome] + 1 });
        }
      },
      ended: async () => {
        // A stopping server skips the last channels.
        await keep({ endedAt: new Date(), skipped: run.total - run.passed - run.failed });
        if (notifies) this.notifyEnd(run);
      },
    });
  }

  /**
   * Starts the balance updates of enabled channels whose type has a balance API, in the background.
   * @throws AppError CONFLICT
   */
  async startBalances(actor: MaybeActor): Promise<void> {
    const admin = requirePermission(actor, 'channels.write');
    const visit = (row: Row): Promise<void> => this.refresh(admin, row);
    await this.start({ name: 'channel-balances', busy: 'An update is already running', visit });
  }

  /** Resolves when no scheduled run is under way on this node. */
  async idle(): Promise<void> {
    await Promise.all(this.running);
  }

  /** Ends the run after the current channel. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.idle();
  }

  private async start(run: Run): Promise<void> {
    const { channels, state, nodeId, logger } = this.deps;
    const { name } = run;
    const select = { id: true, type: true, status: true, autoDisable: true } as const;
    const rows = await channels.find({ select, order: { id: 'ASC' } });
    const owner = `${nodeId}:${randomUUID()}`;
    if (!(await state.lease(name, owner, leaseSeconds))) throw new ConflictError(run.busy);
    await run.began?.(rows.length);
    const lost = new AbortController();
    // Continues while the shared state is unavailable: the lease outlasts two failed renewals.
    const renew = async (): Promise<void> => {
      if (await state.lease(name, owner, leaseSeconds).catch(() => true)) await run.renewed?.();
      else lost.abort();
    };
    const renewal = setInterval(() => void renew(), renewMilliseconds);
    const running = this.visitAll(rows, run, lost.signal)
      .then(async () => {
        logger.info({ run: name, channels: rows.length }, 'channel run ended');
        await run.ended?.();
      })
      .catch((error: unknown) => logger.warn({ err: error, run: name }, 'channel run aborted'))
      .finally(async () => {
        clearInterval(renewal);
        await state.release(name, owner).catch(() => undefined);
        this.running.delete(running);
      });
    this.running.add(running);
  }

  private notifyEnd({ total, failed }: ChannelTestRun): void {
    const content = 'All channels were tested: {{value}}, failed: {{value}}';
    this.deps.notices.notifyRoot({
      type: 'channel_test',
      title: 'The channel test is complete',
      content,
      values: [String(total), String(failed)],
    });
  }

  /** @param lost aborted when another node may have started the same run */
  private async visitAll(rows: readonly Row[], run: Run, lost: AbortSignal): Promise<void> {
    const { pause, logger } = this.deps;
    for (const row of rows) {
      if (this.stopping.signal.aborted) break;
      if (lost.aborted) throw new Error('the lease of this run was lost');
      // An unexpected failure of one channel must not stop the run.
      await run.visit(row).catch((error: unknown) => {
        if (!isAppError(error)) logger.warn({ err: error, channelId: row.id }, 'channel failed in a run');
      });
      const signal = AbortSignal.any([this.stopping.signal, lost]);
      if (pause > 0) await sleep(pause, undefined, { signal }).catch(() => undefined);
    }
  }

  private async test(admin: Actor, row: Row): Promise<TestOutcome> {
    if (untestable.includes(row.type)) return 'skipped';
    const { guard, tests, options } = this.deps;
    const result = await tests.test(admin, row.id, undefined, { retires: true });
    const reason = this.reasonToDisable(result);
    if (reason !== null) {
      if (options.values.AutomaticDisableChannelEnabled) await guard.disableAutomatically(row.id, reason);
    } else if (result.success && row.status === 'autoDisabled' && options.values.AutomaticEnableChannelEnabled) {
      await guard.enableAutomatically(row.id, 'passed the test');
    }
    return result.success ? 'passed' : 'failed';
  }

  /**
   * Returns the reason to disable a channel, if there is one. A network error alone is no reason, whatever its
   * duration.
   */
  private reasonToDisable({ refused, unreachable, message, milliseconds }: ChannelTestResult): string | null {
    if (refused) return message;
    const limit = this.deps.options.values.ChannelDisableThreshold;
    const seconds = secondsIn(milliseconds);
    return !unreachable && limit > 0 && seconds > limit
      ? `response time ${seconds.toFixed(2)}s exceeds ${limit.toFixed(2)}s`
      : null;
  }

  private async refresh(admin: Actor, row: Row): Promise<void> {
    if (row.status !== 'enabled' || !providerOf(row.type).balance) return;
    const { balances, options, guard } = this.deps;
    const balance = await balances.update(admin, row.id);
    if (balance > 0 || !options.values.AutomaticDisableChannelEnabled) return;
    // The channel stores the balance of its first key only, so all keys are read.
    const exhausted = await balances.exhausted(admin, row.id);
    if (exhausted) await guard.disableAutomatically(row.id, 'insufficient balance', exhausted);
  }
}
