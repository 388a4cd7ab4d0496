import type { GridColDef, GridColumnVisibilityModel } from '@mui/x-data-grid';
import { useMemo, useState } from 'react';
import { readJson, writeJson } from '../../lib/storage.js';

export interface ColumnChoice {
  /** The columns a reader may choose from. */
  readonly columns: readonly { readonly field: string; readonly label: string }[];
  readonly shown: ReadonlySet<string>;
  readonly visibility: GridColumnVisibilityModel;
  setShown(fields: ReadonlySet<string>): void;
}

/** Window width in px below which a column is hidden until the user chooses columns. Infinity: at every width. */
type HiddenBelow = Readonly<Record<string, number>>;

function readHidden(key: string, hiddenBelow: HiddenBelow): Set<string> {
  const stored = readJson(key);
  const widths = Object.entries(hiddenBelow);
  if (typeof stored !== 'object' || stored === null) {
    const narrow = widths.filter(
      ([, width]) => width === Infinity || matchMedia(`(max-width:${width - 0.02}px)`).matches,
    );
    return new Set(narrow.map(([field]) => field));
  }
  // Choices that were stored before such a column existed do not show it.
  const optional = widths.flatMap(([field, width]) => (width === Infinity && !(field in stored) ? [field] : []));
  return new Set([
    ...optional,
    ...Object.entries(stored).flatMap(([field, shown]) => (shown === false ? [field] : [])),
  ]);
}

/**
 * Which columns a list shows, kept under `key` as `{ field: boolean }`. Only columns with a header can be chosen; those
 * a role may not see are simply not among `columns`.
 */
// The columns' row type does not matter here.

export function useColumnChoice(
  key: string,
  columns: readonly Pick<GridColDef, 'field' | 'headerName'>[],
  hiddenBelow: HiddenBelow = {},
): ColumnChoice {
  const [hidden, setHidden] = useState(() => readHidden(key, hiddenBelow));
  return useMemo(() => {
    const choosable = columns.flatMap((column) =>
      column.headerName ? [{ field: column.field, label: column.headerName }] : [],
    );
    return {
      columns: choosable,
      shown: new Set(choosable.map((column) => column.field).filter((field) => !hidden.has(field))),
      visibility: Object.fromEntries(choosable.map((column) => [column.field, !hidden.has(column.field)])),
      setShown: (fields) => {
        const model = Object.fromEntries(choosable.map((column) => [column.field, fields.has(column.field)]));
        writeJson(key, model);
        setHidden(new Set(choosable.map((column) => column.field).filter((field) => !fields.has(field))));
      },
    };
  }, [columns, hidden, key]);
}
