import { useMemo, useState } from 'react';
import { pageSizes } from './gridState.js';
import type { ServerGrid } from './useServerGrid.js';

/** The rows of the grid's page, of a list that is loaded completely. A page after the last shows the last. */
export function useRowsOf<R, F extends Record<string, string>>(
  all: readonly R[],
  grid: ServerGrid<F>,
): { readonly grid: ServerGrid<F>; readonly rows: readonly R[] } {
  const { pageSize } = grid;
  const page = Math.max(0, Math.min(grid.page, Math.ceil(all.length / pageSize) - 1));
  const rows = useMemo(() => all.slice(page * pageSize, (page + 1) * pageSize), [all, page, pageSize]);
  return { grid: { ...grid, page }, rows };
}

/** Paging and sorting of rows that are loaded completely, without state in the URL. */
export function useLocalGrid<R>(
  all: readonly R[],
  { isFiltered, reset }: { readonly isFiltered: boolean; readonly reset: () => void },
): { readonly grid: ServerGrid<Record<string, string>>; readonly rows: readonly R[] } {
  const [page, setPage] = useState(0);
  const [pageSize, setPageSize] = useState<number>(pageSizes[0]);
  const filters = { filter: {}, isFiltered, setFilter: () => undefined, resetFilter: reset };
  return useRowsOf(all, {
    ...filters,
    filters,
    page,
    pageSize,
    sort: undefined,
    sorts: [],
    pageVariables: { page, pageSize },
    setPage,
    setPageSize: (size) => {
      setPageSize(size);
      setPage(0);
    },
    setSort: () => undefined,
  });
}
