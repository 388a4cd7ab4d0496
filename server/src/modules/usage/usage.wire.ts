import { queryNumber } from '../../http/query.js';
import type { HourlyModelUsage, UsageFilter } from './usage.service.js';

type Query = Readonly<Record<string, string | undefined>>;

/** Zero and unreadable times ask nothing. */
export const toRange = (query: Query): Pick<UsageFilter, 'from' | 'to'> => ({
  from: queryNumber(query['start_timestamp']) || undefined,
  to: queryNumber(query['end_timestamp']) || undefined,
});

/** Rows of the old dashboards (`rest-api.md` 2.10). Sums over all users have no user and no id. */
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
