/** One page of a list. `totalCount` counts all rows that match the filter, or is capped and then `capped` is true. */
export interface Page<T> {
  readonly items: T[];
  readonly totalCount: number;
}

export const defaultPageSize = 10;
export const maxPageSize = 100;

export type SortDirection = 'ASC' | 'DESC';

/** `page` starts at 0, `pageSize` is 1 to 100, `sort` names a column the list allows. */
export interface PageQuery {
  readonly page: number;
  readonly pageSize: number;
  readonly sort?: { readonly field: string; readonly direction: SortDirection };
}

/**
 * Absent, zero or negative sizes mean 10; larger ones are capped at 100
 * (docs/reference/rest/conventions.md#pagination).
 */
export function clampPageSize(size: number | null | undefined): number {
  if (!size || !Number.isFinite(size) || size < 1) return defaultPageSize;
  return Math.min(Math.trunc(size), maxPageSize);
}

export function toPageQuery(input: {
  page?: number | null;
  pageSize?: number | null;
  sort?: PageQuery['sort'] | null;
}): PageQuery {
  const page = Number.isFinite(input.page) ? Math.max(0, Math.trunc(input.page ?? 0)) : 0;
  return { page, pageSize: clampPageSize(input.pageSize), ...(input.sort ? { sort: input.sort } : {}) };
}

/** Makes a user's search text literal inside a LIKE pattern (default escape character `\`). */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, (character) => `\\${character}`);
}
