import { useState } from 'react';
import { idPattern } from '../../lib/gridState.js';
import { useMay } from '../../lib/permissions.js';
import { useMoment } from '../../lib/useMoment.js';
import { useServerGrid, type ServerGrid } from '../../lib/useServerGrid.js';
import { noFilters, toTaskFilter, type TaskFilters } from './taskFilter.js';

export interface TaskQuery {
  /** The tasks of all users are listed, else the user's own. */
  readonly isAdmin: boolean;
  readonly grid: ServerGrid<TaskFilters>;
  /** Default start of the time range. */
  readonly start: Date;
  /** Reloads the list, up to the current time. */
  readonly refresh: () => void;
}

/**
 * Query variables of a task list: page and filters from the URL, up to the time of the last refresh.
 * @param startsAt default start of the time range
 */
export function useTaskQuery(startsAt: () => Date) {
  const isAdmin = useMay('TASKS_READ');
  const grid = useServerGrid({ filters: noFilters, patterns: { channelId: idPattern } });
  const [start] = useState(startsAt);
  const [now, refresh] = useMoment(grid.filter);
  const query: TaskQuery = { isAdmin, grid, start, refresh };
  const filter = toTaskFilter(grid.filter, start, isAdmin, now);
  return { query, variables: { page: grid.page, pageSize: grid.pageSize, filter } };
}
