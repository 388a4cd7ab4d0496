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
import { User } from '../users/index.js';

export interface CheckInDeps {
  readonly users: Repository<User>;
  readonly postEntry: PostEntry;
  readonly usageLog: UsageLog;
  readonly options: { readonly values: OptionValues };
  readonly clock: Clock;
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
   * @returns the credited quota
   * @throws AppError INVALID_INPUT (disabled, no reward configured), CONFLICT ("already", which clients look for)
   */
  async checkIn(actor: MaybeActor): Promise<number> {
    const self = requireActor(actor);
    const reward = this.reward();
    const now = this.now();
    await this.deps.users.manager.transaction(async (manager) => {
      if (!(await this.claimDay(manager, self.id, now))) throw already();
      const source = `checkin:${self.id}:${dayOf(now)}`;
      const booked = await this.deps.postEntry(manager, {
        source,
        kind: 'check_in',
        userId: self.id,
        amount: reward,
        note: 'daily check-in',
      });
      if (booked === null) throw already();
      await this.record(manager, self, reward);
    });
    return reward;
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

/** Returns the day in UTC, such as `2026-11-20`. */
const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

const already = (): AppError => new ConflictError('You have already checked in today');
