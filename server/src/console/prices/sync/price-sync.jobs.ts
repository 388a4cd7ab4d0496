import { createHash, randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import type { Changes } from '../../../platform/cache/changes.js';
import type { SharedState } from '../../../platform/cache/shared-state.js';
import type { Actor } from '../../../shared/actor.js';
import { ScheduledJob } from '../../../shared/scheduled-runs.js';
import type { OptionValues } from '../../../options/option.service.js';
import { findRoot } from '../../users/index.js';
import type { PriceCheckService } from './price-check.service.js';
import type { PriceCheck } from './price-check.entity.js';
import type { PriceDiffKind, PriceDiffLine } from '../../../billing/prices/index.js';
import type { PriceUpdateService } from './price-update.service.js';

export interface PriceSyncClockDeps {
  readonly database: Pick<DataSource, 'query'>;
  readonly checks: PriceCheckService;
  readonly updates: PriceUpdateService;
  readonly state: Pick<SharedState, 'lease' | 'release'>;
  readonly changes: Pick<Changes, 'on'>;
  readonly options: { readonly values: OptionValues };
  readonly notices: {
    notifyRoot(notice: { type: string; title: string; content: string; values?: readonly string[] }): void;
  };
  readonly nodeId: string;
  readonly logger: { info(details: object, message: string): void; warn(details: object, message: string): void };
}

const leaseName = 'price-sync';
/** Seconds. The lease is longer than reading the slowest list takes. */
const leaseSeconds = 300;

/** The largest changes in percent that an update makes automatically: not more than twice, not less than half. */
const widest = { rise: 100, fall: -50 };
const applicable: readonly PriceDiffKind[] = ['NEW', 'UP', 'DOWN', 'MINOR'];
const reported: readonly PriceDiffKind[] = ['NEW', 'UP', 'DOWN', 'GONE', 'DISAGREE'];

/**
 * Compares the prices of the served models with option PriceSyncSources every PriceSyncHours, on one node. Reports
 * differences, and changes prices only if option PriceSyncApply says so.
 */
export class PriceSyncClock extends ScheduledJob<PriceSyncClockDeps> {
  protected readonly interval = 60_000;
  protected readonly failure = 'scheduled price check failed';

  /**
   * Starts the timer. It checks every minute, and after a setting has changed, so that the first check does not have to
   * wait.
   */
  override start(): void {
    this.deps.changes.on('option', () => void this.run());
    super.start();
  }

  /** Runs a check if one is due. */
  protected async work(): Promise<void> {
    const { state, nodeId, options } = this.deps;
    const { PriceSyncHours: hours, PriceSyncSources: sources } = options.values;
    if (hours === 0 || sources.length === 0 || !(await this.isDue(hours))) return;
    const owner = `${nodeId}:${randomUUID()}`;
    if (!(await state.lease(leaseName, owner, leaseSeconds))) return;
    try {
      // Another node may have checked before this node got the lease.
      const root = (await this.isDue(hours)) ? await findRoot(this.deps.database) : null;
      if (root) await this.check(root);
    } finally {
      await state.release(leaseName, owner).catch(() => undefined);
    }
  }

  private async check(root: Actor): Promise<void> {
    const { checks, updates, options, logger } = this.deps;
    const before = await this.lastDigest();
    const check = await checks.checkScheduled();
    const lines = (await checks.lines(root, check, {})).filter(({ isServed, kind }) => isServed || kind === 'GONE');
    const applied = options.values.PriceSyncApply ? lines.filter(isSafe) : [];
    const choices = applied.map(({ model }) => ({ model }));
    const update = choices.length > 0 ? await updates.apply(root, check.id, {}, choices) : null;
    const digest = digestOf(check, lines);
    await this.deps.database.query('UPDATE price_checks SET digest = $2 WHERE id = $1', [check.id, digest]);
    logger.info({ check: check.id, lines: lines.length, applied: choices.length }, 'scheduled price check ended');
    if (digest !== '' && digest !== before) this.notify(check, lines, update === null ? 0 : choices.length);
  }

  private notify(check: PriceCheck, lines: readonly PriceDiffLine[], applied: number): void {
    const count = (kind: PriceDiffKind): string => String(lines.filter((line) => line.kind === kind).length);
    const failed = check.sources.filter(({ errorCode }) => errorCode !== null).length;
    this.deps.notices.notifyRoot({
      type: 'price_check',
      title: 'Prices differ from the lists',
      content:
        'Models without a price: {{value}}, dearer: {{value}}, cheaper: {{value}}, gone: {{value}}, sources disagree: {{value}}. Applied: {{value}}. Sources that could not be read: {{value}}. See Settings, Model prices, Price sync.',
      values: [...reported.map(count), String(applied), String(failed)],
    });
  }

  private async isDue(hours: number): Promise<boolean> {
    const [recent] = await this.deps.database.query<unknown[]>(
      'SELECT id FROM price_checks WHERE is_scheduled AND created_at > now() - make_interval(hours => $1) LIMIT 1',
      [hours],
    );
    return recent === undefined;
  }

  private async lastDigest(): Promise<string> {
    const [last] = await this.deps.database.query<Array<{ digest: string }>>(
      'SELECT digest FROM price_checks WHERE is_scheduled ORDER BY id DESC LIMIT 1',
    );
    return last?.digest ?? '';
  }
}

/**
 * Whether a change may be applied automatically. A person decides about a large change, and about a price that was 0.
 */
function isSafe({ kind, changes }: PriceDiffLine): boolean {
  const isSmall = changes.every(({ percent }) => percent !== null && percent <= widest.rise && percent >= widest.fall);
  return applicable.includes(kind) && isSmall;
}

/** Returns a text that identifies the findings of a check. Empty when there is nothing to report. */
function digestOf(check: PriceCheck, lines: readonly PriceDiffLine[]): string {
  const found = lines.filter(({ kind }) => reported.includes(kind));
  const errors = check.sources.flatMap(({ label, errorCode }) => (errorCode === null ? [] : [[label, errorCode]]));
  if (found.length === 0 && errors.length === 0) return '';
  const parts = found.map(({ model, kind, changes }) => [model, kind, changes]);
  return createHash('sha256')
    .update(JSON.stringify([parts, errors]))
    .digest('hex')
    .slice(0, 16);
}
