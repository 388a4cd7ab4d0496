import { skipToken, useQuery } from '@apollo/client/react';
import MovieOutlinedIcon from '@mui/icons-material/MovieOutlined';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/EmptyState.js';
import { useIsAdmin } from '../../lib/session.js';
import { useLiveList } from '../../lib/useLiveList.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import { creativeColumns } from './creativeColumns.js';
import { CreativeCard } from './TaskCards.js';
import { startOfToday, noFilters, toTaskFilter } from './taskFilter.js';
import { TaskList } from './TaskList.js';
import {
  CreativeTaskChangedDocument,
  CreativeTasksDocument,
  MyCreativeTaskChangedDocument,
  MyCreativeTasksDocument,
} from './tasks.generated.js';

/** Songs and lyrics since the start of today unless another time is chosen: everybody's for admins, else one's own. */
export function CreativeTaskListScreen() {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const grid = useServerGrid({ filters: noFilters });
  const [start] = useState(startOfToday);
  const [now, setNow] = useState(() => new Date());
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

  return (
    <TaskList
      title={t('tasks.creative')}
      grid={grid}
      start={start}
      isAdmin={isAdmin}
      live={{ state, paused, onPause: setPaused }}
      page={page}
      loading={loading}
      error={error}
      onRefresh={refresh}
      columnsOf={creativeColumns}
      renderCard={(row, tools) => <CreativeCard row={row} tools={tools} />}
      empty={<EmptyState icon={<MovieOutlinedIcon />} title={t('tasks.noCreative')} text={t('tasks.noCreativeText')} />}
    />
  );
}
