import {
  type CreativeTask,
  type Drawing,
  finished,
  type TaskKind,
  type TaskLedger,
} from '../../console/tasks/index.js';
import type { Logger } from '../../platform/observability/logger.js';
import { earlierTime, type TimeReader } from '../../platform/db/earlier-time.js';
import { dateOf, seconds, type Clock } from '../../shared/clock.js';
import type { RoutingDirectory } from '../../gateway/route/routing-directory.js';
import type { Secrets } from '../../shared/secrets.js';
import { targetOfTask, type TaskTarget } from './task-target.js';

type TaskRow = Drawing | CreativeTask;

/** A platform whose tasks are polled. Times are in milliseconds. */
export interface PolledPlatform<Row extends TaskRow> {
  readonly kind: TaskKind<Row>;
  readonly lifetime: number;
  /** Returns unfinished tasks, oldest first. */
  unfinished(after: number, limit: number): Promise<Row[]>;
  nameOf(row: Row): string;
  /**
   * Returns the provider's states of these tasks by name, without tasks that it does not know.
   * @throws when the request fails
   */
  ask(target: TaskTarget, names: readonly string[]): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>>;
  step(item: Readonly<Record<string, unknown>>, row: Row, now: number): Partial<Row> | null;
  failed(reason: string, now: number): Partial<Row>;
}

export interface TaskPollerDeps {
  readonly taskLedger: TaskLedger;
  readonly channels: RoutingDirectory;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly database: TimeReader;
  readonly logger: Logger;
}

const rowsAtOnce = 500;
const channelsAtOnce = 8;
/** Milliseconds after which a row without a provider's id belongs to a process that died during submission. */
const namelessLifetime = 10 * 60_000;
const minBackoff = 15_000;
const maxBackoff = 10 * 60_000;

/** Polls the providers of one platform for all unfinished tasks. A failure of one task does not affect the others. */
export class TaskPoller<Row extends TaskRow> {
  /**
   * Accounts of channels that did not respond, with the number of consecutive failures and the time of the next
   * attempt.
   */
  private readonly failing = new Map<string, { count: number; until: number }>();
  /**
   * Milliseconds by which the clock of this node is ahead of the database's. It matters because a task that times out
   * is refunded.
   */
  private clockLead = 0;

  constructor(
    private readonly platform: PolledPlatform<Row>,
    private readonly deps: TaskPollerDeps,
  ) {}

  /**
   * Polls every unfinished task once.
   * @throws when the database does not respond
   */
  async run(): Promise<void> {
    const { clock, database } = this.deps;
    const now = seconds(clock);
    this.clockLead = dateOf(now).getTime() - dateOf(await earlierTime(database, now)).getTime();
    for (let after = 0; ;) {
      const rows = await this.platform.unfinished(after, rowsAtOnce);
      await this.batch(rows);
      const last = rows.at(-1);
      if (!last || rows.length < rowsAtOnce) return;
      after = last.id;
    }
  }

  private async batch(rows: readonly Row[]): Promise<void> {
    const { channels } = this.deps;
    const unknown = new Set(rows.map(({ channelId }) => channelId).filter((id) => !channels.table.channel(id)));
    const removed = await channels.removed([...unknown]);
    const groups = new Map<string, Row[]>();
    for (const row of rows) {
      if (await this.isGivenUp(row, removed)) continue;
      const account = `${row.channelId}:${row.keyPrint}`;
      groups.set(account, [...(groups.get(account) ?? []), row]);
    }
    const waiting = [...groups.values()];
    const worker = async (): Promise<void> => {
      for (let group = waiting.shift(); group; group = waiting.shift()) await this.account(group);
    };
    await Promise.all(Array.from({ length: channelsAtOnce }, worker));
  }

  /**
   * Ends tasks that no report will ever complete: submissions without a response, and tasks without a channel.
   * @param removed ids of channels that no longer exist, unlike channels that this node has not read
   * @returns whether the provider cannot be asked
   */
  private async isGivenUp(row: Row, removed: ReadonlySet<number>): Promise<boolean> {
    const { platform, deps: parts } = this;
    const now = parts.clock.now();
    if (platform.nameOf(row) === '') {
      if (this.ageOf(row, now) > namelessLifetime) await this.fail(row, 'the submission was never confirmed');
      return true;
    }
    if (parts.channels.table.channel(row.channelId)) return false;
    if (removed.has(row.channelId)) await this.fail(row, `channel ${row.channelId} no longer exists`);
    else await this.expire(row, now);
    return true;
  }

  /** Polls the tasks of one account of one channel. */
  private async account(rows: readonly Row[]): Promise<void> {
    const { platform, deps: parts } = this;
    const first = rows[0];
    const channel = first && parts.channels.table.channel(first.channelId);
    if (!first || !channel) return;
    const found = await this.ask(targetOfTask(channel, first.keyPrint, parts.secrets), rows);
    for (const row of rows) {
      const item = found?.get(platform.nameOf(row));
      const now = parts.clock.now();
      const step = item ? this.stepOf(item, row, now) : null;
      if (step) await this.move(row, step);
      const isOver = step?.progress === finished;
      // An unfinished task expires even if the provider still lists it.
      if (!isOver) await this.expire(row, now);
    }
  }

  private ageOf(row: Row, now: number): number {
    return now - this.clockLead - row.submitTime.getTime();
  }

  /** Ends a task that exceeds the maximum age of its platform. */
  private async expire(row: Row, now: number): Promise<void> {
    const { platform } = this;
    if (this.ageOf(row, now) <= platform.lifetime) return;
    await this.fail(row, `the task did not end within ${Math.round(platform.lifetime / 60_000)} minutes`);
  }

  /** Asks the provider. Returns null while the account is paused or does not respond. */
  private async ask(
    target: TaskTarget,
    rows: readonly Row[],
  ): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>> | null> {
    const { platform, deps: parts, failing } = this;
    const { channelId, keyPrint } = target;
    const account = `${channelId}:${keyPrint}`;
    const known = failing.get(account);
    if (known && known.until > parts.clock.now()) return null;
    try {
      const found = await platform.ask(
        target,
        rows.map((row) => platform.nameOf(row)),
      );
      failing.delete(account);
      return found;
    } catch (error) {
      const count = (known?.count ?? 0) + 1;
      const wait = Math.min(minBackoff * 2 ** (count - 1), maxBackoff);
      failing.set(account, { count, until: parts.clock.now() + wait });
      parts.logger.warn({ err: error, channelId, count }, 'polling a provider for tasks failed');
      return null;
    }
  }

  private stepOf(item: Readonly<Record<string, unknown>>, row: Row, now: number): Partial<Row> | null {
    try {
      return this.platform.step(item, row, now);
    } catch (error) {
      this.deps.logger.warn({ err: error, task: row.id }, 'invalid task report from a provider');
      return null;
    }
  }

  private fail(row: Row, reason: string): Promise<void> {
    return this.move(row, this.platform.failed(reason, this.deps.clock.now()));
  }

  private async move(row: Row, step: Partial<Row>): Promise<void> {
    try {
      await this.deps.taskLedger.move(this.platform.kind, row.id, step);
    } catch (error) {
      this.deps.logger.error({ err: error, task: row.id }, 'task update failed');
    }
  }
}
