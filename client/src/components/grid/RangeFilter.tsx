import { rangeOf, toSeconds } from '../../lib/timeRange.js';
import type { GridFilters } from '../../lib/useServerGrid.js';
import { TimeRangeField } from './TimeRangeField.js';

/** The range of a list, `from` and `to` in its URL. */
export function RangeFilter({
  filters: { filter, setFilter },
  start,
  startsAtFirst = false,
}: {
  readonly filters: Pick<GridFilters<{ from: string; to: string }>, 'filter'> & {
    setFilter(filter: { readonly from: string; readonly to: string }): void;
  };
  /** Default start of the range. */
  readonly start: Date;
  /** Whether the list has everything when no range is chosen. */
  readonly startsAtFirst?: boolean;
}) {
  return (
    <TimeRangeField
      value={rangeOf(filter, start)}
      onChange={({ from, to }) => setFilter({ from: toSeconds(from), to: to ? toSeconds(to) : '' })}
      width={286}
      isAll={startsAtFirst && filter.from === '' && filter.to === ''}
    />
  );
}
