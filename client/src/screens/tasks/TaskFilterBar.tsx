import { useTranslation } from 'react-i18next';
import { FilterBar } from '../../components/grid/FilterBar.js';
import type { GridFilters } from '../../lib/useServerGrid.js';
import type { TaskFilters } from './taskFilter.js';

/** Task ID, and the channel for admins. */
export function TaskFilterBar({
  filters,
  isAdmin,
}: {
  readonly filters: GridFilters<TaskFilters>;
  readonly isAdmin: boolean;
}) {
  const { t } = useTranslation();
  return (
    <FilterBar
      filters={filters}
      search={{ name: 'task', label: t('tasks.id') }}
      fields={isAdmin ? [{ name: 'channelId', label: t('fields.channelId'), typed: 'digits' }] : []}
    />
  );
}
