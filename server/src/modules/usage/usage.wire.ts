import { queryId, queryNumber } from '../../http/query.js';
import { InvalidInputError } from '../../shared/errors.js';
import { usageDimensions, type HourlyModelUsage, type UsageDimension, type UsageFilter } from './usage.service.js';

type Query = Readonly<Record<string, string | undefined>>;

/** Zero and unreadable times ask nothing. */
export const toRange = (query: Query): Pick<UsageFilter, 'from' | 'to'> => ({
  from: queryNumber(query['start_timestamp']) || undefined,
  to: queryNumber(query['end_timestamp']) || undefined,
});

/**
 * Rows of the old dashboards (docs/reference/rest/entities.md#other-entities). Sums over all users have no user and no
 * id.
 */
export const toWire = (rows: readonly HourlyModelUsage[], user?: { id: number; name: string }): unknown[] =>
  rows.map((row, index) => ({
    id: user ? index + 1 : 0,
    user_id: user?.id ?? 0,
    username: user?.name ?? '',
    model_name: row.modelName,
    created_at: row.hour,
    token_used: row.tokens,
    count: row.calls,
    quota: row.quota,
  }));

/** `group_by=day,model` in any case; by day when absent. @throws InvalidInputError */
export function toDimensions(query: Query): UsageDimension[] {
  const names = (query['group_by'] || 'day').split(',').map((name) => name.trim().toUpperCase());
  return names.map((name) => {
    const found = usageDimensions.find((dimension) => dimension === name);
    if (!found) throw new InvalidInputError('Unknown dimension', 'group_by');
    return found;
  });
}

/** Zero, empty and unreadable values ask nothing. */
export const toUsageFilter = (query: Query): UsageFilter => ({
  ...toRange(query),
  userId: queryId(query['user_id']) || undefined,
  username: query['username'] || undefined,
  tokenId: queryId(query['token_id']) || undefined,
  channelId: queryId(query['channel']) || undefined,
  modelName: query['model_name'] || undefined,
  group: query['group'] || undefined,
});
