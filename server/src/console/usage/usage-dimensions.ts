import { quoted } from '../../billing/rollups/index.js';
import type { UsageDimension } from './usage-question.js';

export interface Dimension {
  /** The column of the usage tables that the dimension is read from. */
  readonly column: string;
  readonly type: 'bigint' | 'integer' | 'text';
  /** SQL over `used` and the joined tables; never null. */
  readonly sql: string;
  readonly join?: 'channels' | 'users' | 'tokens';
}

const own = (column: string, type: Dimension['type']): Dimension => ({
  column,
  type,
  sql: `used.${quoted(column)}`,
});

/** The provider of channels that were deleted. SQL compares no null, and no type of a channel is negative. */
export const noProvider = -1;

export const dimensions: Readonly<Record<UsageDimension, Dimension>> = {
  USER: own('user_id', 'integer'),
  TOKEN: own('token_id', 'integer'),
  MODEL: own('model_name', 'text'),
  CHANNEL: own('channel_id', 'integer'),
  GROUP: own('group', 'text'),
  PROVIDER: { column: 'channel_id', type: 'integer', join: 'channels', sql: `coalesce(channel.type, ${noProvider})` },
  CHANNEL_TAG: { column: 'channel_id', type: 'text', join: 'channels', sql: `coalesce(channel.tag, '')` },
  ENDPOINT: own('endpoint', 'text'),
  ERROR: own('error_code', 'text'),
  UPSTREAM_KEY: own('upstream_key', 'text'),
  MEMBER: { column: 'token_id', type: 'integer', join: 'tokens', sql: 'coalesce(token.member_id, 0)' },
  PROJECT: { column: 'token_id', type: 'integer', join: 'tokens', sql: 'coalesce(token.project_id, 0)' },
  USER_COHORT_WEEK: { column: 'user_id', type: 'bigint', join: 'users', sql: 'coalesce(owner.cohort, 0)' },
};

/** JOIN of the tables that dimensions are read from, by time zone (SQL). */
export const joins: Readonly<Record<NonNullable<Dimension['join']>, (zone: string) => string>> = {
  channels: () => 'LEFT JOIN channels channel ON channel.id = used.channel_id',
  // Deleted keys keep their row.
  tokens: () => 'LEFT JOIN tokens token ON token.id = used.token_id',
  // OFFSET 0 computes the week once for each user, not for each row of usage.
  users: (zone) =>
    `LEFT JOIN (SELECT id, extract(epoch FROM date_trunc('week', created_at AT TIME ZONE ${zone}) AT TIME ZONE ${zone})::bigint AS cohort
                  FROM users OFFSET 0) owner ON owner.id = used.user_id`,
};

/** Dimensions and filters for which five-minute usage is counted. */
export const shortColumns: readonly string[] = ['channel_id', 'model_name'];

/** Sorts text by code points, independent of the database's collation. */
export const sortKey = (name: UsageDimension, n: number): string =>
  dimensions[name].type === 'text' ? `key_${n} COLLATE "C"` : `key_${n}`;
