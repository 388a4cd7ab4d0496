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
    /** Typed only: waits for Query. */
    edit: (patch: Partial<F>) => {
      setDraft((current) => ({ ...current, ...patch }));
    },
    /** Chosen from a list: takes effect at once, with what is typed in the other fields. */
    choose: (patch: Partial<F>) => {
      grid.setFilter({ ...draft, ...patch });
    },
    query: () => {
      grid.setFilter(draft);
    },
  };
}
