import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { percent } from '../../lib/format.js';
import { Ellipsis, Num } from '../Text.js';

export interface RankedRow {
  /** Several rows may have the same name. */
  readonly name: string;
  /** Null: there is none. */
  readonly value: number | null;
  /** A CSS colour, also `var(...)`. */
  readonly color: string;
  /** A line below the name. */
  readonly note?: string | undefined;
}

/** Rows in their order, each with its value, its share of the total, and a bar beside the longest. */
export function Ranking({
  total,
  rows,
  format,
}: {
  /** The sum of all rows, also of those that are not listed. Null: values do not add up, and have no shares. */
  readonly total: number | null;
  readonly rows: readonly RankedRow[];
  readonly format: (value: number) => string;
}) {
  const { t } = useTranslation();
  const largest = Math.max(0, ...rows.map(({ value }) => value ?? 0)) || 1;
  if (rows.length === 0 || (total !== null && total <= 0)) {
    return <Box sx={{ color: 'text.secondary' }}>{t('dashboard.empty')}</Box>;
  }
  return rows.map((row, index) => (
    <Box key={index} sx={{ py: '5px' }}>
      <Box sx={{ display: 'flex', gap: 1, justifyContent: 'space-between' }}>
        <Ellipsis title={row.name}>{row.name}</Ellipsis>
        <Box sx={{ display: 'flex', gap: 1.5, flexShrink: 0 }}>
          <Num strong>{row.value === null ? '–' : format(row.value)}</Num>
          {total !== null && (
            <Box className="num" sx={{ width: 36, textAlign: 'right', color: 'text.secondary' }}>
              {row.value === null ? '–' : percent(row.value / total)}
            </Box>
          )}
        </Box>
      </Box>
      {row.note !== undefined && (
        <Box className="num" sx={{ fontSize: 12, color: 'text.secondary' }}>
          {row.note}
        </Box>
      )}
      <Box aria-hidden sx={{ mt: '4px', height: 4, borderRadius: 2, backgroundColor: 'divider' }}>
        <Box
          sx={{ height: 4, borderRadius: 2 }}
          style={{ width: `${(Math.max(0, row.value ?? 0) / largest) * 100}%`, backgroundColor: row.color }}
        />
      </Box>
    </Box>
  ));
}
