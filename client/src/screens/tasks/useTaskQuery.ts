import { useState } from 'react';
import { useIsAdmin } from '../../lib/session.js';
import { useServerGrid, type ServerGrid } from '../../lib/useServerGrid.js';
import { noFilters, toTaskFilter, type TaskFilters } from './taskFilter.js';

export interface TaskQuery {
  /** Everybody's tasks are listed, else one's own. */
  readonly isAdmin: boolean;
  readonly grid: ServerGrid<TaskFilters>;
  /** Where the time begins unless somebody says so. */
  readonly start: Date;
  /** Asks the server again, up to the present moment. */
  readonly refresh: () => void;
}

/**
 * What a list of tasks asks for: its page and filters in the URL, until the moment it was last refreshed.
 * @param startsAt where the time begins unless somebody says so
 * @param byId the filter for one task
 */
export function useTaskQuery<F extends object>(startsAt: () => Date, byId: (id: string) => F) {
  const isAdmin = useIsAdmin();
  const grid = useServerGrid({ filters: noFilters });
  const [start] = useState(startsAt);
  const [now, setNow] = useState(() => new Date());
  const refresh = () => {
    setNow(new Date());
  };
  const query: TaskQuery = { isAdmin, grid, start, refresh };
  const id = grid.filter.task.trim();
  const filter = { ...toTaskFilter(grid.filter, start, isAdmin, now), ...(id === '' ? {} : byId(id)) };
  return { query, variables: { page: grid.page, pageSize: grid.pageSize, filter } };
}
