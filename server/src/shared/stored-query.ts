/** A GraphQL query that is stored and run later, by others. */
export interface StoredQuery {
  readonly query: string;
  /** Fixed values of its variables. */
  readonly variables: Readonly<Record<string, unknown>>;
}

export const columnKinds = ['TIME', 'TEXT', 'NUMBER', 'QUOTA', 'BOOLEAN'] as const;
export type ColumnKind = (typeof columnKinds)[number];

export interface QueryColumn {
  /** Names of the response, joined with dots: `metrics.usd`. */
  readonly path: string;
  readonly kind: ColumnKind;
}

/** Where a response has its rows, and what is in them. */
export interface QueryShape {
  /** The path of the list in `data`, such as `usage.items`. Null: the response is one row. */
  readonly rows: string | null;
  /** Scalars of a row, with paths inside the row. */
  readonly columns: readonly QueryColumn[];
  /** Scalars outside the list, with paths in `data`. */
  readonly values: readonly QueryColumn[];
}
