import type { ServerGrid } from '../../lib/useServerGrid.js';
import { FilterBar } from './FilterBar.js';
import { TextFilter } from './filterFields.js';
import { useFilterDraft } from './useFilterDraft.js';

/** The filter bar of a list with one search field and no other filters. */
export function SearchBar({
  grid,
  label,
  width,
}: {
  readonly grid: ServerGrid<{ keyword: string }>;
  readonly label: string;
  readonly width: number;
}) {
  const { typed, query } = useFilterDraft(grid);
  return (
    <FilterBar
      isFiltered={grid.isFiltered}
      activeCount={0}
      onQuery={query}
      onReset={grid.resetFilter}
      main={<TextFilter search label={label} {...typed('keyword')} width={width} />}
    />
  );
}
