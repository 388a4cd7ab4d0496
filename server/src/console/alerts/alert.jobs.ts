import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import type { Changes } from '../../platform/cache/changes.js';
import type { SharedState } from '../../platform/cache/shared-state.js';
import { ScheduledJob } from '../../shared/scheduled-runs.js';
import type { OptionValues } from '../../options/option.service.js';
import { findRoot } from '../users/index.js';
import type { AlertConditions, Found } from './alert-conditions.js';
import type { AlertStore, DueMessage } from './alert-store.js';
import type { AlertTargets } from './alert-targets.js';
import { noticeOf } from './alert-texts.js';
import { alertKinds, type AlertKind } from './alert.entity.js';

export interface AlertClockDeps {
  readonly database: Pick<DataSource, 'query'>;
  readonly conditions: AlertConditions;
  readonly store: AlertStore;
  readonly targets: Pick<AlertTargets, 'active' | 'send'>;
  readonly state: Pick<SharedState, 'lease' | 'release'>;
  readonly changes: Pick<Changes, 'on'>;
  readonly options: { readonly values: OptionValues };
  readonly nodeId: string;
  readonly logger: { warn(details: object, message: string): void };
}

/** Milliseconds. Changes of channels within this time are checked together. */
const settleMilliseconds = 500;
/** The intervals at which prices are compared with costs: the longest, and the shortest after a change of prices. */
const costMilliseconds = { longest: 60 * 60_000, shortest: 60_000 };
const leaseName = 'alerts';
const leaseSeconds = 300;
/** Seconds before the second and each later attempt to send a message. */
const pauses = [60, 300, 1800];

/** Checks the conditions of alerts every minute and after changes, on one node at a time, and sends messages. */
export class AlertClock extends ScheduledJob<AlertClockDeps> {
  protected readonly interval = 60_000;
  protected readonly failure = 'alerts could not be checked';
  protected override readonly runsAtStart = false;
  private soon: NodeJS.Timeout | undefined;
  private costsChanged = false;
  /** `performance.now()` of the last comparison with costs. */
  private costsAt = -Infinity;

  /** Finds what each kind is about. Null: the check is not due. */
  private readonly readers: Readonly<Record<AlertKind, () => Promise<Found | null>>> = {
    CHANNEL_DISABLED: () => this.deps.conditions.disabledChannels(),
    CHANNEL_BALANCE_LOW: () => this.deps.conditions.lowBalances(),
    ERROR_RATE: () => this.deps.conditions.errorRates(),
    SALE_BELOW_COST: () => this.salesBelowCost(),
    RECONCILE_DRIFT: () => this.drifts(),
    WEBHOOK_OFF: () => this.deps.conditions.endpointsOff(),
  };

  override start(): void {
    const { changes } = this.deps;
    super.start();
    changes.on('channel', () => this.runSoon());
    changes.on('option', () => this.runSoon());
  }

  override stop(): Promise<void> {
    clearTimeout(this.soon);
    return super.stop();
  }

  private runSoon(): void {
    if (this.runs.isStopped) return;
    this.costsChanged = true;
    this.soon ??= setTimeout(() => {
      this.soon = undefined;
      void this.run();
    }, settleMilliseconds).unref();
  }

  protected async work(): Promise<void> {
    const { state, nodeId } = this.deps;
    const owner = `${nodeId}:${randomUUID()}`;
    if (!(await state.lease(leaseName, owner, leaseSeconds))) return;
    try {
      await this.check();
      await this.send();
    } finally {
      await state.release(leaseName, owner).catch(() => undefined);
    }
  }

  private async check(): Promise<void> {
    for (const kind of alertKinds) await this.look(kind, this.readers[kind]);
    await this.deps.store.trim();
  }

  /**
   * Checks one condition. If it cannot be read, its alerts stay open, and the other conditions and the messages are not
   * affected.
   * @param read returns null when the check is not due
   */
  private async look(kind: AlertKind, read: () => Promise<Found | null>): Promise<void> {
    const { store, targets, logger } = this.deps;
    try {
      const found = await read();
      if (found) await store.apply(kind, found, targets.active);
    } catch (error) {
      logger.warn({ err: error, alert: kind }, 'condition of an alert could not be checked');
    }
  }

  private async salesBelowCost(): Promise<Found | null> {
    const root = this.areCostsDue() ? await findRoot(this.deps.database) : null;
    if (!root) return null;
    [this.costsAt, this.costsChanged] = [performance.now(), false];
    return this.deps.conditions.salesBelowCost(root);
  }

  private async drifts(): Promise<Found | null> {
    const { conditions, store, options } = this.deps;
    const hours = options.values['alerts.reconcile_hours'];
    if (hours === 0) return new Map();
    if (!(await store.isDue('reconcile', hours))) return null;
    const found = await conditions.drifts();
    await store.noteChecked('reconcile');
    return found;
  }

  private areCostsDue(): boolean {
    const since = performance.now() - this.costsAt;
    return since >= (this.costsChanged ? costMilliseconds.shortest : costMilliseconds.longest);
  }

  private async send(): Promise<void> {
    for (
      let due = await this.deps.store.claim();
      due.length > 0 && !this.runs.isStopped;
      due = await this.deps.store.claim()
    ) {
      await Promise.all(due.map((message) => this.attempt(message)));
    }
  }

  private async attempt({ id, target, tries, kind, channelId, facts }: DueMessage): Promise<void> {
    const { targets, store, logger } = this.deps;
    try {
      // A target that was removed meanwhile gets nothing.
      if (targets.active.includes(target)) await targets.send(target, noticeOf(kind, channelId, facts));
      await store.settle(id, '', null);
    } catch (error) {
      logger.warn({ err: error, target, alert: kind, tries }, 'alert could not be sent');
      await store.settle(id, error instanceof Error ? error.message : 'unknown', pauses[tries - 1] ?? null);
    }
  }
}
