import { useMemo, useState } from 'react';
import { pageSizes, type ServerGrid } from './useServerGrid.js';

/** Pages of rows that are all here already, for the grid that otherwise asks the server. */
export function useLocalGrid<R>(
  all: readonly R[],
  { isFiltered, reset }: { readonly isFiltered: boolean; readonly reset: () => void },
): { readonly grid: ServerGrid<Record<string, string>>; readonly rows: readonly R[] } {
  const [wanted, setPage] = useState(0);
  const [pageSize, setPageSize] = useState<number>(pageSizes[0]);
  const page = Math.max(0, Math.min(wanted, Math.ceil(all.length / pageSize) - 1));
  const rows = useMemo(() => all.slice(page * pageSize, (page + 1) * pageSize), [all, page, pageSize]);
  const grid: ServerGrid<Record<string, string>> = {
    page,
    pageSize,
    sort: undefined,
    filter: {},
    isFiltered,
    pageVariables: { page, pageSize },
    setPage,
    setPageSize: (size) => {
      setPageSize(size);
      setPage(0);
    },
    setSort: () => undefined,
    setFilter: () => undefined,
    resetFilter: reset,
  };
  return { grid, rows };
}
