import { skipToken, useQuery } from '@apollo/client/react';
import BrushOutlinedIcon from '@mui/icons-material/BrushOutlined';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/EmptyState.js';
import { Notice } from '../../components/Notice.js';
import { useIsAdmin } from '../../lib/session.js';
import { useLiveList } from '../../lib/useLiveList.js';
import { useStatus } from '../../lib/status.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import { drawingColumns } from './drawingColumns.js';
import { DrawingCard } from './TaskCards.js';
import { lastThirtyDays, noFilters, toTaskFilter } from './taskFilter.js';
import { TaskList } from './TaskList.js';
import {
  DrawingChangedDocument,
  DrawingsDocument,
  MyDrawingChangedDocument,
  MyDrawingsDocument,
} from './tasks.generated.js';

/** Drawings of the last thirty days unless another time is chosen: everybody's for admins, else one's own. */
export function DrawingListScreen() {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const grid = useServerGrid({ filters: noFilters });
  const [start] = useState(lastThirtyDays);
  const [now, setNow] = useState(() => new Date());
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

  return (
    <TaskList
      title={t('tasks.drawings')}
      notice={isAdmin && !mjNotifyEnabled && <Notice tone="blue">{t('tasks.callbackOff')}</Notice>}
      grid={grid}
      start={start}
      isAdmin={isAdmin}
      live={{ state, paused, onPause: setPaused }}
      page={page}
      loading={loading}
      error={error}
      onRefresh={refresh}
      columnsOf={drawingColumns}
      renderCard={(row, tools) => <DrawingCard row={row} tools={tools} />}
      empty={<EmptyState icon={<BrushOutlinedIcon />} title={t('tasks.noDrawings')} text={t('tasks.noDrawingsText')} />}
    />
  );
}
