import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Repository } from 'typeorm';
import type { SharedState } from '../../cache/shared-state.js';
import { providerOf } from '../../relay/providers/providers.js';
import { requirePermission, type Actor, type MaybeActor } from '../../shared/actor.js';
import { ConflictError, isAppError } from '../../shared/errors.js';
import type { OptionValues } from '../options/option.service.js';
import type { ChannelBalanceService } from './channel-balance.service.js';
import { untestable, type ChannelTestResult, type ChannelTestService } from './channel-test.service.js';
import { ChannelStatus, type Channel } from './channel.entity.js';
import type { ChannelService } from './channel.service.js';

export interface ChannelRoundsDeps {
  readonly channels: Repository<Channel>;
  readonly service: Pick<ChannelService, 'disableAutomatically' | 'enableAutomatically'>;
  readonly tests: Pick<ChannelTestService, 'test'>;
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

type Row = Pick<Channel, 'id' | 'type' | 'status' | 'autoBan'>;

const leaseSeconds = 60;
const renewMilliseconds = 20_000;

/** Tests and balance updates of all channels, one after another, on one node at a time. */
export class ChannelRounds {
  private readonly running = new Set<Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(private readonly deps: ChannelRoundsDeps) {}

  /**
   * Starts in the background.
   * @param notifies whether to notify the super admin at the end: true for tests a user started, false for scheduled ones
   * @throws AppError CONFLICT while one is running on any node
   */
  async startTests(actor: MaybeActor, notifies = true): Promise<void> {
    const admin = requirePermission(actor, 'channels.write');
    let failed = 0;
    const visit = async (row: Row): Promise<void> => {
      if (!(await this.test(admin, row))) failed += 1;
    };
    const ended = notifies ? (count: number): void => this.notifyEnd(count, failed) : undefined;
    await this.start('channel-tests', 'A test is already running', visit, ended);
  }

  /**
   * Starts in the background: updates the balance of enabled channels whose type has a balance API.
   * @throws AppError CONFLICT
   */
  async startBalances(actor: MaybeActor): Promise<void> {
    const admin = requirePermission(actor, 'channels.write');
    await this.start('channel-balances', 'An update is already running', (row) => this.refresh(admin, row));
  }

  /** Resolves when no round is running on this node. */
  async idle(): Promise<void> {
    await Promise.all(this.running);
  }

  /** Ends after the current channel. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.idle();
  }

  private async start(
    name: string,
    busy: string,
    visit: (row: Row) => Promise<void>,
    ended?: (count: number) => void,
  ): Promise<void> {
    const { state, nodeId, logger } = this.deps;
    const owner = `${nodeId}:${randomUUID()}`;
    if (!(await state.lease(name, owner, leaseSeconds))) throw new ConflictError(busy);
    const lost = new AbortController();
    // Continues while the shared state is unavailable: the lease outlasts two failed renewals.
    const renew = async (): Promise<void> => {
      if (!(await state.lease(name, owner, leaseSeconds).catch(() => true))) lost.abort();
    };
    const renewal = setInterval(() => void renew(), renewMilliseconds);
    const round = this.visitAll(visit, lost.signal)
      .then((count) => {
        logger.info({ round: name, channels: count }, 'channel round ended');
        ended?.(count);
      })
      .catch((error: unknown) => logger.warn({ err: error, round: name }, 'channel round aborted'))
      .finally(async () => {
        clearInterval(renewal);
        await state.release(name, owner).catch(() => undefined);
        this.running.delete(round);
      });
    this.running.add(round);
  }

  private notifyEnd(count: number, failed: number): void {
    const content = 'All channels were tested: {{value}}, failed: {{value}}';
    this.deps.notices.notifyRoot({
      ...{ type: 'channel_test', title: 'The channel test is complete', content },
      values: [String(count), String(failed)],
    });
  }

  /** @param lost aborted when another node may have started the same round */
  private async visitAll(visit: (row: Row) => Promise<void>, lost: AbortSignal): Promise<number> {
    const { channels, pause, logger } = this.deps;
    const select = { id: true, type: true, status: true, autoBan: true } as const;
    const rows = await channels.find({ select, order: { id: 'ASC' } });
    for (const row of rows) {
      if (this.stopping.signal.aborted) break;
      if (lost.aborted) throw new Error('the lease of this round was lost');
      // An unexpected failure of one channel must not stop the round.
      await visit(row).catch((error: unknown) => {
        if (!isAppError(error)) logger.warn({ err: error, channelId: row.id }, 'channel failed in a round');
      });
      const signal = AbortSignal.any([this.stopping.signal, lost]);
      if (pause > 0) await sleep(pause, undefined, { signal }).catch(() => undefined);
    }
    return rows.length;
  }

  /** @returns whether the channel passed or cannot be tested */
  private async test(admin: Actor, row: Row): Promise<boolean> {
    if (untestable.includes(row.type)) return true;
    const { service, tests, options } = this.deps;
    const result = await tests.test(admin, row.id, undefined, { retires: true });
    const reason = this.reasonToDisable(result);
    if (reason !== null) {
      if (options.values.AutomaticDisableChannelEnabled) await service.disableAutomatically(row.id, reason);
    } else if (
      result.success &&
      row.status === ChannelStatus.autoDisabled &&
      options.values.AutomaticEnableChannelEnabled
    ) {
      await service.enableAutomatically(row.id, 'passed the test');
    }
    return result.success;
  }

  /** A network error alone is no reason, however long it took. */
  private reasonToDisable({ refused, unreachable, message, seconds }: ChannelTestResult): string | null {
    if (refused) return message;
    const limit = this.deps.options.values.ChannelDisableThreshold;
    return !unreachable && limit > 0 && seconds > limit
      ? `response time ${seconds.toFixed(2)}s exceeds ${limit.toFixed(2)}s`
      : null;
  }

  private async refresh(admin: Actor, row: Row): Promise<void> {
    if (row.status !== ChannelStatus.enabled || !providerOf(row.type).balance) return;
    const { balances, options, service } = this.deps;
    const balance = await balances.update(admin, row.id);
    if (balance > 0 || !options.values.AutomaticDisableChannelEnabled) return;
    // The stored balance is that of the first key only.
    const exhausted = await balances.exhausted(admin, row.id);
    if (exhausted) await service.disableAutomatically(row.id, 'insufficient balance', exhausted);
  }
}
