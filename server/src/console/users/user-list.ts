import { Brackets, type Repository, type SelectQueryBuilder } from 'typeorm';
import { day, hour, readState, type RollupState, usageFrom } from '../../billing/rollups/index.js';
import { milliseconds, readSlice, type SortKeys } from '../../platform/db/keyset.js';
import { seconds, systemClock } from '../../shared/clock.js';
import { InvalidInputError } from '../../shared/errors.js';
import { escapeLike, type ListQuery, type Slice } from '../../shared/page.js';
import type { TimeRange } from '../../shared/time-range.js';
import { ranks, userStatuses, type Role } from '../../shared/actor.js';
import type { AccountKind } from '../../shared/organisation.js';
import type { User } from '../../billing/accounts/index.js';

/** A hundred years. */
const maxDaysLeft = 36_500;

/** Absent conditions match everything; an empty list matches nothing. */
export interface UserFilter {
  readonly ids?: readonly number[];
  /** Part of the name, address or display name, or a full id or external id. */
  readonly keyword?: string;
  readonly groups?: readonly string[];
  readonly externalIds?: readonly string[];
  readonly roles?: readonly Role[];
  readonly statuses?: readonly string[];
  readonly kinds?: readonly AccountKind[];
  readonly created?: TimeRange;
  /** Users who invited the listed ones. */
  readonly inviterIds?: readonly number[];
  readonly quota?: { readonly atLeast?: number | null; readonly below?: number | null };
  /** The balance is below so many days of spend, at the mean of the last 7 days. */
  readonly daysLeftBelow?: number;
  /** Absent: deleted users are listed too (docs/reference/rest/accounts.md#user-administration). */
  readonly isDeleted?: boolean;
}

export const userSortFields = [
  ...(['id', 'username', 'displayName', 'email', 'role', 'status', 'group'] as const),
  ...(['quota', 'usedQuota', 'requestCount', 'inviteCount', 'createdAt', 'lastCheckInAt'] as const),
  'daysLeft',
] as const;
export type UserSortField = (typeof userSortFields)[number];

/** SQL of the days for which a balance lasts at a spend; null without any. */
const daysLeft = (quota: string, perDay: string): string => `(greatest(${quota}, 0) / nullif(${perDay}, 0))`;

/**
 * SELECT of what balances of users spend on a day: usage less what plans paid of it.
 * @param used source of the usage of the last 7 days
 * @param paidByPlans condition on the same hours and accounts of `plan_usage_hourly`
 */
const spentPerDay = (used: string, paidByPlans: string): string =>
  `(SELECT user_id, sum(quota)::float8 / 7 AS per_day
      FROM (SELECT user_id, quota FROM ${used}
            UNION ALL SELECT account_id, -quota FROM plan_usage_hourly WHERE ${paidByPlans}) spent GROUP BY user_id)`;

/** Returns the source of the usage of all users, which the rollups have added up. */
function usedByAll(state: RollupState): string {
  const now = seconds(systemClock);
  const end = now - (now % hour) + hour;
  const ranges = [{ from: end - 7 * day, end }];
  return usageFrom(
    { ranges, columns: ['user_id'], condition: 'TRUE', longest: 'DAY', fields: ['user_id', 'quota'] },
    state,
  );
}

/** The source of the usage of few users. `hour` is compared with a `bigint`: with another type, Postgres reads all usage. */
const lastDays = 'hour > extract(epoch FROM now())::bigint - 7 * 86400';
const usedByFew = `usage_hourly WHERE user_id = ANY ($1) AND ${lastDays}`;

/** SELECT of the users in the list `$1` and the days for which their balances last. */
export const daysLeftOfUsers = `SELECT id, ${daysLeft('quota', 'per_day')} AS days
  FROM users LEFT JOIN ${spentPerDay(usedByFew, `account_id = ANY ($1) AND ${lastDays}`)} spent ON user_id = id WHERE id = ANY ($1)`;

const roles = Object.keys(ranks) as Role[];

const sortKeys: SortKeys<User, UserSortField> = {
  id: { sql: 'account.id', value: ({ id }) => id },
  username: { sql: 'account.username', value: ({ username }) => username },
  displayName: { sql: 'account.displayName', value: ({ displayName }) => displayName },
  email: { sql: 'account.email', value: ({ email }) => email },
  role: { sql: `array_position('{${roles.join()}}', account.role)`, value: ({ role }) => roles.indexOf(role) + 1 },
  status: {
    sql: `array_position('{${userStatuses.join()}}', account.status)`,
    value: ({ status }) => userStatuses.indexOf(status) + 1,
  },
  group: { sql: 'account.group', value: ({ group }) => group },
  quota: { sql: 'account.quota', value: ({ quota }) => quota },
  usedQuota: { sql: 'account.usedQuota', value: ({ usedQuota }) => usedQuota },
  requestCount: { sql: 'account.requestCount', value: ({ requestCount }) => requestCount },
  inviteCount: { sql: 'account.affCount', value: ({ affCount }) => affCount },
  createdAt: { sql: milliseconds('account.createdAt'), value: ({ createdAt }) => createdAt },
  lastCheckInAt: {
    sql: milliseconds('account.lastCheckInTime'),
    value: ({ lastCheckInTime }) => lastCheckInTime,
    nullable: true,
  },
  // The value changes with every call, so no cursor contains it.
  daysLeft: { sql: daysLeft('account.quota', 'spent.per_day'), value: () => null, nullable: true },
};

/**
 * Newest first unless sorted.
 * @throws InvalidInputError for a cursor of a list by the days that balances last
 */
export async function readUsers(
  users: Repository<User>,
  filter: UserFilter,
  query: ListQuery<UserSortField>,
): Promise<Slice<User>> {
  const isByDaysLeft = query.sort.some(({ field }) => field === 'daysLeft');
  if (isByDaysLeft && query.after !== null) throw new InvalidInputError('A list by DAYS_LEFT is read by page', 'after');
  const select = await matching(users, filter, isByDaysLeft);
  const slice = await readSlice<User, UserSortField>(select, query, sortKeys);
  return isByDaysLeft ? { ...slice, endCursor: null } : slice;
}

/** Totals over all users that match. */
export interface UserSums {
  readonly quota: number;
  readonly heldQuota: number;
  readonly inviteQuota: number;
  readonly usedQuota: number;
}

/** Quota of the users that match; `heldQuota` is reserved for their calls in flight. */
export async function sumUsers(users: Repository<User>, filter: UserFilter): Promise<UserSums> {
  const select = await matching(users, filter);
  const sums = await select
    .leftJoin(
      '(SELECT user_id, sum(amount) AS held FROM reservations WHERE swept_at IS NULL GROUP BY user_id)',
      'reserved',
      'reserved.user_id = account.id',
    )
    .select('coalesce(sum(account.quota), 0)', 'quota')
    .addSelect('coalesce(sum(reserved.held), 0)', 'heldQuota')
    .addSelect('coalesce(sum(account.affQuota), 0)', 'inviteQuota')
    .addSelect('coalesce(sum(account.usedQuota), 0)', 'usedQuota')
    .getRawOne<Record<keyof UserSums, string>>();
  const { quota = 0, heldQuota = 0, inviteQuota = 0, usedQuota = 0 } = sums ?? {};
  return {
    quota: Number(quota),
    heldQuota: Number(heldQuota),
    inviteQuota: Number(inviteQuota),
    usedQuota: Number(usedQuota),
  };
}

/** @param withSpend whether to join what the users spend, `spent.per_day`, also without a condition on it */
async function matching(
  users: Repository<User>,
  filter: UserFilter,
  withSpend = false,
): Promise<SelectQueryBuilder<User>> {
  const select = users.createQueryBuilder('account').withDeleted();
  const { ids, roles, statuses, kinds, inviterIds, created, quota, daysLeftBelow, isDeleted } = filter;
  const keyword = filter.keyword?.replaceAll('\0', '').trim().slice(0, 100);
  if (keyword) {
    select.andWhere(
      new Brackets((where) => {
        where.where(
          'account.username ILIKE :pattern OR account.email ILIKE :pattern OR account.displayName ILIKE :pattern',
          { pattern: `%${escapeLike(keyword)}%` },
        );
        where.orWhere('account.externalId = :keyword', { keyword });
        if (/^\d{1,9}$/.test(keyword)) where.orWhere('account.id = :id', { id: Number(keyword) });
      }),
    );
  }
  if (ids) select.andWhere('account.id = ANY(:ids)', { ids });
  if (filter.groups) {
    const groups = filter.groups.map((group) => group.replaceAll('\0', ''));
    select.andWhere('account.group = ANY(:groups)', { groups });
  }
  if (filter.externalIds) {
    const externalIds = filter.externalIds.map((id) => id.replaceAll('\0', ''));
    select.andWhere('account.externalId = ANY(:externalIds)', { externalIds });
  }
  if (roles) select.andWhere('account.role = ANY(:roles)', { roles });
  if (statuses) select.andWhere('account.status = ANY(:statuses)', { statuses });
  if (kinds) select.andWhere('account.kind = ANY(:kinds)', { kinds });
  if (inviterIds) select.andWhere('account.inviterId = ANY(:inviterIds)', { inviterIds });
  if (created?.from) select.andWhere('account.createdAt >= :createdFrom', { createdFrom: created.from });
  if (created?.until) select.andWhere('account.createdAt < :createdUntil', { createdUntil: created.until });
  if (quota?.atLeast != null) select.andWhere('account.quota >= :quotaAtLeast', { quotaAtLeast: quota.atLeast });
  if (quota?.below != null) select.andWhere('account.quota < :quotaBelow', { quotaBelow: quota.below });
  if (daysLeftBelow !== undefined && !(daysLeftBelow > 0 && daysLeftBelow <= maxDaysLeft)) {
    throw new InvalidInputError(`daysLeftBelow is above 0 and at most ${maxDaysLeft}`, 'filter.daysLeftBelow');
  }
  if (withSpend || daysLeftBelow !== undefined) {
    select.leftJoin(
      spentPerDay(usedByAll(await readState(users.manager)), lastDays),
      'spent',
      'spent.user_id = account.id',
    );
  }
  if (daysLeftBelow !== undefined) {
    select.andWhere('account.quota < :daysLeftBelow::float8 * coalesce(spent.per_day, 0)', { daysLeftBelow });
  }
  if (isDeleted !== undefined) select.andWhere(`account.deletedAt IS ${isDeleted ? 'NOT NULL' : 'NULL'}`);
  return select;
}
