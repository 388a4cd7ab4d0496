import type { EntityManager, Repository } from 'typeorm';
import { requireActor, type Actor, type MaybeActor } from '../../shared/actor.js';
import type { UsageLog } from '../../shared/audit.js';
import type { Clock } from '../../shared/clock.js';
import { AppError, ConflictError } from '../../shared/errors.js';
import { randomBetween } from '../../shared/ids.js';
import { formatQuota } from '../../shared/quota.js';
import { LogType } from '../logs/index.js';
import type { OptionValues } from '../../options/option.service.js';
import type { PostEntry } from '../../billing/ledger/index.js';
import { User } from '../../billing/accounts/index.js';

export interface CheckInDeps {
  readonly users: Repository<User>;
  readonly postEntry: PostEntry;
  readonly usageLog: UsageLog;
  readonly options: { readonly values: OptionValues };
  readonly clock: Clock;
}

/** A day on which a user checked in. */
export interface CheckIn {
  /** `2026-11-20`, in UTC. */
  readonly day: string;
  readonly quota: number;
}

/** The check-ins of a user. */
export interface CheckInHistory {
  readonly isEnabled: boolean;
  readonly isDoneToday: boolean;
  readonly minQuota: number;
  readonly maxQuota: number;
  /** The check-ins of all months. */
  readonly total: { readonly count: number; readonly quota: number };
  /** The check-ins of the month, newest first. */
  readonly days: readonly CheckIn[];
}

/** Daily check-in: once per UTC day a user may claim quota (docs/reference/rest/accounts.md#check-in). */
export class CheckInService {
  constructor(private readonly deps: CheckInDeps) {}

  /** Whether the caller has not checked in today. Ignores option CheckInEnabled. */
  async canCheckIn(actor: MaybeActor): Promise<boolean> {
    const { id } = requireActor(actor);
    const user = await this.deps.users.findOne({ where: { id }, select: { id: true, lastCheckInTime: true } });
    return !user?.lastCheckInTime || dayOf(user.lastCheckInTime) < dayOf(this.now());
  }

  /**
   * Credits one check-in per day: the day is checked and set in one statement, and the source of the ledger entry is
   * unique.
   * @throws AppError INVALID_INPUT (disabled, no reward configured), CONFLICT ("already", which clients look for)
   */
  async checkIn(actor: MaybeActor): Promise<CheckIn> {
    const self = requireActor(actor);
    const reward = this.reward();
    const now = this.now();
    await this.deps.users.manager.transaction(async (manager) => {
      if (!(await this.claimDay(manager, self.id, now))) throw already();
      const source = sourceOf(self.id) + dayOf(now);
      const posted = await this.deps.postEntry(manager, {
        source,
        kind: 'check_in',
        userId: self.id,
        amount: reward,
        note: 'daily check-in',
      });
      if (posted === null) throw already();
      await this.record(manager, self, reward);
    });
    return { day: dayOf(now), quota: reward };
  }

  /**
   * Returns the check-ins that were credited here. An import has only the day of the last one.
   * @param month such as `2026-11`; empty for this month
   */
  async history(actor: MaybeActor, month: string): Promise<CheckInHistory> {
    const { id } = requireActor(actor);
    const { CheckInEnabled, CheckInQuota, CheckInMaxQuota } = this.deps.options.values;
    const [canCheckIn, entries] = await Promise.all([
      this.canCheckIn(actor),
      this.deps.users.manager.query<Array<{ day: string; quota: string }>>(
        `SELECT substr(source, length($2) + 1, 10) AS day, amount AS quota FROM ledger_entries
          WHERE user_id = $1 AND kind = 'check_in' AND source LIKE $2 || '%' ORDER BY source DESC`,
        [id, sourceOf(id)],
      ),
    ]);
    const all = entries.map(({ day, quota }) => ({ day, quota: Number(quota) }));
    const shown = month || dayOf(this.now()).slice(0, 7);
    return {
      isEnabled: CheckInEnabled,
      isDoneToday: !canCheckIn,
      minQuota: CheckInQuota,
      maxQuota: Math.max(CheckInQuota, CheckInMaxQuota),
      total: { count: all.length, quota: all.reduce((sum, { quota }) => sum + quota, 0) },
      days: all.filter(({ day }) => day.startsWith(`${shown}-`)),
    };
  }

  private async claimDay(manager: EntityManager, id: number, now: Date): Promise<boolean> {
    const startOfDay = new Date(`${dayOf(now)}T00:00:00Z`);
    const result = await manager
      .createQueryBuilder()
      .update(User)
      .set({ lastCheckInTime: now })
      .where('id = :id AND deleted_at IS NULL', { id })
      .andWhere('(last_check_in_time IS NULL OR last_check_in_time < :startOfDay)', { startOfDay })
      .execute();
    return result.affected === 1;
  }

  private reward(): number {
    const { CheckInEnabled, CheckInQuota, CheckInMaxQuota } = this.deps.options.values;
    if (!CheckInEnabled) throw new AppError('INVALID_INPUT', 'Check-in is not enabled');
    if (CheckInQuota <= 0) throw new AppError('INVALID_INPUT', 'Check-in quota misconfigured');
    if (CheckInMaxQuota <= CheckInQuota) return CheckInQuota;
    return randomBetween(CheckInQuota, Math.min(CheckInMaxQuota, CheckInQuota + widestRange));
  }

  private record(manager: EntityManager, { id, username }: Actor, quota: number): Promise<void> {
    const content = `Check-in reward ${formatQuota(quota, this.deps.options.values)}`;
    return this.deps.usageLog.record(manager, { type: LogType.checkIn, userId: id, username, content, quota });
  }

  private now(): Date {
    return new Date(this.deps.clock.now());
  }
}

/** The largest range of `randomInt`. */
const widestRange = 2 ** 48 - 2;

/** The source of the ledger entry without the day at its end. */
const sourceOf = (userId: number): string => `checkin:${userId}:`;

/** Returns the day in UTC, such as `2026-11-20`. */
const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

const already = (): AppError => new ConflictError('You have already checked in today');
