import type { ReactNode } from 'react';
import type { ServerGrid } from '../../lib/useServerGrid.js';
import { rangeOf, toSeconds, type RangeTexts } from '../../lib/timeRange.js';
import { FilterBar } from './FilterBar.js';
import { TimeRangeField } from './TimeRangeField.js';

/** The filters of a list with a time range. The range applies at once, the other filters with Query. */
export function TimedFilterBar({
  grid: { filter, isFiltered, resetFilter },
  range,
  start,
  startsAtFirst = false,
  onRange,
  onQuery,
  children,
}: {
  readonly grid: Pick<ServerGrid<Record<string, string>>, 'filter' | 'isFiltered' | 'resetFilter'>;
  readonly range: RangeTexts;
  /** Default start of the time range. */
  readonly start: Date;
  /** Whether the list has everything when no range is chosen. */
  readonly startsAtFirst?: boolean;
  readonly onRange: (range: RangeTexts) => void;
  readonly onQuery: () => void;
  readonly children: ReactNode;
}) {
  const behindButton = Object.entries(filter).filter(([name]) => name !== 'from' && name !== 'to');
  return (
    <FilterBar
      filled
      isFiltered={isFiltered}
      activeCount={behindButton.filter(([, value]) => value !== '').length}
      onReset={resetFilter}
      onQuery={onQuery}
      main={
        <TimeRangeField
          value={rangeOf(range, start)}
          onChange={({ from, to }) => onRange({ from: toSeconds(from), to: to ? toSeconds(to) : '' })}
          width={286}
          isAll={startsAtFirst && range.from === '' && range.to === ''}
        />
      }
      more={children}
    />
  );
}
