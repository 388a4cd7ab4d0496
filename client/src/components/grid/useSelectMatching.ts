import type { TypedDocumentNode } from '@apollo/client';
import { useApolloClient } from '@apollo/client/react';
import { useEffect, useRef, useState } from 'react';
import { useAction } from '../useAction.js';

/** Rows of one request. */
const pageSize = 100;
/** Most rows that one bulk action may name. */
const maxSelected = 10_000;

/**
 * Selects all rows that match the filters of a list, also those of other pages: reads their ids, a page at a time.
 *
 * @param document a query of ids, sorted by id, with the variables `page`, `pageSize` and `filter`
 * @param idsOf the ids of a page
 */
export function useSelectMatching<Data, Filter>({
  document,
  filter,
  idsOf,
  count,
  select,
}: {
  readonly document: TypedDocumentNode<Data, { page: number; pageSize: number; filter: Filter }>;
  readonly filter: Filter;
  readonly idsOf: (data: Data) => readonly { readonly id: number }[];
  /** Number of selected rows. */
  readonly count: number;
  readonly select: (ids: Iterable<number>) => void;
}) {
  const client = useApolloClient();
  const act = useAction();
  const [isSelecting, setSelecting] = useState(false);
  // A run ends when the selection is cleared or the filters change: its rows are no longer asked for.
  const run = useRef(0);
  const filterText = JSON.stringify(filter);
  const isCleared = count === 0;
  useEffect(
    () => () => {
      run.current += 1;
      setSelecting(false);
    },
    [filterText, isCleared],
  );
  const read = async (number: number) => {
    const ids = new Set<number>();
    for (let page = 0; ids.size < maxSelected; page += 1) {
      const { data } = await client.query({
        query: document,
        variables: { page, pageSize, filter },
        fetchPolicy: 'no-cache',
      });
      if (run.current !== number) return;
      const rows = data ? idsOf(data) : [];
      rows.forEach(({ id }) => ids.add(id));
      if (rows.length < pageSize) break;
    }
    select([...ids].slice(0, maxSelected));
  };
  return {
    isSelecting,
    atMost: maxSelected,
    onSelectMatching: () => {
      const number = run.current;
      setSelecting(true);
      void act(() => read(number)).finally(() => {
        if (run.current === number) setSelecting(false);
      });
    },
  };
}
