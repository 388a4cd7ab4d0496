import Box from '@mui/material/Box';
import { DataGrid, type GridColDef } from '@mui/x-data-grid';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Dash, Ellipsis, Num } from '../../components/Text.js';
import { currentGridTexts } from '../../i18n/i18n.js';
import { styleNonce } from '../../lib/nonce.js';
import { useFormat } from '../../lib/useFormat.js';
import { cellText, columnLabel } from './columnTexts.js';
import { isNumeric, isOthersMark, numberAt, valueAt, type Column } from './panelData.js';

interface TableRow {
  readonly id: number;
  readonly row: unknown;
}

/** The rows of a panel in a data grid, which sorts them and shows a hundred at a time. */
export function PanelTable({
  title,
  rows,
  columns,
}: {
  readonly title: string;
  readonly rows: readonly unknown[];
  readonly columns: readonly Column[];
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const numbered = useMemo<TableRow[]>(() => rows.map((row, id) => ({ id, row })), [rows]);
  const definitions = useMemo(
    () =>
      columns
        .filter((column) => !isOthersMark(column))
        .map((column): GridColDef<TableRow> => {
          const isNumber = isNumeric(column);
          return {
            field: column.path,
            headerName: columnLabel(column, t),
            flex: 1,
            minWidth: isNumber ? 96 : 132,
            ...(isNumber ? { align: 'right', headerAlign: 'right', type: 'number' } : {}),
            valueGetter: (_, { row }) => (isNumber ? numberAt(row, column) : valueAt(row, column.path)),
            renderCell: ({ row: { row } }) => {
              const text = cellText(row, column, format, t);
              if (text === null) return <Dash />;
              return isNumber || column.kind === 'TIME' ? <Num>{text}</Num> : <Ellipsis title={text}>{text}</Ellipsis>;
            },
          };
        }),
    [columns, format, t],
  );
  return (
    <Box sx={{ height: 280, minWidth: 0, mx: -2, mb: -2 }}>
      <DataGrid
        aria-label={title}
        rows={numbered}
        columns={definitions}
        rowHeight={36}
        columnHeaderHeight={36}
        hideFooter={rows.length <= 100}
        disableColumnMenu
        disableColumnFilter
        disableRowSelectionOnClick
        {...(styleNonce ? { nonce: styleNonce } : {})}
        localeText={currentGridTexts()}
      />
    </Box>
  );
}
