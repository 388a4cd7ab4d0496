import { useQuery } from '@apollo/client/react';
import MovieOutlinedIcon from '../../icons/MovieOutlined.generated.js';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/EmptyState.js';
import { startOfToday } from '../../lib/timeRange.js';
import { useLiveList } from '../../lib/useLiveList.js';
import { creativeColumns, recordOf } from './creativeColumns.js';
import { CreativeCard } from './TaskCards.js';
import { TaskList } from './TaskList.js';
import {
  CreativeTaskChangedDocument,
  CreativeTasksDocument,
  MyCreativeTaskChangedDocument,
  MyCreativeTasksDocument,
} from './tasks.generated.js';
import { useTaskQuery } from './useTaskQuery.js';

/** Songs and lyrics, by default of today: those of all users for admins, else the user's own. */
export function CreativeTaskListScreen() {
  const { t } = useTranslation();
  const { query, variables } = useTaskQuery(startOfToday);
  const { data, previousData, loading, error } = useQuery(
    query.isAdmin ? CreativeTasksDocument : MyCreativeTasksDocument,
    { variables, fetchPolicy: 'network-only' },
  );
  const page = (data ?? previousData)?.creativeTasks;
  const live = useLiveList({
    document: query.isAdmin ? CreativeTaskChangedDocument : MyCreativeTaskChangedDocument,
    variables: {},
    changedOf: ({ creativeTaskChanged }) => creativeTaskChanged,
    rows: page?.items,
    takesNew: query.grid.page === 0,
    reload: query.refresh,
  });

  return (
    <TaskList
      title={t('shell.tasks')}
      columnsKey="tasks-table-columns"
      query={query}
      live={live}
      page={page}
      loading={loading}
      error={error}
      columnsOf={creativeColumns}
      recordOf={(row, tools) => ({
        kind: 'text',
        title: tools.t('tasks.recordOf', { id: row.taskId }),
        content: recordOf(row),
      })}
      renderCard={(row, tools) => <CreativeCard row={row} tools={tools} />}
      empty={<EmptyState icon={<MovieOutlinedIcon />} title={t('tasks.noCreative')} text={t('tasks.noCreativeText')} />}
    />
  );
}
