import type { GridColDef, GridValidRowModel } from '@mui/x-data-grid';
import type { ReactNode } from 'react';

/**
 * A column whose cells depend on their row alone. Whether a list is sorted by it is decided by the list (`memoCells`).
 * @param look the width in px, or how the grid lays the column out, such as with `flex`
 */
export const column = <R extends GridValidRowModel>(
  field: string,
  headerName: string,
  look: number | Partial<GridColDef<R>>,
  cell: (row: R) => ReactNode,
): GridColDef<R> => ({
  field,
  headerName,
  ...(typeof look === 'number' ? { width: look } : look),
  renderCell: ({ row }) => cell(row),
});

/** A column that is aligned right, such as one of numbers. */
export const rightColumn: typeof column = (field, headerName, look, cell) => ({
  ...column(field, headerName, look, cell),
  align: 'right',
  headerAlign: 'right',
});
