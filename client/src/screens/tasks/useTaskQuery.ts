import { useState } from 'react';
import { idPattern } from '../../lib/gridState.js';
import { useMay } from '../../lib/permissions.js';
import { useServerGrid, type ServerGrid } from '../../lib/useServerGrid.js';
import { noFilters, toTaskFilter, type TaskFilters } from './taskFilter.js';

export interface TaskQuery {
  /** The tasks of all users are listed, else the user's own. */
  readonly isAdmin: boolean;
  readonly grid: ServerGrid<TaskFilters>;
  /** Default start of the time range. */
  readonly start: Date;
}

/**
 * Query variables of a task list: page and filters from the URL.
 * @param startsAt default start of the time range
 */
export function useTaskQuery(startsAt: () => Date) {
  const isAdmin = useMay('TASKS_READ');
  const grid = useServerGrid({ filters: noFilters, patterns: { channelId: idPattern } });
  const [start] = useState(startsAt);
  const query: TaskQuery = { isAdmin, grid, start };
  const filter = toTaskFilter(grid.filter, start, isAdmin);
  return { query, variables: { page: grid.page, pageSize: grid.pageSize, filter } };
}
