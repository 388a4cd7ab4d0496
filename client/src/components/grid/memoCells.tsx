import type { GridColDef, GridRenderCellParams, GridValidRowModel } from '@mui/x-data-grid';
import { memo, type ReactNode } from 'react';

type Render<R extends GridValidRowModel> = (parameters: GridRenderCellParams<R>) => ReactNode;

/** The content of a cell. It depends on its row alone, and on nothing else that the grid passes. */
const Content = memo(
  function Content({
    parameters,
    render,
  }: {
    readonly parameters: GridRenderCellParams<GridValidRowModel>;
    readonly render: Render<GridValidRowModel>;
  }) {
    return render(parameters);
  },
  (before, after) => before.render === after.render && before.parameters.row === after.parameters.row,
);

/** The class of cells that stay visible while other cells scroll. */
const pinned = 'pinned-cell';

/**
 * Wraps columns, so that a cell is rendered again only if its row or the column changes. The grid renders every cell
 * whenever one of its own props changes: when a row is selected, or a page is requested.
 * @param sorts columns that the list can be sorted by
 */
export const memoCells = <R extends GridValidRowModel>(
  columns: readonly GridColDef<R>[],
  sorts: readonly string[],
): GridColDef<R>[] =>
  columns.map((given) => {
    const column = {
      ...given,
      sortable: sorts.includes(given.field),
      ...(given.field === 'actions' ? { cellClassName: pinned, headerClassName: pinned } : {}),
    };
    const render = column.renderCell as Render<GridValidRowModel> | undefined;
    if (!render) return column;
    return { ...column, renderCell: (parameters) => <Content parameters={parameters} render={render} /> };
  });
