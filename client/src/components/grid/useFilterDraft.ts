import { useEffect, useState } from 'react';
import type { GridFilters } from '../../lib/useServerGrid.js';

/** Values of the filter fields before Query is pressed. Reset when the filter in the URL changes. */
export function useFilterDraft<F extends Record<string, string>>(grid: Pick<GridFilters<F>, 'filter' | 'setFilter'>) {
  const [draft, setDraft] = useState(grid.filter);
  useEffect(() => {
    setDraft(grid.filter);
  }, [grid.filter]);
  // Pasted names often contain a space at an end, which no row has.
  const set = (filter: F) => grid.setFilter(trimmed(filter));
  const choose = (patch: Partial<F>) => set({ ...draft, ...patch });
  return {
    draft,
    /** Props of a text field: what is typed applies with Query. */
    typed: (name: keyof F) => ({
      value: draft[name] ?? '',
      onChange: (value: string) => setDraft((current) => ({ ...current, [name]: value })),
    }),
    /** Props of a select: the choice applies at once, together with the text typed in the other fields. */
    chosen: (name: keyof F) => ({
      value: draft[name] ?? '',
      onChange: (value: string) => choose({ [name]: value } as Partial<F>),
    }),
    choose,
    query: () => set(draft),
  };
}

const trimmed = <F extends Record<string, string>>(filter: F): F =>
  Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, value.trim()])) as F;
