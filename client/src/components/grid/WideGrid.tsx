import Box from '@mui/material/Box';
import { DataGrid, type GridSortModel, type GridValidRowModel } from '@mui/x-data-grid';
import { createContext, memo, useContext, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { currentGridTexts } from '../../i18n/i18n.js';
import { styleNonce } from '../../lib/nonce.js';
import { isControl } from './isControl.js';
import { headerHeight, type ListGridProps } from './listGridProps.js';
import { memoCells } from './memoCells.js';
import { RowCheckbox } from './RowCheckbox.js';

/**
 * The grid renders all of its cells whenever it renders. It does so only if a prop changes, so all props stay the same
 * between renders.
 */
const Grid = memo(DataGrid) as typeof DataGrid;

const sortingOrder = ['desc', 'asc', null] as const;
const allColumns = {};
const noRows: never[] = [];
const slotProps = { loadingOverlay: { variant: 'skeleton', noRowsVariant: 'skeleton' } } as const;

/** The rows of a list in a data grid. Loaded separately because of its size. */
export function WideGrid<R extends GridValidRowModel>(props: ListGridProps<R> & { readonly nothing: ReactNode }) {
  const { grid, columns, columnVisibility, rows, totalCount, error, loading, rowHeight = 40, currentRow } = props;
  const { onRowOpen, selection, nothing, label } = props;
  // Renders again when the language changes.
  useTranslation();
  const skeleton = rows === undefined && !error;
  // Callbacks do not affect the rendered output, so they are read when they are called.
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  const [getRowId] = useState(() => props.getRowId);
  const [isRowDimmed] = useState(() => props.isRowDimmed);

  const { page: askedPage, pageSize: askedSize, sort, sorts } = grid;
  // The rows of the last page, and its number, stay until the next rows arrive.
  const [{ page, pageSize }, setShown] = useState({ page: askedPage, pageSize: askedSize });
  const isOther = page !== askedPage || pageSize !== askedSize;
  if (isOther && !(loading && rows)) setShown({ page: askedPage, pageSize: askedSize });

  const paginationModel = useMemo(() => ({ page, pageSize }), [page, pageSize]);
  const field = sort?.field;
  const direction = sort?.direction === 'ASC' ? 'asc' : 'desc';
  const sortModel = useMemo<GridSortModel>(() => (field ? [{ field, sort: direction }] : []), [field, direction]);
  const memoColumns = useMemo(() => memoCells(columns, sorts), [columns, sorts]);
  const isSelectable = selection !== undefined;
  const selectedIds = selection?.ids;
  const rowSelection = useMemo(
    () =>
      isSelectable
        ? {
            keepNonExistentRowsSelected: true,
            rowSelectionModel: { type: 'include' as const, ids: new Set(selectedIds) },
          }
        : {},
    [isSelectable, selectedIds],
  );
  const getRowClassName = useMemo(
    () =>
      ({ row }: { row: R }) =>
        `${isRowDimmed?.(row) ? 'row-dimmed' : ''} ${currentRow != null && getRowId(row) === currentRow ? 'row-current' : ''}`,
    [isRowDimmed, currentRow, getRowId],
  );
  const handlers = useMemo(() => handlersOf(latest), []);
  const gridStyle = useMemo(() => ({ '--DataGrid-overlayHeight': `${rowHeight * 5}px` }), [rowHeight]);
  return (
    <Box
      sx={{
        display: 'flex',
        flexDirection: 'column',
        minHeight: skeleton ? headerHeight + grid.pageSize * rowHeight : undefined,
        '@keyframes appear': { from: { opacity: 0 }, to: { opacity: 1 } },
        '& .MuiDataGrid-overlayWrapper': { animation: 'appear 0s 150ms both' },
        '& .MuiDataGrid-row': {
          cursor: onRowOpen ? 'pointer' : undefined,
          // Rows out of view are not rendered again when a hundred rows are selected at once.
          contentVisibility: 'auto',
          containIntrinsicSize: `auto ${rowHeight}px`,
        },
        // The actions of a row stay visible if the columns are wider than the screen. The rules use a class of their
        // own: with `.MuiDataGrid-cell`, every cell of a row would be styled again when it is selected.
        '& .pinned-cell': {
          position: 'sticky',
          right: 0,
          zIndex: 2,
          backgroundColor: 'background.paper',
        },
        '& .MuiDataGrid-row:hover .pinned-cell': { backgroundColor: 'surface.hover' },
        // The colour of selected rows is translucent, but content that scrolls below these cells must not show through.
        '& :is(.Mui-selected, .row-current) .pinned-cell.pinned-cell': {
          backgroundColor: 'background.paper',
          backgroundImage: ({ vars }) => `linear-gradient(${vars.palette.action.selected} 0 0)`,
        },
        '& .MuiDataGrid-row.Mui-selected:hover': { backgroundColor: 'action.selected' },
        '& .row-dimmed': { color: 'text.disabled' },
        '& .row-current, & .row-current:hover': { backgroundColor: 'action.selected' },
      }}
    >
      <Nothing value={nothing}>
        <Grid<R>
          aria-label={label}
          rows={rows ?? noRows}
          columns={memoColumns}
          getRowId={getRowId}
          // The grid would refuse a page beyond a capped total.
          rowCount={Math.max(totalCount, page * pageSize + (rows?.length ?? 0))}
          loading={skeleton}
          columnVisibilityModel={columnVisibility ?? allColumns}
          paginationMode="server"
          sortingMode="server"
          filterMode="server"
          paginationModel={paginationModel}
          sortModel={sortModel}
          sortingOrder={sortingOrder}
          rowHeight={rowHeight}
          columnHeaderHeight={headerHeight}
          getRowClassName={getRowClassName}
          checkboxSelection={isSelectable}
          // "Select all" selects the rows of this page, and keeps the selection on other pages.
          disableRowSelectionExcludeModel
          {...rowSelection}
          {...handlers}
          hideFooter
          disableColumnMenu
          disableColumnFilter
          disableRowSelectionOnClick
          // Cells that are scrolled out stay mounted, and so do the pinned ones.
          columnBufferPx={2000}
          {...(styleNonce ? { nonce: styleNonce } : {})}
          localeText={currentGridTexts()}
          slots={slots}
          slotProps={slotProps}
          sx={gridStyle}
        />
      </Nothing>
    </Box>
  );
}

/** Callbacks of the grid, which use the props of the last render. */
const handlersOf = <R extends GridValidRowModel>(latest: { readonly current: ListGridProps<R> }) => ({
  onSortModelChange: ([item]: GridSortModel) =>
    latest.current.grid.setSort(
      item?.sort ? { field: item.field, direction: item.sort === 'asc' ? 'ASC' : 'DESC' } : undefined,
    ),
  onRowSelectionModelChange: ({ ids }: { ids: Set<string | number> }) => latest.current.selection?.onChange(ids),
  onRowClick: ({ row }: { row: R }, event: GridEvent) => {
    if (!isControl(event)) latest.current.onRowOpen?.(row);
  },
  onCellKeyDown: ({ row }: { row: R }, event: GridEvent & { readonly key: string }) => {
    if (event.key === 'Enter' && !isControl(event)) latest.current.onRowOpen?.(row);
  },
});

type GridEvent = Parameters<typeof isControl>[0];

/** The content that is shown instead of rows. */
const Nothing = createContext<ReactNode>(null);

/** Wraps content in a row and a cell, because ARIA allows only rows of cells inside a grid. */
function OnlyRow() {
  const nothing = useContext(Nothing);
  return (
    <Box role="row" sx={{ height: '100%' }}>
      <Box role="gridcell" sx={{ height: '100%' }}>
        {nothing}
      </Box>
    </Box>
  );
}

const slots = { noRowsOverlay: OnlyRow, noResultsOverlay: OnlyRow, rowCheckbox: RowCheckbox };
