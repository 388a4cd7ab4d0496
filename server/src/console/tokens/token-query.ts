import { Brackets, type Repository, type SelectQueryBuilder } from 'typeorm';
import { andAmong, andBetween } from '../../platform/db/conditions.js';
import { milliseconds, type SortKeys } from '../../platform/db/keyset.js';
import { ownKeys, type Actor } from '../../shared/actor.js';
import { escapeLike } from '../../shared/page.js';
import type { Secrets } from '../../shared/secrets.js';
import type { TimeRange } from '../../shared/time-range.js';
import { shownStatus } from './token-input.js';
import { tokenStatuses, type Token, type TokenStatus } from '../../billing/accounts/index.js';

/** Conditions on API keys. Absent fields do not restrict; an empty list matches nothing. */
export interface TokenFilter {
  readonly ids?: readonly number[];
  readonly userIds?: readonly number[];
  /** Keys of these memberships. 0 matches keys of organisations themselves and of people. */
  readonly memberIds?: readonly number[];
  readonly projectIds?: readonly number[];
  /** A part of the name, a prefix of the key, or the full key, with or without `sk-`. */
  readonly keyword?: string;
  readonly statuses?: readonly TokenStatus[];
  readonly groups?: readonly string[];
  readonly created?: TimeRange;
  /** Keys that expire in this range. Keys that never expire do not match. */
  readonly expires?: TimeRange;
  /** Keys whose last charged call was in this range. */
  readonly lastUsed?: TimeRange;
  readonly neverUsed?: boolean;
}

export type TokenSortField =
  | ('id' | 'userId' | 'name' | 'status' | 'group')
  | ('createdAt' | 'lastUsedAt' | 'expiresAt' | 'remainQuota' | 'usedQuota');

/** Restricts a filter to the keys that the caller may read as those of the account. */
export function ownFilter<Filter extends TokenFilter>(actor: Actor, filter: Filter): Filter {
  const { userId, memberId } = ownKeys(actor);
  return { ...filter, userIds: [userId], ...(memberId === undefined ? {} : { memberIds: [memberId] }) };
}

/** Returns a query of the keys that match a filter, as `token`. */
export function tokenQuery(
  tokens: Repository<Token>,
  secrets: Secrets,
  filter: TokenFilter,
): SelectQueryBuilder<Token> {
  const { ids, userIds, memberIds, projectIds, keyword, statuses, groups, created, expires, lastUsed, neverUsed } =
    filter;
  const query = tokens.createQueryBuilder('token');
  andAmong(query, 'token.id', ids);
  andAmong(query, 'token.user_id', userIds);
  andAmong(query, 'token.member_id', memberIds);
  andAmong(query, 'token.project_id', projectIds);
  andAmong(query, statusSql, statuses);
  andAmong(query, 'token."group"', groups);
  if (keyword) {
    const key = bareKey(keyword);
    query.andWhere(
      new Brackets((either) => {
        either.where('token.name ILIKE :name', { name: `%${escapeLike(keyword)}%` });
        if (key === '') return;
        either.orWhere('token.keyPrefix LIKE :prefix', { prefix: `${escapeLike(key)}%` });
        either.orWhere('token.keyHash = :hash OR token.previousKeyHash = :hash', { hash: secrets.hash(key) });
      }),
    );
  }
  andBetween(query, 'token.created_at', created);
  andBetween(query, 'token.expires_at', expires);
  andBetween(query, 'token.last_used_at', lastUsed);
  if (neverUsed !== undefined) query.andWhere(`token.last_used_at IS ${neverUsed ? '' : 'NOT'} NULL`);
  return query;
}

/** SQL of `shownStatus`. */
const statusSql = `CASE WHEN token.status <> 'enabled' THEN token.status
  WHEN token.expires_at <= now() THEN 'expired'
  WHEN NOT token.unlimited_quota AND token.remain_quota <= 0 THEN 'exhausted' ELSE token.status END`;

export const tokenSortKeys: SortKeys<Token, TokenSortField> = {
  id: { sql: 'token.id', value: ({ id }) => id },
  userId: { sql: 'token.user_id', value: ({ userId }) => userId },
  name: { sql: 'token.name', value: ({ name }) => name },
  status: {
    sql: `array_position('{${tokenStatuses.join(',')}}', ${statusSql})`,
    value: (token) => tokenStatuses.indexOf(shownStatus(token)) + 1,
  },
  group: { sql: 'token."group"', value: ({ group }) => group },
  createdAt: { sql: milliseconds('token.created_at'), value: ({ createdAt }) => createdAt },
  lastUsedAt: { sql: milliseconds('token.last_used_at'), value: ({ lastUsedAt }) => lastUsedAt, nullable: true },
  expiresAt: { sql: milliseconds('token.expires_at'), value: ({ expiresAt }) => expiresAt, nullable: true },
  remainQuota: { sql: 'token.remain_quota', value: ({ remainQuota }) => remainQuota },
  usedQuota: { sql: 'token.used_quota', value: ({ usedQuota }) => usedQuota },
};

/** Length of a key, and of its part that is shown. */
export const keyLength = 48;
export const prefixLength = 6;

/** Returns a key without its `sk-`. */
export const bareKey = (key: string): string => key.trim().replace(/^sk-/, '');
