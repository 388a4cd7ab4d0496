import { useTranslation } from 'react-i18next';
import { FilterBar } from '../../components/grid/FilterBar.js';
import { TextFilter } from '../../components/grid/filterFields.js';
import { TimeRangeField } from '../../components/grid/TimeRangeField.js';
import { useFilterDraft } from '../../components/grid/useFilterDraft.js';
import type { ServerGrid } from '../../lib/useServerGrid.js';
import { rangeOf, toSeconds, type TaskFilters } from './taskFilter.js';

/** Time, task ID, and the channel for admins. */
export function TaskFilterBar({
  grid,
  start,
  isAdmin,
  onQuery,
}: {
  readonly grid: ServerGrid<TaskFilters>;
  /** Where the time begins unless somebody says so. */
  readonly start: Date;
  readonly isAdmin: boolean;
  readonly onQuery: () => void;
}) {
  const { t } = useTranslation();
  const { draft, edit, choose, query } = useFilterDraft(grid);
  return (
    <FilterBar
      filled
      isFiltered={grid.isFiltered}
      activeCount={[grid.filter.task, grid.filter.channelId].filter(Boolean).length}
      onReset={grid.resetFilter}
      onQuery={() => {
        query();
        onQuery();
      }}
      main={
        <TimeRangeField
          value={rangeOf(draft, start)}
          onChange={({ from, to }) => {
            choose({ from: toSeconds(from), to: to ? toSeconds(to) : '' });
          }}
          width={286}
        />
      }
      more={
        <>
          <TextFilter
            label={t('tasks.id')}
            value={draft.task}
            onChange={(task) => {
              edit({ task });
            }}
            width={180}
          />
          {isAdmin && (
            <TextFilter
              label={t('tasks.channelId')}
              value={draft.channelId}
              onChange={(channelId) => {
                edit({ channelId });
              }}
              width={112}
            />
          )}
        </>
      }
    />
  );
}
