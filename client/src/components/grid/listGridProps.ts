import type { GridColDef, GridColumnVisibilityModel, GridValidRowModel } from '@mui/x-data-grid';
import type { ReactNode } from 'react';
import type { ServerGrid } from '../../lib/useServerGrid.js';
import type { ColumnChoice } from './useColumnChoice.js';

export interface ListGridProps<R extends GridValidRowModel> {
  readonly label: string;
  readonly grid: ServerGrid<Record<string, string>>;
  readonly columns: readonly GridColDef<R>[];
  readonly columnVisibility?: GridColumnVisibilityModel;
  /** The chosen columns, where the screen has its own choice. */
  readonly columnChoice?: ColumnChoice;
  /** Key under which the browser keeps the chosen columns. The footer then has a Columns button, on wide screens. */
  readonly columnsKey?: string;
  /** Undefined until the first page is loaded. */
  readonly rows: readonly R[] | undefined;
  readonly totalCount: number;
  /** Whether there are more rows than `totalCount`. */
  readonly totalCapped?: boolean;
  readonly loading: boolean;
  readonly error?: unknown;
  readonly onRetry: () => void;
  readonly getRowId: (row: R) => string | number;
  readonly onRowOpen?: (row: R) => void;
  readonly rowHeight?: 40 | 48;
  readonly isRowDimmed?: (row: R) => boolean;
  /** The row whose panel is open beside the list. */
  readonly currentRow?: string | number | null;
  /** Row selection, on wide screens only. */
  readonly selection?: {
    readonly ids: ReadonlySet<string | number>;
    readonly onChange: (ids: ReadonlySet<string | number>) => void;
  };
  /** Shown when there are no rows and no filter is set. */
  readonly empty: ReactNode;
  /** A text that is shown when no row matches the filters. It says why the user may miss some rows. */
  readonly noMatchText?: string;
  /** The row as a card, for narrow screens. */
  readonly renderCard: (row: R) => ReactNode;
}

/** Height of the column headers, px. */
export const headerHeight = 36;
