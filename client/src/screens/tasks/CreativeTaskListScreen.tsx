import MovieOutlinedIcon from '@mui/icons-material/MovieOutlined';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/EmptyState.js';
import { useListPage } from '../../components/grid/useListPage.js';
import { byRowId, useOpenedRow } from '../../components/grid/useOpenedRow.js';
import { startOfToday } from '../../lib/timeRange.js';
import { useLiveList } from '../../lib/useLiveList.js';
import { useRowParam } from '../../lib/useRowParam.js';
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

/** Songs, lyrics and videos, by default of today: those of all users for admins, else the user's own. */
export function CreativeTaskListScreen() {
  const { t } = useTranslation();
  const { query, variables } = useTaskQuery(startOfToday);
  const document = query.isAdmin ? CreativeTasksDocument : MyCreativeTasksDocument;
  const { rows, reload, listProps } = useListPage(query.grid, document, variables, (data) => data.creativeTasks, {
    fetchPolicy: 'network-only',
  });
  const [opened, open] = useRowParam('row');
  const openedRow = useOpenedRow(rows, opened, document, byRowId, (data) => data.creativeTasks);
  const live = useLiveList({
    document: query.isAdmin ? CreativeTaskChangedDocument : MyCreativeTaskChangedDocument,
    variables: {},
    changedOf: ({ creativeTaskChanged }) => creativeTaskChanged,
    rows,
    takesNew: query.grid.page === 0,
    reload,
  });

  return (
    <TaskList
      title={t('shell.tasks')}
      columnsKey="tasks-table-columns"
      query={query}
      live={live}
      list={listProps}
      openedRow={openedRow}
      onOpen={open}
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
