import { useTranslation } from 'react-i18next';
import { TextFilter } from '../../components/grid/filterFields.js';
import { TimedFilterBar } from '../../components/grid/TimedFilterBar.js';
import { useFilterDraft } from '../../components/grid/useFilterDraft.js';
import type { ServerGrid } from '../../lib/useServerGrid.js';
import type { TaskFilters } from './taskFilter.js';

/** Time, task ID, and the channel for admins. */
export function TaskFilterBar({
  grid,
  start,
  isAdmin,
  onQuery,
}: {
  readonly grid: ServerGrid<TaskFilters>;
  /** Default start of the time range. */
  readonly start: Date;
  readonly isAdmin: boolean;
  readonly onQuery: () => void;
}) {
  const { t } = useTranslation();
  const { draft, typed, choose, query } = useFilterDraft(grid);
  return (
    <TimedFilterBar
      grid={grid}
      range={draft}
      start={start}
      onRange={choose}
      onQuery={() => {
        query();
        onQuery();
      }}
    >
      <TextFilter label={t('tasks.id')} {...typed('task')} width={180} />
      {isAdmin && <TextFilter digits label={t('fields.channelId')} {...typed('channelId')} width={112} />}
    </TimedFilterBar>
  );
}
