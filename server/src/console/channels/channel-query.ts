import { Brackets, type SelectQueryBuilder } from 'typeorm';
import { andAmong } from '../../platform/db/conditions.js';
import { searchable } from '../../shared/json.js';
import { milliseconds, orderOf, type SortKeys } from '../../platform/db/keyset.js';
import { maxInt32 } from '../../shared/limits.js';
import { escapeLike, type SortBy } from '../../shared/page.js';
import { channelStatuses, statusNumber, type Channel, type ChannelStatus } from './channel.entity.js';

/** Conditions on channels. Absent fields do not restrict; an empty list matches nothing. */
export interface ChannelFilter {
  readonly ids?: readonly number[];
  /** An id, a part of the name, or a full key. */
  readonly keyword?: string;
  readonly groups?: readonly string[];
  /** Full names. */
  readonly models?: readonly string[];
  /** A part of the list of models, as the REST API filters. */
  readonly modelPart?: string;
  readonly types?: readonly number[];
  readonly statuses?: readonly ChannelStatus[];
  /** An empty text matches channels without a tag. */
  readonly tags?: readonly string[];
  readonly lastTests?: readonly LastTest[];
}

/** The result of the last test. */
export type LastTest = 'passed' | 'failed' | 'none';

const lastTestSql =
  "CASE WHEN channel.tested_at IS NULL THEN 'none' WHEN channel.test_error <> '' THEN 'failed' ELSE 'passed' END";

export type ChannelSortField =
  | ('id' | 'name' | 'type' | 'tag' | 'status' | 'priority' | 'weight' | 'usedQuota' | 'createdAt')
  | ('responseTime' | 'testedAt' | 'balance' | 'balanceAt');

export type ChannelSort = ReadonlyArray<SortBy<ChannelSortField>>;

export type ChannelQuery = SelectQueryBuilder<Channel>;

/** @param keyOwners ids of channels that have the keyword as a key */
export function applyFilter(query: ChannelQuery, filter: ChannelFilter, keyOwners: readonly number[]): ChannelQuery {
  const { keyword, modelPart } = filter;
  if (keyword) {
    const id = /^\d{1,10}$/.test(keyword) ? Number(keyword) : 0;
    const ids = [...keyOwners, ...(id <= maxInt32 ? [id] : [])];
    query.andWhere(
      new Brackets((either) =>
        either
          .where('channel.name ILIKE :name', { name: `%${escapeLike(keyword)}%` })
          .orWhere('channel.id = ANY (:keywordIds)', { keywordIds: ids }),
      ),
    );
  }
  if (modelPart)
    query.andWhere("array_to_string(channel.models, ',') LIKE :modelPart", { modelPart: `%${escapeLike(modelPart)}%` });
  andHasAny(query, 'channel.models', filter.models);
  andHasAny(query, 'channel.groups', filter.groups);
  andAmong(query, 'channel.id', filter.ids);
  andAmong(query, 'channel.type', filter.types);
  andAmong(query, 'channel.status', filter.statuses);
  andAmong(query, 'channel.tag', filter.tags);
  if (filter.lastTests) query.andWhere(`${lastTestSql} = ANY (:lastTests)`, { lastTests: filter.lastTests });
  return query;
}

/** Restricts a list to rows that have one of the values. */
function andHasAny(query: ChannelQuery, column: string, values: readonly string[] | undefined): void {
  if (values === undefined) return;
  const name = `${column.replace('.', '_')}_any`;
  // Postgres texts cannot contain NUL.
  const storable = values.map(searchable);
  query.andWhere(`${column} && :${name}::text[]`, { [name]: storable });
}

/** Channels without a passed test, or without a balance, sort last in both directions. */
export const channelSortKeys: SortKeys<Channel, ChannelSortField> = {
  id: { sql: 'channel.id', value: ({ id }) => id },
  name: { sql: 'channel.name', value: ({ name }) => name },
  type: { sql: 'channel.type', value: ({ type }) => type },
  tag: { sql: 'channel.tag', value: ({ tag }) => tag },
  status: {
    sql: `array_position('{${channelStatuses.join(',')}}', channel.status)`,
    value: ({ status }) => statusNumber(status),
  },
  priority: { sql: 'channel.priority', value: ({ priority }) => priority },
  weight: { sql: 'channel.weight', value: ({ weight }) => weight },
  usedQuota: { sql: 'channel.used_quota', value: ({ usedQuota }) => usedQuota },
  createdAt: { sql: milliseconds('channel.created_at'), value: ({ createdAt }) => createdAt, nullable: true },
  testedAt: { sql: milliseconds('channel.tested_at'), value: ({ testedAt }) => testedAt, nullable: true },
  responseTime: {
    sql: "CASE WHEN channel.tested_at IS NOT NULL AND channel.test_error = '' THEN channel.response_time END",
    value: ({ testedAt, testError, responseTime }) => (testedAt && testError === '' ? responseTime : null),
    nullable: true,
  },
  balance: {
    sql: 'CASE WHEN channel.balance_at IS NOT NULL THEN channel.balance END',
    value: ({ balanceAt, balance }) => (balanceAt ? balance : null),
    nullable: true,
  },
  balanceAt: { sql: milliseconds('channel.balance_at'), value: ({ balanceAt }) => balanceAt, nullable: true },
};

/** The default order: highest priority first, and newest first among equals. */
export const channelOrder: SortBy<'priority'> = { field: 'priority', direction: 'DESC' };

/**
 * Orders a query that reads all rows.
 * @throws InvalidInputError for a repeated field
 */
export function applySort(query: ChannelQuery, sort: ChannelSort): ChannelQuery {
  for (const { field, direction } of orderOf(sort, channelOrder)) {
    const { sql, nullable } = channelSortKeys[field];
    if (nullable) query.addOrderBy(sql, direction, 'NULLS LAST');
    else query.addOrderBy(sql, direction);
  }
  return query;
}
