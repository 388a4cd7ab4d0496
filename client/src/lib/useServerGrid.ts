import { useMemo, useState } from 'react';
import {
  gridStateOf,
  pageSizeKey,
  pageVariablesOf,
  type GridSort,
  type GridState,
  type PageVariables,
} from './gridState.js';
import { writeText } from './storage.js';
import { useUrlParams } from './useUrlParams.js';

export interface ServerGridOptions<F extends Record<string, string>> {
  /** The filters with their defaults; the URL leaves out defaults. */
  readonly filters: F;
  /** Filters that choose a view, such as a period. They do not make a list filtered, and stay when it is reset. */
  readonly views?: ReadonlyArray<keyof F>;
  readonly defaultSort?: GridSort;
  /** Columns that the list can be sorted by. Another one in the URL is ignored. Default: none. */
  readonly sorts?: readonly string[];
  /** Patterns of filters. A value in the URL that does not match is ignored. */
  readonly patterns?: Partial<Record<keyof F, RegExp>>;
}

/**
 * The filters of a list, and the functions that change them. The object is the same on every page, so that a filter bar
 * is not rendered again.
 */
export interface GridFilters<F extends Record<string, string>> {
  readonly filter: F;
  readonly isFiltered: boolean;
  /** Goes to the first page. With `replace` no history entry is added, for filters that change with every keystroke. */
  setFilter(filter: Partial<F>, how?: { readonly replace: boolean }): void;
  resetFilter(): void;
}

export interface ServerGrid<F extends Record<string, string>> extends GridState<F>, GridFilters<F> {
  readonly filters: GridFilters<F>;
  readonly pageVariables: PageVariables;
  readonly sorts: readonly string[];
  setPage(page: number, how?: { readonly replace: boolean }): void;
  setPageSize(size: number): void;
  /** Undefined returns to the default order. */
  setSort(sort: GridSort | undefined): void;
}

/**
 * A list's page, size, sort and filters, kept in the URL: back, reload and a shared link show the same rows. The page
 * size is also remembered for the next list.
 */
export function useServerGrid<F extends Record<string, string>>(options: ServerGridOptions<F>): ServerGrid<F> {
  const [params, change] = useUrlParams();
  // Callers pass the defaults inline as a new object; keep the first.
  const [defaults] = useState(options.filters);
  const [sorts] = useState(options.sorts ?? []);
  const [names] = useState(() => Object.keys(defaults).filter((name) => !options.views?.includes(name)));

  // URLs with the same meaning give the same state object.
  const text = JSON.stringify(gridStateOf(params, defaults, options.defaultSort, options.patterns, sorts));
  const state = useMemo(() => JSON.parse(text) as GridState<F>, [text]);

  const filterText = JSON.stringify(state.filter);
  const filters = useMemo((): GridFilters<F> => {
    const filter = JSON.parse(filterText) as F;
    return {
      filter,
      isFiltered: names.some((key) => filter[key] !== defaults[key]),
      setFilter: (patch, how) => {
        const entries = Object.entries(patch as Record<string, string>).map(([key, value]): [string, string | null] => [
          key,
          value === defaults[key] ? null : value,
        ]);
        change({ ...Object.fromEntries(entries), page: null }, how);
      },
      resetFilter: () => change({ ...Object.fromEntries(names.map((key) => [key, null])), page: null }),
    };
  }, [filterText, defaults, names, change]);

  return useMemo(
    () => ({
      ...state,
      ...filters,
      filters,
      sorts,
      pageVariables: pageVariablesOf(state),
      setPage: (next, how) => change({ page: next === 0 ? null : String(next + 1) }, how),
      setPageSize: (size) => {
        writeText(pageSizeKey, String(size));
        change({ size: String(size), page: null });
      },
      setSort: (next) => change({ sort: next ? `${next.field}:${next.direction.toLowerCase()}` : null, page: null }),
    }),
    [state, filters, sorts, change],
  );
}
