import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Card from '@mui/material/Card';
import LinearProgress from '@mui/material/LinearProgress';
import { DataGrid, type GridColDef, type GridColumnVisibilityModel, type GridValidRowModel } from '@mui/x-data-grid';
import { zhCN } from '@mui/x-data-grid/locales';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { describeFailure } from '../../lib/errors.js';
import { styleNonce } from '../../lib/nonce.js';
import { useIsMobile } from '../../lib/useMediaFlags.js';
import type { ServerGrid } from '../../lib/useServerGrid.js';
import { EmptyState } from '../EmptyState.js';
import { CardList } from './CardList.js';
import { GridFooter } from './GridFooter.js';

export interface ListGridProps<R extends GridValidRowModel> {
  readonly label: string;
  readonly grid: ServerGrid<Record<string, string>>;
  readonly columns: readonly GridColDef<R>[];
  readonly columnVisibility?: GridColumnVisibilityModel;
  /** Undefined until the first page came. */
  readonly rows: readonly R[] | undefined;
  readonly totalCount: number;
  readonly loading: boolean;
  readonly error?: unknown;
  readonly onRetry: () => void;
  readonly getRowId: (row: R) => string | number;
  readonly onRowOpen?: (row: R) => void;
  readonly rowHeight?: 40 | 48;
  readonly isRowDimmed?: (row: R) => boolean;
  /** The row whose panel is open beside the list. */
  readonly currentRow?: string | number | null;
  /** Rows can be chosen, on wide screens. */
  readonly selection?: {
    readonly ids: ReadonlySet<string | number>;
    readonly onChange: (ids: ReadonlySet<string | number>) => void;
  };
  /** Shown in the card when there is nothing at all and no filter is set. */
  readonly empty: ReactNode;
  /** The row as a card, for narrow screens. */
  readonly renderCard: (row: R) => ReactNode;
}

const headerHeight = 36;

/** Something inside the row was meant, not the row. */
const isControl = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('button, a, input, label, [role="button"], [role="menu"]') !== null;

/** A page of a server-side list: a grid on wide screens, cards on narrow ones, with its states and footer. */
export function ListGrid<R extends GridValidRowModel>(props: ListGridProps<R>) {
  const { grid, rows, totalCount, loading, error, label } = props;
  const mobile = useIsMobile();
  const isEmpty = rows?.length === 0;

  if (isEmpty && !loading && !grid.isFiltered && totalCount === 0) return <Card>{props.empty}</Card>;

  const nothing = <NothingToShow error={rows ? undefined : error} onRetry={props.onRetry} onClear={grid.resetFilter} />;
  return (
    <Card component="section" aria-label={label} aria-busy={loading} sx={{ position: 'relative', minWidth: 0 }}>
      {loading && rows && (
        <LinearProgress
          aria-label={label}
          sx={{ position: 'absolute', zIndex: 3, top: mobile ? 0 : headerHeight - 2, left: 0, right: 0, height: 2 }}
        />
      )}
      {mobile ? <CardList {...props} nothing={nothing} /> : <WideGrid {...props} nothing={nothing} />}
      <GridFooter grid={grid} totalCount={totalCount} known={rows !== undefined} />
    </Card>
  );
}

function WideGrid<R extends GridValidRowModel>({
  grid,
  columns,
  columnVisibility,
  rows,
  totalCount,
  error,
  getRowId,
  onRowOpen,
  rowHeight = 40,
  isRowDimmed,
  currentRow,
  selection,
  nothing,
  label,
}: ListGridProps<R> & { readonly nothing: ReactNode }) {
  const { i18n } = useTranslation();
  const skeleton = rows === undefined && !error;
  return (
    <Box
      sx={{
        display: 'flex',
        flexDirection: 'column',
        minHeight: skeleton ? headerHeight + grid.pageSize * rowHeight : undefined,
        '@keyframes appear': { from: { opacity: 0 }, to: { opacity: 1 } },
        '& .MuiDataGrid-overlayWrapper': { animation: 'appear 0s 150ms both' },
        '& .MuiDataGrid-row': { cursor: onRowOpen ? 'pointer' : undefined },
        '& .row-dimmed': { color: 'text.disabled' },
        '& .row-current, & .row-current:hover': { backgroundColor: 'action.selected' },
      }}
    >
      <DataGrid<R>
        aria-label={label}
        rows={rows ?? []}
        columns={columns}
        getRowId={getRowId}
        rowCount={totalCount}
        loading={skeleton}
        columnVisibilityModel={columnVisibility ?? {}}
        paginationMode="server"
        sortingMode="server"
        filterMode="server"
        paginationModel={{ page: grid.page, pageSize: grid.pageSize }}
        sortModel={grid.sort ? [{ field: grid.sort.field, sort: grid.sort.direction === 'ASC' ? 'asc' : 'desc' }] : []}
        onSortModelChange={([item]) => {
          grid.setSort(item?.sort ? { field: item.field, direction: item.sort === 'asc' ? 'ASC' : 'DESC' } : undefined);
        }}
        sortingOrder={['desc', 'asc', null]}
        rowHeight={rowHeight}
        columnHeaderHeight={headerHeight}
        getRowClassName={({ row }: { row: R }) =>
          `${isRowDimmed?.(row) ? 'row-dimmed' : ''} ${currentRow != null && getRowId(row) === currentRow ? 'row-current' : ''}`
        }
        checkboxSelection={selection !== undefined}
        {...(selection
          ? {
              keepNonExistentRowsSelected: true,
              rowSelectionModel: { type: 'include' as const, ids: new Set(selection.ids) },
              onRowSelectionModelChange: ({
                type,
                ids,
              }: {
                type: 'include' | 'exclude';
                ids: Set<string | number>;
              }) => {
                selection.onChange(
                  type === 'include' ? ids : new Set((rows ?? []).map(getRowId).filter((id) => !ids.has(id))),
                );
              },
            }
          : {})}
        onRowClick={({ row }: { row: R }, event) => {
          if (onRowOpen && !isControl(event.target)) onRowOpen(row);
        }}
        onCellKeyDown={({ row }: { row: R }, event) => {
          if (onRowOpen && event.key === 'Enter' && !isControl(event.target)) onRowOpen(row);
        }}
        hideFooter
        disableColumnMenu
        disableColumnFilter
        disableRowSelectionOnClick
        {...(styleNonce ? { nonce: styleNonce } : {})}
        localeText={i18n.language === 'zh' ? zhCN.components.MuiDataGrid.defaultProps.localeText : undefined}
        slots={{ noRowsOverlay: () => nothing }}
        slotProps={{ loadingOverlay: { variant: 'skeleton', noRowsVariant: 'skeleton' } }}
        sx={{ '--DataGrid-overlayHeight': `${String(rowHeight * 5)}px` }}
      />
    </Box>
  );
}

function NothingToShow({
  error,
  onRetry,
  onClear,
}: {
  readonly error: unknown;
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
