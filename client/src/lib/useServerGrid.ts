import { useMemo, useState } from 'react';
import { readText, writeText } from './storage.js';
import { useUrlParams } from './useUrlParams.js';

export const pageSizes = [10, 20, 50, 100] as const;
const pageSizeKey = 'page-size';

export type SortDirection = 'ASC' | 'DESC';
export interface GridSort {
  readonly field: string;
  readonly direction: SortDirection;
}

export interface ServerGridOptions<F extends Record<string, string>> {
  /** The filters with their defaults; a filter at its default does not stand in the URL. */
  readonly filters: F;
  readonly defaultSort?: GridSort;
}

export interface ServerGrid<F extends Record<string, string>> {
  /** 0-based. */
  readonly page: number;
  readonly pageSize: number;
  readonly sort: GridSort | undefined;
  readonly filter: F;
  readonly isFiltered: boolean;
  /** For the query: `{ page, pageSize, sort }`. */
  readonly pageVariables: { page: number; pageSize: number; sort?: GridSort };
  setPage(page: number): void;
  setPageSize(size: number): void;
  /** Undefined returns to the list's own order. */
  setSort(sort: GridSort | undefined): void;
  /** Goes back to the first page. With `replace` the way back skips what was filtered by before, as while somebody types. */
  setFilter(filter: Partial<F>, how?: { readonly replace: boolean }): void;
  resetFilter(): void;
}

const isPageSize = (size: number): boolean => (pageSizes as readonly number[]).includes(size);

function storedPageSize(): number {
  const size = Number(readText(pageSizeKey));
  return isPageSize(size) ? size : pageSizes[0];
}

function parseSort(text: string | null): GridSort | undefined {
  const match = /^(\w+):(asc|desc)$/.exec(text ?? '');
  return match?.[1] ? { field: match[1], direction: match[2] === 'asc' ? 'ASC' : 'DESC' } : undefined;
}

/**
 * A list's page, size, sort and filters, kept in the URL: back, reload and a shared link show the same rows. The page
 * size is also remembered for the next list.
 */
export function useServerGrid<F extends Record<string, string>>(options: ServerGridOptions<F>): ServerGrid<F> {
  const [params, change] = useUrlParams();
  // Callers write the defaults inline; the first ones count.
  const [defaults] = useState(options.filters);

  const pageSize = isPageSize(Number(params.get('size'))) ? Number(params.get('size')) : storedPageSize();
  const page = Math.max(0, Math.trunc(Number(params.get('page')) || 1) - 1);
  const sortText = params.get('sort');
  const sort = useMemo(() => parseSort(sortText) ?? options.defaultSort, [sortText, options.defaultSort]);
  const filterText = JSON.stringify(Object.keys(defaults).map((key) => params.get(key) ?? defaults[key]));
  const filter = useMemo(() => {
    const values = JSON.parse(filterText) as string[];
    return Object.fromEntries(Object.keys(defaults).map((key, index) => [key, values[index] ?? ''])) as F;
  }, [defaults, filterText]);

  return useMemo(
    () => ({
      page,
      pageSize,
      sort,
      filter,
      isFiltered: Object.keys(defaults).some((key) => filter[key] !== defaults[key]),
      pageVariables: { page, pageSize, ...(sort ? { sort } : {}) },
      setPage: (next) => {
        change({ page: next === 0 ? null : String(next + 1) });
      },
      setPageSize: (size) => {
        writeText(pageSizeKey, String(size));
        change({ size: String(size), page: null });
      },
      setSort: (next) => {
        change({ sort: next ? `${next.field}:${next.direction.toLowerCase()}` : null, page: null });
      },
      setFilter: (patch, how) => {
        const entries = Object.entries(patch as Record<string, string>).map(([key, value]): [string, string | null] => [
          key,
          value === defaults[key] ? null : value,
        ]);
        change({ ...Object.fromEntries(entries), page: null }, how);
      },
      resetFilter: () => {
        change({ ...Object.fromEntries(Object.keys(defaults).map((key) => [key, null])), page: null });
      },
    }),
    [page, pageSize, sort, filter, defaults, change],
  );
}
