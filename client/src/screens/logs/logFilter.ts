import { idPattern, listVariablesOf, type GridState, type SortOf } from '../../lib/gridState.js';
import { startOfToday, timesOf, toSeconds } from '../../lib/timeRange.js';
import type { LogFilter, LogSortField, LogType } from '../../nouns/logs/logs.generated.js';
import { typeLabels } from '../../nouns/logs/logTypes.js';

/** The filters as written in the URL; times in Unix seconds, empty for the default. */
export interface LogFilters extends Record<string, string> {
  from: string;
  to: string;
  type: string;
  tokenName: string;
  modelName: string;
  group: string;
  channelId: string;
  username: string;
  requestId: string;
  /** USD: `0.31` for amounts that are shown so, `0.3-0.4`, `>0.3` or `<0.4`. */
  cost: string;
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
  requestId: '',
  cost: '',
};

const amount = '\\d{1,9}(?:\\.\\d{0,6})?';
export const costPattern = new RegExp(`^(?:(?:[<>]\\s*)?${amount}|${amount}\\s*-\\s*${amount})$`);

/** A type that the field offers. Older addresses have numbers. */
export const typePattern = new RegExp(`^(?:${Object.keys(typeLabels).join('|')})$`);

/**
 * The quota that a cost filter means; both ends are whole numbers.
 * @param text USD as `costPattern` describes
 * @returns null for other text
 */
export function costRange(text: string, quotaPerUnit: number): { atLeast?: number; below?: number } | null {
  const cost = text.trim();
  if (!costPattern.test(cost)) return null;
  const quota = (usd: number): number => Math.ceil(Number((usd * quotaPerUnit).toFixed(6)));
  if (cost.startsWith('>')) return { atLeast: quota(Number(cost.slice(1))) };
  if (cost.startsWith('<')) return { below: quota(Number(cost.slice(1))) };
  const [low = 0, high] = cost.split('-').map(Number);
  if (high !== undefined) return { atLeast: quota(low), below: quota(high) + 1 };
  const half = 0.5 / 10 ** (cost.split('.')[1]?.length ?? 0);
  return { atLeast: Math.max(0, quota(low - half)), below: quota(low + half) };
}

const isLogType = (text: string): text is LogType => Object.hasOwn(typeLabels, text);

/** The query's filter. Default start: today, 00:00. Filters for admins are left out for other users. */
export function toLogFilter(
  filters: LogFilters,
  { isAdmin, quotaPerUnit }: { readonly isAdmin: boolean; readonly quotaPerUnit: number },
): LogFilter {
  const text = (value: string) => (value.trim() === '' ? null : value.trim());
  const list = (value: string) => (value.trim() === '' ? null : [value.trim()]);
  const requestId = text(filters.requestId);
  return {
    // A request is found at any time, unless a range is chosen.
    at: requestId && !filters.from && !filters.to ? null : timesOf(filters, startOfToday()),
    requestId,
    ...(filters.cost ? { quota: costRange(filters.cost, quotaPerUnit) } : {}),
    types: isLogType(filters.type) ? [filters.type] : null,
    tokenName: text(filters.tokenName),
    models: list(filters.modelName),
    groups: list(filters.group),
    ...(isAdmin
      ? {
          username: text(filters.username),
          channelIds: idPattern.test(filters.channelId.trim()) ? [Number(filters.channelId)] : null,
        }
      : {}),
  };
}

export const logSorts = ['at', 'quota'] satisfies SortOf<LogSortField>[];

export function logVariables(
  grid: GridState<LogFilters>,
  reader: { readonly isAdmin: boolean; readonly quotaPerUnit: number },
) {
  const filter = toLogFilter(grid.filter, reader);
  const variables = listVariablesOf<LogSortField>(grid);
  // The server sorts by cost only within a range. A request that is found without a range has few rows.
  const sort = filter.at || variables.sort?.[0]?.field === 'AT' ? (variables.sort ?? null) : null;
  return { ...variables, sort, filter };
}

/** Numbers of the log types in the REST API. */
const typeNumbers: Record<LogType, string> = {
  UNKNOWN: '0',
  TOP_UP: '1',
  CONSUME: '2',
  MANAGE: '3',
  SYSTEM: '4',
  CHECK_IN: '5',
  ERROR: '6',
  TEST: '7',
};

/** Returns the filter as query parameters of the export, whose end is included. */
export function toExportQuery({ at, types, ...filter }: LogFilter): Record<string, string> {
  const text = (value: string | number | null | undefined) => String(value ?? '');
  const seconds = (time: string | null | undefined, shift = 0) =>
    time ? toSeconds(new Date(new Date(time).getTime() + shift)) : '';
  const [type] = types ?? [];
  return {
    type: type ? typeNumbers[type] : '',
    token_name: text(filter.tokenName),
    model_name: text(filter.models?.[0]),
    group: text(filter.groups?.[0]),
    channel: text(filter.channelIds?.[0]),
    username: text(filter.username),
    min_quota: text(filter.quota?.atLeast),
    max_quota: filter.quota?.below == null ? '' : text(filter.quota.below - 1),
    request_id: text(filter.requestId),
    start_timestamp: seconds(at?.from),
    end_timestamp: seconds(at?.until, -1),
  };
}
