import { useEffect, useState } from 'react';
import type { ServerGrid } from '../../lib/useServerGrid.js';

/** Values of the filter fields before Query is pressed. Reset when the filter in the URL changes. */
export function useFilterDraft<F extends Record<string, string>>(grid: ServerGrid<F>) {
  const [draft, setDraft] = useState(grid.filter);
  useEffect(() => {
    setDraft(grid.filter);
  }, [grid.filter]);
  return {
    draft,
    /** For typed values: applies with Query. */
    edit: (patch: Partial<F>) => setDraft((current) => ({ ...current, ...patch })),
    /** For selected values: applies at once, together with the values typed in the other fields. */
    choose: (patch: Partial<F>) => grid.setFilter({ ...draft, ...patch }),
    query: () => grid.setFilter(draft),
  };
}
