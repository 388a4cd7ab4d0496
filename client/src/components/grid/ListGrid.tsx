import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Card from '@mui/material/Card';
import LinearProgress from '@mui/material/LinearProgress';
import type { GridValidRowModel } from '@mui/x-data-grid';
import { useDeferredValue, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { describeFailure } from '../../lib/errors.js';
import { isMobile, useIsMobile } from '../../lib/useMediaFlags.js';
import { EmptyState } from '../EmptyState.js';
import { loadable } from '../loadable.js';
import { useFailureToast } from '../useFailureToast.js';
import { CardList } from './CardList.js';
import { GridFooter } from './GridFooter.js';
import { useColumnChoice } from './useColumnChoice.js';
import { headerHeight, type ListGridProps } from './listGridProps.js';
import type { WideGrid as Wide } from './WideGrid.js';

// Phones show cards and never load the grid. Other devices load it together with the screen.
const loadWideGrid = () => import('./WideGrid.js');
if (!isMobile()) void loadWideGrid().catch(() => undefined);
const { Component: AnyWideGrid } = loadable(async () => (await loadWideGrid()).WideGrid, WideGridLoading);
const WideGrid = AnyWideGrid as unknown as typeof Wide;

function WideGridLoading({
  rows,
  grid,
  rowHeight = 40,
}: Pick<ListGridProps<GridValidRowModel>, 'rows' | 'grid' | 'rowHeight'>) {
  return <Box aria-busy sx={{ height: headerHeight + (rows?.length ?? grid.pageSize) * rowHeight }} />;
}

/** A page of a server-side list: a grid on wide screens, cards on narrow ones, with its states and footer. */
export function ListGrid<R extends GridValidRowModel>(props: ListGridProps<R>) {
  const { grid, totalCount, totalCapped = false, loading, error, label } = props;
  const mobile = useIsMobile();
  // A phone renders the first rows in pieces with the parts below them, and reacts to input in between. Later rows are
  // rendered at once.
  const drawn = useDeferredValue(props.rows);
  const rows = mobile && !drawn ? undefined : props.rows;
  const isEmpty = rows?.length === 0;
  const lastPage = Math.max(0, Math.ceil(totalCount / grid.pageSize) - 1);
  const isBehindLastPage = isEmpty && !loading && grid.page > lastPage;
  const { setPage } = grid;
  useEffect(() => {
    if (!isBehindLastPage) return;
    // The router renders the new URL synchronously, which React forbids inside effects.
    queueMicrotask(() => setPage(lastPage, { replace: true }));
  }, [isBehindLastPage, lastPage, setPage]);
  useFailureToast(error, rows !== undefined, 'errors.refreshFailed');
  const { columnsKey } = props;
  const kept = useColumnChoice(columnsKey ?? '', props.columns);
  const choice = props.columnChoice ?? (columnsKey ? kept : undefined);
  const columnVisibility = props.columnVisibility ?? choice?.visibility;

  if (isEmpty && !loading && !grid.isFiltered && totalCount === 0) return <Card>{props.empty}</Card>;

  const nothing = (
    <NothingToShow
      error={rows ? undefined : error}
      noMatchText={props.noMatchText}
      onRetry={props.onRetry}
      onClear={grid.resetFilter}
    />
  );
  return (
    <Card component="section" aria-label={label} aria-busy={loading} sx={{ position: 'relative', minWidth: 0 }}>
      {loading && rows && (
        <LinearProgress
          aria-label={label}
          sx={{ position: 'absolute', zIndex: 3, left: 0, right: 0, top: mobile ? 0 : headerHeight - 2, height: 2 }}
        />
      )}
      {mobile ? (
        <CardList {...props} rows={rows} nothing={nothing} />
      ) : (
        <WideGrid {...props} {...(columnVisibility ? { columnVisibility } : {})} nothing={nothing} />
      )}
      <GridFooter
        // Browsers count an element that was hidden and appears elsewhere as one that moves, so a new one appears.
        key={rows ? 'rows' : 'skeleton'}
        grid={grid}
        totalCount={totalCount}
        totalCapped={totalCapped}
        rowCount={rows?.length}
        columnChoice={choice}
      />
    </Card>
  );
}

function NothingToShow({
  error,
  noMatchText,
  onRetry,
  onClear,
}: {
  readonly error: unknown;
  readonly noMatchText: string | undefined;
  readonly onRetry: () => void;
  readonly onClear: () => void;
}) {
  const { t } = useTranslation();
  return (
    <Box
      role={error ? 'alert' : 'status'}
      sx={{ height: '100%', minHeight: 200, display: 'grid', placeItems: 'center', '& > div': { py: 0 } }}
    >
      {error ? (
        <EmptyState
          title={t('grid.failed')}
          text={describeFailure(error, t)}
          action={
            <Button variant="outlined" onClick={onRetry}>
              {t('actions.retry')}
            </Button>
          }
        />
      ) : (
        <EmptyState
          title={t('grid.noMatch')}
          {...(noMatchText === undefined ? {} : { text: noMatchText })}
          action={
            <Button variant="outlined" onClick={onClear}>
              {t('grid.clearFilters')}
            </Button>
          }
        />
      )}
    </Box>
  );
}
