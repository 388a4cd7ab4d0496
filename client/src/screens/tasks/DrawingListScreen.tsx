import { skipToken, useQuery } from '@apollo/client/react';
import BrushOutlinedIcon from '@mui/icons-material/BrushOutlined';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/EmptyState.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { ListScreen } from '../../components/ListScreen.js';
import { LiveControl } from '../../components/LiveControl.js';
import { Notice } from '../../components/Notice.js';
import { useIsAdmin } from '../../lib/session.js';
import { useLiveList } from '../../lib/useLiveList.js';
import { useStatus } from '../../lib/status.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import { drawingColumns } from './drawingColumns.js';
import { RefreshButton } from './RefreshButton.js';
import { DrawingCard } from './TaskCards.js';
import { lastThirtyDays, noFilters, toTaskFilter } from './taskFilter.js';
import { TaskFilterBar } from './TaskFilterBar.js';
import {
  DrawingChangedDocument,
  DrawingsDocument,
  MyDrawingChangedDocument,
  MyDrawingsDocument,
} from './tasks.generated.js';
import { TaskViewer, type Viewed } from './TaskViewer.js';

/** Drawings of the last thirty days unless another time is chosen: everybody's for admins, else one's own. */
export function DrawingListScreen() {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const grid = useServerGrid({ filters: noFilters });
  const [start] = useState(lastThirtyDays);
  const [now, setNow] = useState(() => new Date());
  const [viewed, setViewed] = useState<Viewed | null>(null);
  const refresh = () => {
    setNow(new Date());
  };

  const filter = useMemo(() => {
    const mjId = grid.filter.task.trim();
    return { ...toTaskFilter(grid.filter, start, isAdmin, now), ...(mjId === '' ? {} : { mjId }) };
  }, [grid.filter, start, isAdmin, now]);
  const variables = { page: grid.page, pageSize: grid.pageSize, filter };
  const all = useQuery(DrawingsDocument, isAdmin ? { variables, fetchPolicy: 'network-only' } : skipToken);
  const own = useQuery(MyDrawingsDocument, isAdmin ? skipToken : { variables, fetchPolicy: 'network-only' });
  const { loading, error } = isAdmin ? all : own;
  const page = isAdmin ? (all.data ?? all.previousData)?.drawings : (own.data ?? own.previousData)?.myDrawings;
  const live = { variables: {}, rows: page?.items, takesNew: grid.page === 0, reload: refresh };
  const everybody = useLiveList({
    ...live,
    document: DrawingChangedDocument,
    skip: !isAdmin,
    changedOf: ({ drawingChanged }) => drawingChanged,
  });
  const mine = useLiveList({
    ...live,
    document: MyDrawingChangedDocument,
    skip: isAdmin,
    changedOf: ({ myDrawingChanged }) => myDrawingChanged,
  });
  const { state, paused, setPaused } = isAdmin ? everybody : mine;
  const { mjNotifyEnabled } = useStatus();

  const tools = useMemo(() => ({ t, isAdmin, view: setViewed }), [t, isAdmin]);
  const columns = useMemo(() => drawingColumns(tools), [tools]);
  return (
    <ListScreen
      title={t('tasks.drawings')}
      actions={
        <>
          <LiveControl state={state} paused={paused} onPause={setPaused} />
          <RefreshButton loading={loading} onRefresh={refresh} />
        </>
      }
      notice={isAdmin && !mjNotifyEnabled && <Notice tone="blue">{t('tasks.callbackOff')}</Notice>}
      filters={<TaskFilterBar grid={grid} start={start} isAdmin={isAdmin} onQuery={refresh} />}
    >
      <ListGrid
        label={t('tasks.drawings')}
        grid={grid}
        columns={columns}
        rows={page?.items}
        totalCount={page?.totalCount ?? 0}
        loading={loading}
        error={error}
        onRetry={refresh}
        getRowId={(row) => row.id}
        renderCard={(row) => <DrawingCard row={row} tools={tools} />}
        empty={
          <EmptyState icon={<BrushOutlinedIcon />} title={t('tasks.noDrawings')} text={t('tasks.noDrawingsText')} />
        }
      />
      {viewed && (
        <TaskViewer
          viewed={viewed}
          onClose={() => {
            setViewed(null);
          }}
        />
      )}
    </ListScreen>
  );
}
