import { readText } from './storage.js';

export const pageSizes = [10, 20, 50, 100] as const;
export const pageSizeKey = 'page-size';

export type SortDirection = 'ASC' | 'DESC';
export interface GridSort {
  readonly field: string;
  readonly direction: SortDirection;
}

/** Matches an id or a page number in the form that the server accepts. */
export const idPattern = /^\d{1,9}$/;

/** Columns of a typed list: `usedQuota` for `USED_QUOTA`. */
export type SortOf<Field extends string> = Field extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<SortOf<Rest>>}`
  : Lowercase<Field>;

/** Page, sort order and filters of a list, as read from its URL. */
export interface GridState<F extends Record<string, string>> {
  /** 0-based. */
  readonly page: number;
  readonly pageSize: number;
  readonly sort: GridSort | undefined;
  readonly filter: F;
}

/** The variables of the query: `{ page, pageSize, sort }`. */
export interface PageVariables {
  readonly page: number;
  readonly pageSize: number;
  readonly sort?: GridSort;
}

/**
 * @param defaults the filters with their defaults; the URL leaves out defaults
 * @param patterns values in the URL that do not match are ignored
 * @param sorts columns that the list can be sorted by; others in the URL are ignored
 */
export function gridStateOf<F extends Record<string, string>>(
  params: URLSearchParams,
  defaults: F,
  defaultSort?: GridSort,
  patterns: Partial<Record<keyof F, RegExp>> = {},
  sorts: readonly string[] = [],
): GridState<F> {
  const valueOf = (key: keyof F & string, fallback: string) => {
    const value = params.get(key);
    return value === null || patterns[key]?.test(value.trim()) === false ? fallback : value;
  };
  const size = Number(params.get('size'));
  const page = params.get('page') ?? '';
  return {
    page: idPattern.test(page) ? Math.max(0, Number(page) - 1) : 0,
    pageSize: isPageSize(size) ? size : storedPageSize(),
    sort: parseSort(params.get('sort'), sorts) ?? defaultSort,
    filter: Object.fromEntries(Object.entries(defaults).map(([key, value]) => [key, valueOf(key, value)])) as F,
  };
}

export const pageVariablesOf = ({ page, pageSize, sort }: Omit<GridState<never>, 'filter'>): PageVariables => ({
  page,
  pageSize,
  ...(sort ? { sort } : {}),
});

/** A sort as typed lists take it: the column `usedQuota` is `USED_QUOTA`. */
export const sortVariable = <Field extends string>(
  sort: GridSort | undefined,
): Array<{ field: Field; direction: SortDirection }> | null =>
  sort
    ? [
        {
          field: sort.field.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase() as Field,
          direction: sort.direction,
        },
      ]
    : null;

/** Query variables for the page and the sort order of a list. */
export const listVariablesOf = <Field extends string>({
  page,
  pageSize,
  sort,
}: Omit<GridState<never>, 'filter'>): {
  page: number;
  pageSize: number;
  sort?: Array<{ field: Field; direction: SortDirection }>;
} => ({
  page,
  pageSize,
  ...(sort ? { sort: sortVariable<Field>(sort) ?? [] } : {}),
});

const isPageSize = (size: number): boolean => (pageSizes as readonly number[]).includes(size);

function storedPageSize(): number {
  const size = Number(readText(pageSizeKey));
  return isPageSize(size) ? size : pageSizes[0];
}

function parseSort(text: string | null, sorts: readonly string[]): GridSort | undefined {
  const match = /^(\w+):(asc|desc)$/.exec(text ?? '');
  return match?.[1] && sorts.includes(match[1])
    ? { field: match[1], direction: match[2] === 'asc' ? 'ASC' : 'DESC' }
    : undefined;
}
