import { InvalidInputError } from './errors.js';
import { searchable } from './json.js';

/** One page of a list, read by offset or after a cursor. */
export interface Slice<Row> {
  readonly items: Row[];
  /** Opaque text that continues after the last row; null for an empty page. */
  readonly endCursor: string | null;
  readonly hasNextPage: boolean;
  /** Counts all rows that match the filter. Runs a separate query, so call it only when the number is needed. */
  readonly total: () => Promise<Total>;
}

/** A number of rows, possibly capped. */
export interface Total {
  readonly count: number;
  /** True when there are more rows than `count` says. */
  readonly capped: boolean;
}

/** One sort criterion. */
export interface SortBy<Field extends string = string> {
  readonly field: Field;
  readonly direction: SortDirection;
}

/**
 * How to read a list. `after` is a cursor of the same sort, in which case `page` is 0. An empty `sort` means the list's
 * default order.
 */
export interface ListQuery<Field extends string = string> {
  /** Starts at 0. */
  readonly page: number;
  readonly pageSize: number;
  readonly after: string | null;
  readonly sort: ReadonlyArray<SortBy<Field>>;
}

export const defaultPageSize = 10;
export const maxPageSize = 100;

export type SortDirection = 'ASC' | 'DESC';

/** `page` starts at 0, `pageSize` is 1 to 100. */
export interface PageQuery {
  readonly page: number;
  readonly pageSize: number;
}

/**
 * Absent, zero or negative sizes mean 10; larger ones are capped at 100
 * (docs/reference/rest/conventions.md#pagination).
 */
export function clampPageSize(size: number | null | undefined): number {
  if (!size || !Number.isFinite(size) || size < 1) return defaultPageSize;
  return Math.min(Math.trunc(size), maxPageSize);
}

/** Normalises page parameters of a client: defaults, and the maximum page size. */
export function toPageQuery(input: { page?: number | null; pageSize?: number | null }): PageQuery {
  const page = Number.isFinite(input.page) ? Math.max(0, Math.trunc(input.page ?? 0)) : 0;
  return { page, pageSize: clampPageSize(input.pageSize) };
}

/**
 * A page of a list that is whole in memory. The cursor is the key of the last row.
 * @throws AppError INVALID_INPUT for a cursor whose row is not in the list
 */
export function sliceOfList<Row>(
  rows: readonly Row[],
  { page, pageSize, after }: Pick<ListQuery, 'page' | 'pageSize' | 'after'>,
  keyOf: (row: Row) => string,
): Slice<Row> {
  const start = after === null ? page * pageSize : rows.findIndex((row) => keyOf(row) === after) + 1;
  if (after !== null && start === 0) {
    throw new InvalidInputError('The row of this cursor is not in the list: read it from its start', 'after');
  }
  const items = rows.slice(start, start + pageSize);
  const last = items.at(-1);
  return {
    items,
    endCursor: last === undefined ? null : keyOf(last),
    hasNextPage: start + items.length < rows.length,
    total: () => Promise.resolve({ count: rows.length, capped: false }),
  };
}

/**
 * Makes a user's search text literal inside a LIKE pattern (default escape character `\`). No text of Postgres contains
 * NUL, so one with NUL becomes a text that matches no row.
 */
export function escapeLike(text: string): string {
  return searchable(text).replace(/[\\%_]/g, (character) => `\\${character}`);
}
