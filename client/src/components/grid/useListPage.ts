import type { OperationVariables, TypedDocumentNode } from '@apollo/client';
import { skipToken, useQuery } from '@apollo/client/react';
import { useCallback } from 'react';
import { useLastAnswer } from '../../lib/useLastAnswer.js';
import type { ServerGrid } from '../../lib/useServerGrid.js';

interface Page<Row> {
  readonly items: readonly Row[];
  readonly totalCount: number;
  /** There are more rows than `totalCount`. */
  readonly totalCapped?: boolean;
}

interface ListPageOptions {
  /** The fetch policy, if it differs from the client's, such as for rows that no other screen shows. */
  readonly fetchPolicy?: 'no-cache' | 'network-only';
  /** Whether no query is sent, for a screen that chooses between lists. */
  readonly isSkipped?: boolean;
}

/**
 * Loads one page of a list from the server. While the next page loads, the last one stays. Rows of another filter are
 * removed when a query fails.
 * @param pageOf finds the page in the response
 */
export function useListPage<Data, Variables extends OperationVariables, Row, F extends Record<string, string>>(
  grid: ServerGrid<F>,
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  pageOf: (data: Data) => Page<Row> | null | undefined,
  { fetchPolicy, isSkipped = false }: ListPageOptions = {},
) {
  const { data, loading, error, refetch } = useQuery(
    document,
    isSkipped ? skipToken : { variables, ...(fetchPolicy ? { fetchPolicy } : {}) },
  );
  const reload = useCallback(() => void refetch(), [refetch]);
  const shown = useLastAnswer(data, error, JSON.stringify(grid.filter));
  const page = shown === undefined ? undefined : (pageOf(shown) ?? undefined);
  const { totalCount = 0, totalCapped = false } = page ?? {};
  return {
    rows: page?.items,
    reload,
    /** True when there are no rows and no filter is set. */
    isEmpty: page?.totalCount === 0 && !grid.isFiltered,
    /** Props for `ListGrid`. */
    listProps: { grid, rows: page?.items, totalCount, totalCapped, loading, error, onRetry: reload },
  };
}
