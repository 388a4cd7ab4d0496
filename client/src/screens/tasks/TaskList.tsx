import type { GridColDef } from '@mui/x-data-grid';
import { useMemo, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { FilterBar } from '../../components/grid/FilterBar.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { RangeFilter } from '../../components/grid/RangeFilter.js';
import type { ListGridProps } from '../../components/grid/listGridProps.js';
import { ListScreen } from '../../components/ListScreen.js';
import { LiveControl } from '../../components/LiveControl.js';
import type { LiveList } from '../../lib/useLiveList.js';
import type { TaskCellTools } from './drawingColumns.js';
import { TaskViewer, type Viewed } from './TaskViewer.js';
import type { TaskQuery } from './useTaskQuery.js';

export interface TaskListProps<R extends { readonly id: number }> {
  readonly title: string;
  /** Key under which the chosen columns are kept. */
  readonly columnsKey: string;
  readonly notice?: ReactNode;
  readonly query: TaskQuery;
  readonly live: LiveList;
  /** The page of the list, as `useListPage` reads it. */
  readonly list: Pick<ListGridProps<R>, 'grid' | 'rows' | 'totalCount' | 'loading' | 'error' | 'onRetry'>;
  readonly columnsOf: (tools: TaskCellTools) => GridColDef<R>[];
  readonly renderCard: (row: R, tools: TaskCellTools) => ReactNode;
  /** The row that the URL opens. */
  readonly openedRow: R | undefined;
  readonly onOpen: (id: string | null) => void;
  /** The record of a row, which a click on it shows. */
  readonly recordOf: (row: R, tools: TaskCellTools) => Viewed;
  readonly empty: ReactNode;
}

/** The common parts of the drawing and music lists: filters, live rows, and the viewer. */
export function TaskList<R extends { readonly id: number }>(props: TaskListProps<R>) {
  const { title, live, list, columnsOf, renderCard, openedRow, onOpen } = props;
  const { grid, start, isAdmin } = props.query;
  const { t } = useTranslation();
  const [viewed, setViewed] = useState<Viewed | null>(null);
  const tools = useMemo(() => ({ t, isAdmin, view: setViewed }), [t, isAdmin]);
  const columns = useMemo(() => columnsOf(tools), [columnsOf, tools]);
  const shown = viewed ?? (openedRow && props.recordOf(openedRow, tools));
  const close = () => (viewed ? setViewed(null) : onOpen(null));
  return (
    <ListScreen
      title={title}
      live={<LiveControl state={live.state} paused={live.paused} onPause={live.setPaused} />}
      range={<RangeFilter filters={grid.filters} start={start} />}
      menu={[{ label: t('actions.refresh'), onSelect: list.onRetry }]}
      notice={props.notice}
      filters={
        <FilterBar
          filters={grid.filters}
          search={{ name: 'task', label: t('tasks.id') }}
          fields={isAdmin ? [{ name: 'channelId', label: t('fields.channelId'), typed: 'digits' }] : []}
        />
      }
    >
      <ListGrid
        label={title}
        columnsKey={props.columnsKey}
        columns={columns}
        {...list}
        getRowId={(row) => row.id}
        onRowOpen={({ id }) => onOpen(String(id))}
        renderCard={(row) => renderCard(row, tools)}
        empty={props.empty}
      />
      {shown && <TaskViewer viewed={shown} onClose={close} />}
    </ListScreen>
  );
}
