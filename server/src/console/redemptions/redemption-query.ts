import { Brackets, type Repository, type SelectQueryBuilder } from 'typeorm';
import { andAmong, andBetween } from '../../platform/db/conditions.js';
import { milliseconds, type SortKeys } from '../../platform/db/keyset.js';
import { maxInt32 } from '../../shared/limits.js';
import { escapeLike } from '../../shared/page.js';
import type { Secrets } from '../../shared/secrets.js';
import type { TimeRange } from '../../shared/time-range.js';
import { isOpen, isUnlimited, remainingUses } from './redemption-sql.js';
import { redemptionStatuses, type Redemption, type RedemptionStatus } from './redemption.entity.js';

/** Conditions on codes. Absent fields do not restrict; an empty list matches nothing. */
export interface RedemptionFilter {
  readonly ids?: readonly number[];
  /** A prefix of the name, an id, or the full code. */
  readonly keyword?: string;
  /** The full name. */
  readonly name?: string;
  readonly statuses?: readonly RedemptionStatus[];
  readonly isGift?: boolean;
  readonly created?: TimeRange;
}

export type RedemptionSortField = 'id' | 'name' | 'status' | 'quota' | 'createdAt' | 'usedCount';

/** Totals of all codes that match a filter. */
export interface RedemptionSums {
  readonly codes: number;
  /** Value that can still be redeemed: unused, enabled and not expired codes, without unlimited gift codes. */
  readonly unusedQuota: number;
  /** Value that was redeemed. */
  readonly usedQuota: number;
  /** Number of gift codes without a limit of uses. */
  readonly endlessGifts: number;
}

interface QueryDeps {
  readonly redemptions: Repository<Redemption>;
  readonly secrets: Pick<Secrets, 'hash'>;
}

/** Returns a query for codes that match a filter, without an order. */
export function redemptionQuery(deps: QueryDeps, filter: RedemptionFilter): SelectQueryBuilder<Redemption> {
  const query = deps.redemptions.createQueryBuilder('redemption');
  andAmong(query, 'redemption.id', filter.ids);
  andAmong(query, 'redemption.status', filter.statuses);
  andAmong(query, 'redemption.name', filter.name === undefined ? undefined : [filter.name]);
  andBetween(query, 'redemption.created_at', filter.created);
  if (filter.isGift !== undefined) query.andWhere('redemption.isGift = :isGift', { isGift: filter.isGift });
  // Postgres texts cannot contain NUL, so no name starts with one.
  if (filter.keyword) query.andWhere(matching(deps.secrets, filter.keyword.replaceAll('\0', '')));
  return query;
}

function matching(secrets: Pick<Secrets, 'hash'>, keyword: string): Brackets {
  return new Brackets((either) => {
    either.where('redemption.name LIKE :start', { start: `${escapeLike(keyword)}%` });
    either.orWhere('redemption.keyHash = :hash', { hash: secrets.hash(keyword.trim()) });
    const id = /^\d{1,10}$/.test(keyword) ? Number(keyword) : 0;
    if (id > 0 && id <= maxInt32) either.orWhere('redemption.id = :id', { id });
  });
}

/** Reads the totals of the selected codes. */
export async function readSums(select: SelectQueryBuilder<Redemption>, now: Date): Promise<RedemptionSums> {
  const row = await select
    .select('count(*)', 'codes')
    .addSelect(
      `coalesce(sum(quota::numeric * ${remainingUses}) FILTER (WHERE ${isOpen(':now')} AND NOT (${isUnlimited})), 0)`,
      'unused',
    )
    .addSelect(
      `coalesce(sum(coalesce((SELECT sum(used.quota) FROM redemption_uses used WHERE used.redemption_id = redemption.id),
         CASE WHEN redemption.status = 'used' AND NOT redemption.is_gift THEN redemption.quota END)), 0)`,
      'used',
    )
    .addSelect(`count(*) FILTER (WHERE ${isOpen(':now')} AND ${isUnlimited})`, 'endless')
    .setParameter('now', now)
    .getRawOne<Record<'codes' | 'unused' | 'used' | 'endless', string>>();
  return {
    codes: Number(row?.codes ?? 0),
    unusedQuota: Number(row?.unused ?? 0),
    usedQuota: Number(row?.used ?? 0),
    endlessGifts: Number(row?.endless ?? 0),
  };
}

export const sortKeys: SortKeys<Redemption, RedemptionSortField> = {
  id: { sql: 'redemption.id', value: ({ id }) => id },
  name: { sql: 'redemption.name', value: ({ name }) => name },
  status: {
    sql: `array_position('{${redemptionStatuses.join(',')}}', redemption.status)`,
    value: ({ status }) => redemptionStatuses.indexOf(status) + 1,
  },
  quota: { sql: 'redemption.quota', value: ({ quota }) => quota },
  createdAt: { sql: milliseconds('redemption.created_at'), value: ({ createdAt }) => createdAt },
  usedCount: { sql: 'redemption.used_count', value: ({ usedCount }) => usedCount },
};
