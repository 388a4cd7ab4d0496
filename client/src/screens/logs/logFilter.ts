import { pageVariablesOf, type GridState } from '../../lib/gridState.js';
import { startOfToday, toSeconds, toTimes } from '../../lib/timeRange.js';
import type { LogFilter } from './logs.generated.js';

/** The filters as they stand in the URL; times in Unix seconds, empty for the default. */
export interface LogFilters extends Record<string, string> {
  from: string;
  to: string;
  type: string;
  tokenName: string;
  modelName: string;
  group: string;
  channelId: string;
  username: string;
}

export const noFilters: LogFilters = {
  from: '',
  to: '',
  type: '',
  tokenName: '',
  modelName: '',
  group: '',
  channelId: '',
  username: '',
};

/** Since the start of today unless a time is chosen. Admin-only filters are left out for others. */
export function toLogFilter(filters: LogFilters, isAdmin: boolean, now: Date): LogFilter {
  const text = (value: string) => (value.trim() === '' ? null : value.trim());
  return {
    ...toTimes(filters, startOfToday(), now),
    type: filters.type === '' ? null : Number(filters.type),
    tokenName: text(filters.tokenName),
    modelName: text(filters.modelName),
    group: text(filters.group),
    ...(isAdmin
      ? {
          username: text(filters.username),
          channelId: /^\d{1,9}$/.test(filters.channelId.trim()) ? Number(filters.channelId) : null,
        }
      : {}),
  };
}

/** @param now where a list that has no end ends */
export const logVariables = (grid: GridState<LogFilters>, isAdmin: boolean, now: Date) => ({
  ...pageVariablesOf(grid),
  filter: toLogFilter(grid.filter, isAdmin, now),
});

/** The same filter as the export's address has it. */
export function toExportQuery(filter: LogFilter): Record<string, string> {
  const text = (value: string | number | null | undefined) => String(value ?? '');
  const seconds = (time: string | null | undefined) => (time ? toSeconds(new Date(time)) : '');
  return {
    type: text(filter.type),
    token_name: text(filter.tokenName),
    model_name: text(filter.modelName),
    group: text(filter.group),
    channel: text(filter.channelId),
    username: text(filter.username),
    start_timestamp: seconds(filter.from),
    end_timestamp: seconds(filter.to),
  };
}
