import { skipToken, useQuery } from '@apollo/client/react';
import MovieOutlinedIcon from '@mui/icons-material/MovieOutlined';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/EmptyState.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { ListScreen } from '../../components/ListScreen.js';
import { LiveControl } from '../../components/LiveControl.js';
import { useIsAdmin } from '../../lib/session.js';
import { useLiveList } from '../../lib/useLiveList.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import { creativeColumns } from './creativeColumns.js';
import { RefreshButton } from './RefreshButton.js';
import { CreativeCard } from './TaskCards.js';
import { startOfToday, noFilters, toTaskFilter } from './taskFilter.js';
import { TaskFilterBar } from './TaskFilterBar.js';
import {
  CreativeTaskChangedDocument,
  CreativeTasksDocument,
  MyCreativeTaskChangedDocument,
  MyCreativeTasksDocument,
} from './tasks.generated.js';
import { TaskViewer, type Viewed } from './TaskViewer.js';

/** Songs and lyrics since the start of today unless another time is chosen: everybody's for admins, else one's own. */
export function CreativeTaskListScreen() {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const grid = useServerGrid({ filters: noFilters });
  const [start] = useState(startOfToday);
  const [now, setNow] = useState(() => new Date());
  const [viewed, setViewed] = useState<Viewed | null>(null);
  const refresh = () => {
    setNow(new Date());
  };

  const filter = useMemo(() => {
    const taskId = grid.filter.task.trim();
    return { ...toTaskFilter(grid.filter, start, isAdmin, now), ...(taskId === '' ? {} : { taskId }) };
  }, [grid.filter, start, isAdmin, now]);
  const variables = { page: grid.page, pageSize: grid.pageSize, filter };
  const all = useQuery(CreativeTasksDocument, isAdmin ? { variables, fetchPolicy: 'network-only' } : skipToken);
  const own = useQuery(MyCreativeTasksDocument, isAdmin ? skipToken : { variables, fetchPolicy: 'network-only' });
  const { loading, error } = isAdmin ? all : own;
  const page = isAdmin
    ? (all.data ?? all.previousData)?.creativeTasks
    : (own.data ?? own.previousData)?.myCreativeTasks;

  const live = { variables: {}, rows: page?.items, takesNew: grid.page === 0, reload: refresh };
  const everybody = useLiveList({
    ...live,
    document: CreativeTaskChangedDocument,
    skip: !isAdmin,
    changedOf: ({ creativeTaskChanged }) => creativeTaskChanged,
  });
  const mine = useLiveList({
    ...live,
    document: MyCreativeTaskChangedDocument,
    skip: isAdmin,
    changedOf: ({ myCreativeTaskChanged }) => myCreativeTaskChanged,
  });
  const { state, paused, setPaused } = isAdmin ? everybody : mine;

  const tools = useMemo(() => ({ t, isAdmin, view: setViewed }), [t, isAdmin]);
  const columns = useMemo(() => creativeColumns(tools), [tools]);
  return (
    <ListScreen
      title={t('tasks.creative')}
      actions={
        <>
          <LiveControl state={state} paused={paused} onPause={setPaused} />
          <RefreshButton loading={loading} onRefresh={refresh} />
        </>
      }
      filters={<TaskFilterBar grid={grid} start={start} isAdmin={isAdmin} onQuery={refresh} />}
    >
      <ListGrid
        label={t('tasks.creative')}
        grid={grid}
        columns={columns}
        rows={page?.items}
        totalCount={page?.totalCount ?? 0}
        loading={loading}
        error={error}
        onRetry={refresh}
        getRowId={(row) => row.id}
        renderCard={(row) => <CreativeCard row={row} tools={tools} />}
        empty={
          <EmptyState icon={<MovieOutlinedIcon />} title={t('tasks.noCreative')} text={t('tasks.noCreativeText')} />
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
