import type { Actor } from './actor.js';

/** A GraphQL query that is stored and run later, by others. */
export interface StoredQuery {
  readonly query: string;
  /** Fixed values of its variables. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** The names in the response of the numbers that are shown, the first one first. Absent: all. */
  readonly numbers?: readonly string[] | null;
}

export const columnKinds = ['TIME', 'TEXT', 'NUMBER', 'QUOTA', 'BOOLEAN'] as const;
export type ColumnKind = (typeof columnKinds)[number];

export interface QueryColumn {
  /** Names of the response, joined with dots: `metrics.usd`. */
  readonly path: string;
  /** The path in the names of the schema: `metrics.latencyMs` where an alias makes `path` `metrics.p95`. */
  readonly field: string;
  readonly kind: ColumnKind;
}

/** Where a response has its rows, and what of them is shown. */
export interface QueryShape {
  /** The path of the list in `data`, such as `usage.items`. Null: the response is one row. */
  readonly rows: string | null;
  /** Scalars of a row, with paths inside the row. Numbers that are not shown are left out. */
  readonly columns: readonly QueryColumn[];
  /** Scalars outside the list, with paths in `data`. */
  readonly values: readonly QueryColumn[];
}

/** Checks queries that are stored and run later. */
export interface QueryChecks {
  /**
   * Checks a query: it must fit the schema, read only, keep to the limits of one operation, have a value for each
   * variable, and select nothing that is withheld from panels.
   * @param at the field of the input, for the errors
   * @param supplied values of the variables that are only known when the query runs
   * @param author who saves it; null if it was saved before
   * @returns where its rows are, and their columns
   * @throws AppError INVALID_INPUT, INSUFFICIENT_PRIVILEGES for root fields that the author may not read
   */
  check(query: StoredQuery, supplied: Readonly<Record<string, unknown>>, at: string, author: Actor | null): QueryShape;
}
