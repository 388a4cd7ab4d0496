import { idPattern } from '../../lib/gridState.js';
import { timesOf } from '../../lib/timeRange.js';

/** The filters of both lists as they stand in the URL; times in Unix seconds, empty for the default. */
export interface TaskFilters extends Record<string, string> {
  from: string;
  to: string;
  channelId: string;
  task: string;
}

export const noFilters: TaskFilters = { from: '', to: '', channelId: '', task: '' };

/** The query's filter. Only admins can filter by channel. */
export function toTaskFilter(filters: TaskFilters, start: Date, isAdmin: boolean) {
  const channel = filters.channelId.trim();
  const task = filters.task.trim();
  return {
    submitted: timesOf(filters, start),
    ...(task === '' ? {} : { taskIds: [task] }),
    ...(isAdmin && idPattern.test(channel) ? { channelIds: [Number(channel)] } : {}),
  };
}

/** Whole seconds between two times; null without an end. */
export const secondsBetween = (from: string, to: string | null | undefined): number | null =>
  to ? Math.max(0, Math.round((new Date(to).getTime() - new Date(from).getTime()) / 1000)) : null;

/** The audio URL of a finished song: the first one in the provider's data. */
export function audioOf(data: unknown): string | null {
  const seen: unknown[] = [data];
  for (const value of seen) {
    if (typeof value !== 'object' || value === null) continue;
    const address = (value as { audio_url?: unknown }).audio_url;
    if (typeof address === 'string' && /^https?:\/\//.test(address)) return address;
    seen.push(...(Object.values(value) as unknown[]));
  }
  return null;
}
