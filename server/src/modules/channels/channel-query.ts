import { Brackets, type SelectQueryBuilder } from 'typeorm';
import { InvalidInputError } from '../../shared/errors.js';
import { escapeLike, type PageQuery } from '../../shared/page.js';
import type { Channel } from './channel.entity.js';
import { maxInt32 } from '../../shared/limits.js';

/** Conditions on channels. Absent fields do not restrict. */
export interface ChannelFilter {
  /** Id, part of the name, or a full key. */
  readonly keyword?: string;
  readonly group?: string;
  /** Part of the list of models. */
  readonly model?: string;
  readonly type?: number;
  readonly status?: number;
  readonly tag?: string;
}

export type ChannelQuery = SelectQueryBuilder<Channel>;

/** @param keyOwners ids of channels that have the keyword as a key */
export function applyFilter(query: ChannelQuery, filter: ChannelFilter, keyOwners: readonly number[]): ChannelQuery {
  if (filter.keyword) {
    const id = /^\d{1,10}$/.test(filter.keyword) ? Number(filter.keyword) : 0;
    const ids = [...keyOwners, ...(id <= maxInt32 ? [id] : [])];
    query.andWhere(
      new Brackets((either) =>
        either
          .where('channel.name ILIKE :name', { name: `%${escapeLike(filter.keyword ?? '')}%` })
          .orWhere('channel.id = ANY (:ids)', { ids }),
      ),
    );
  }
  if (filter.model) query.andWhere('channel.models LIKE :model', { model: `%${escapeLike(filter.model)}%` });
  if (filter.group) query.andWhere(`:group = ANY (string_to_array(channel.group, ','))`, { group: filter.group });
  if (filter.type !== undefined) query.andWhere('channel.type = :type', { type: filter.type });
  if (filter.status !== undefined) query.andWhere('channel.status = :status', { status: filter.status });
  if (filter.tag !== undefined) query.andWhere('channel.tag = :tag', { tag: filter.tag });
  return query;
}

const sortable: readonly (keyof Channel)[] = [
  ...(['id', 'name', 'type', 'status', 'priority', 'weight', 'responseTime', 'balance', 'usedQuota'] as const),
  ...(['createdTime', 'testTime', 'balanceUpdatedTime', 'tag', 'group'] as const),
];

/** By default highest priority first, and newest first among equals. */
export function applySort(query: ChannelQuery, sort: PageQuery['sort']): ChannelQuery {
  const field = sort ? sortable.find((name) => name === sort.field) : 'priority';
  if (!field) throw new InvalidInputError('Channels cannot be sorted by this field', 'sort');
  query.orderBy(`channel.${field}`, sort?.direction ?? 'DESC');
  return field === 'id' ? query : query.addOrderBy('channel.id', 'DESC');
}
