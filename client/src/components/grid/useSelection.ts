import { useCallback, useState } from 'react';

type Id = string | number;

/** The selected rows of a list, on every page of it. Deleted rows are to be dropped, or the next bulk action names them. */
export function useSelection() {
  const [ids, select] = useState<ReadonlySet<Id>>(new Set());
  return {
    ids,
    select: useCallback((next: Iterable<Id>) => select(new Set(next)), []),
    drop: useCallback((id: Id) => select((all) => new Set([...all].filter((one) => one !== id))), []),
    clear: useCallback(() => select(new Set()), []),
  };
}
