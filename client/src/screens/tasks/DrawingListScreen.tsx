import BrushOutlinedIcon from '@mui/icons-material/BrushOutlined';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/EmptyState.js';
import { useListPage } from '../../components/grid/useListPage.js';
import { byRowId, useOpenedRow } from '../../components/grid/useOpenedRow.js';
import { Notice } from '../../components/Notice.js';
import { useStatus } from '../../lib/status.js';
import { useLiveList } from '../../lib/useLiveList.js';
import { lastThirtyDays } from '../../lib/timeRange.js';
import { useRowParam } from '../../lib/useRowParam.js';
import { drawingColumns } from './drawingColumns.js';
import { DrawingCard } from './TaskCards.js';
import { TaskList } from './TaskList.js';
import {
  DrawingChangedDocument,
  DrawingsDocument,
  MyDrawingChangedDocument,
  MyDrawingsDocument,
} from './tasks.generated.js';
import { useTaskQuery } from './useTaskQuery.js';

/** Drawings, by default of the last thirty days: those of all users for admins, else the user's own. */
export function DrawingListScreen() {
  const { t } = useTranslation();
  const { mjNotifyEnabled } = useStatus();
  const { query, variables } = useTaskQuery(lastThirtyDays);
  const document = query.isAdmin ? DrawingsDocument : MyDrawingsDocument;
  const { rows, reload, listProps } = useListPage(query.grid, document, variables, (data) => data.drawings, {
    fetchPolicy: 'network-only',
  });
  const [opened, open] = useRowParam('row');
  const openedRow = useOpenedRow(rows, opened, document, byRowId, (data) => data.drawings);
  const live = useLiveList({
    document: query.isAdmin ? DrawingChangedDocument : MyDrawingChangedDocument,
    variables: {},
    changedOf: ({ drawingChanged }) => drawingChanged,
    rows,
    takesNew: query.grid.page === 0,
    reload,
  });

  return (
    <TaskList
      title={t('shell.drawings')}
      columnsKey="drawings-table-columns"
      notice={query.isAdmin && !mjNotifyEnabled && <Notice tone="blue">{t('tasks.callbackOff')}</Notice>}
      query={query}
      live={live}
      list={listProps}
      openedRow={openedRow}
      onOpen={open}
      columnsOf={drawingColumns}
      recordOf={(row, tools) => ({
        kind: 'text',
        title: tools.t('tasks.recordOf', { id: row.taskId }),
        content: JSON.stringify(row, null, 2),
      })}
      renderCard={(row, tools) => <DrawingCard row={row} tools={tools} />}
      empty={<EmptyState icon={<BrushOutlinedIcon />} title={t('tasks.noDrawings')} text={t('tasks.noDrawingsText')} />}
    />
  );
}
