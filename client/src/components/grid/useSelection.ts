import { useCallback, useState } from 'react';

type Id = string | number;

/**
 * Keeps the selected rows of a list, on all of its pages. Remove deleted rows, because the next bulk action would name
 * them.
 */
export function useSelection() {
  const [ids, select] = useState<ReadonlySet<Id>>(new Set());
  return {
    ids,
    select: useCallback((next: Iterable<Id>) => select(new Set(next)), []),
    drop: useCallback((id: Id) => select((all) => new Set([...all].filter((one) => one !== id))), []),
    clear: useCallback(() => select(new Set()), []),
  };
}
