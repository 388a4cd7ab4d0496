import Box from '@mui/material/Box';
import { DataGrid, type GridSortModel, type GridValidRowModel } from '@mui/x-data-grid';
import { zhCN } from '@mui/x-data-grid/locales';
import { useMemo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { styleNonce } from '../../lib/nonce.js';
import { isControl } from './isControl.js';
import { headerHeight, type ListGridProps } from './listGridProps.js';

declare module '@mui/x-data-grid' {
  interface NoRowsOverlayPropsOverrides {
    children: ReactNode;
  }
  interface NoResultsOverlayPropsOverrides {
    children: ReactNode;
  }
}

// New objects in these props make the grid process its rows again, so they stay the same between renders.
const sortingOrder = ['desc', 'asc', null] as const;
const allColumns = {};
const noRows: never[] = [];

/** The rows of a list in a data grid. Loaded separately because of its size. */
export function WideGrid<R extends GridValidRowModel>({
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
  const { page, pageSize, sort } = grid;
  const paginationModel = useMemo(() => ({ page, pageSize }), [page, pageSize]);
  const sortModel = useMemo<GridSortModel>(
    () => (sort ? [{ field: sort.field, sort: sort.direction === 'ASC' ? 'asc' : 'desc' }] : []),
    [sort],
  );
  const selectedIds = selection?.ids;
  const rowSelectionModel = useMemo(() => ({ type: 'include' as const, ids: new Set(selectedIds) }), [selectedIds]);
  return (
    <Box
      sx={{
        display: 'flex',
        flexDirection: 'column',
        minHeight: skeleton ? headerHeight + grid.pageSize * rowHeight : undefined,
        '@keyframes appear': { from: { opacity: 0 }, to: { opacity: 1 } },
        '& .MuiDataGrid-overlayWrapper': { animation: 'appear 0s 150ms both' },
        '& .MuiDataGrid-row': { cursor: onRowOpen ? 'pointer' : undefined },
        // The actions of a row stay in view where the columns are wider than the screen.
        '& .MuiDataGrid-cell[data-field="actions"], & .MuiDataGrid-columnHeader[data-field="actions"]': {
          position: 'sticky',
          right: 0,
          zIndex: 2,
          backgroundColor: 'background.paper',
        },
        '& .MuiDataGrid-row:hover .MuiDataGrid-cell[data-field="actions"]': { backgroundColor: 'surface.hover' },
        // The colour of chosen rows is translucent, and what scrolls below these cells must not show through.
        '& :is(.Mui-selected, .row-current) .MuiDataGrid-cell[data-field="actions"]': {
          backgroundColor: 'background.paper !important',
          backgroundImage: ({ vars }) => `linear-gradient(${vars.palette.action.selected} 0 0)`,
        },
        '& .MuiDataGrid-row.Mui-selected:hover': { backgroundColor: 'action.selected' },
        '& .row-dimmed': { color: 'text.disabled' },
        '& .row-current, & .row-current:hover': { backgroundColor: 'action.selected' },
      }}
    >
      <DataGrid<R>
        aria-label={label}
        rows={rows ?? noRows}
        columns={columns}
        getRowId={getRowId}
        // Behind a capped total, the grid would refuse the page.
        rowCount={Math.max(totalCount, page * pageSize + (rows?.length ?? 0))}
        loading={skeleton}
        columnVisibilityModel={columnVisibility ?? allColumns}
        paginationMode="server"
        sortingMode="server"
        filterMode="server"
        paginationModel={paginationModel}
        sortModel={sortModel}
        onSortModelChange={([item]) =>
          grid.setSort(item?.sort ? { field: item.field, direction: item.sort === 'asc' ? 'ASC' : 'DESC' } : undefined)
        }
        sortingOrder={sortingOrder}
        rowHeight={rowHeight}
        columnHeaderHeight={headerHeight}
        getRowClassName={({ row }: { row: R }) =>
          `${isRowDimmed?.(row) ? 'row-dimmed' : ''} ${currentRow != null && getRowId(row) === currentRow ? 'row-current' : ''}`
        }
        checkboxSelection={selection !== undefined}
        {...(selection
          ? {
              keepNonExistentRowsSelected: true,
              rowSelectionModel,
              onRowSelectionModelChange: ({ type, ids }: { type: 'include' | 'exclude'; ids: Set<string | number> }) =>
                selection.onChange(
                  type === 'include' ? ids : new Set((rows ?? []).map(getRowId).filter((id) => !ids.has(id))),
                ),
            }
          : {})}
        onRowClick={({ row }: { row: R }, event) => {
          if (onRowOpen && !isControl(event)) onRowOpen(row);
        }}
        onCellKeyDown={({ row }: { row: R }, event) => {
          if (onRowOpen && event.key === 'Enter' && !isControl(event)) onRowOpen(row);
        }}
        hideFooter
        disableColumnMenu
        disableColumnFilter
        disableRowSelectionOnClick
        // Cells that are scrolled out stay, so that the pinned ones do.
        columnBufferPx={2000}
        {...(styleNonce ? { nonce: styleNonce } : {})}
        localeText={i18n.language === 'zh' ? zhCN.components.MuiDataGrid.defaultProps.localeText : undefined}
        slots={slots}
        slotProps={{
          loadingOverlay: { variant: 'skeleton', noRowsVariant: 'skeleton' },
          noRowsOverlay: { children: nothing },
          noResultsOverlay: { children: nothing },
        }}
        sx={{ '--DataGrid-overlayHeight': `${rowHeight * 5}px` }}
      />
    </Box>
  );
}

/** Wraps content in a row and a cell, because ARIA allows only rows of cells inside a grid. */
const OnlyRow = ({ children }: { readonly children: ReactNode }) => (
  <Box role="row" sx={{ height: '100%' }}>
    <Box role="gridcell" sx={{ height: '100%' }}>
      {children}
    </Box>
  </Box>
);

const slots = { noRowsOverlay: OnlyRow, noResultsOverlay: OnlyRow };
