import type { RowAction } from '../../components/ActionMenu.js';
import type { PanelPartsFragment } from './dashboards.generated.js';
import type { Column } from './panelData.js';

/** A response, and how it is drawn: what a panel of a dashboard is once its query has run. */
export interface Figure {
  readonly title: string;
  readonly kind: PanelPartsFragment['kind'];
  readonly size: PanelPartsFragment['size'];
  readonly rows: readonly unknown[];
  readonly columns: readonly Column[];
  /** Numbers outside the rows, such as totals. */
  readonly values: { readonly of: unknown; readonly columns: readonly Column[] };
  readonly actions?: readonly RowAction[];
  /** A number keeps its room while it loads. */
  readonly isLoading?: boolean;
}
