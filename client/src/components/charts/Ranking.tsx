import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { percent } from '../../lib/format.js';
import { Ellipsis, Num } from '../Text.js';

export interface RankedRow {
  /** Several rows may have the same. */
  readonly name: string;
  readonly value: number;
  /** A CSS colour, also `var(...)`. */
  readonly color: string;
  /** A line below the name. */
  readonly note?: string | undefined;
}

/** Rows in their order, each with its value, its share of the total, and a bar beside that of the first. */
export function Ranking({
  total,
  rows,
  format,
}: {
  /** Of all, also those that are not listed. */
  readonly total: number;
  readonly rows: readonly RankedRow[];
  readonly format: (value: number) => string;
}) {
  const { t } = useTranslation();
  if (total <= 0) return <Box sx={{ color: 'text.secondary' }}>{t('dashboard.empty')}</Box>;
  return rows.map((row, index) => (
    <Box key={index} sx={{ py: '5px' }}>
      <Box sx={{ display: 'flex', gap: 1, justifyContent: 'space-between' }}>
        <Ellipsis title={row.name}>{row.name}</Ellipsis>
        <Box sx={{ display: 'flex', gap: 1.5, flexShrink: 0 }}>
          <Num strong>{format(row.value)}</Num>
          <Box className="num" sx={{ width: 36, textAlign: 'right', color: 'text.secondary' }}>
            {percent(row.value / total)}
          </Box>
        </Box>
      </Box>
      {row.note !== undefined && (
        <Box className="num" sx={{ fontSize: 12, color: 'text.secondary' }}>
          {row.note}
        </Box>
      )}
      <Box aria-hidden sx={{ mt: '4px', height: 4, borderRadius: 2, backgroundColor: 'divider' }}>
        <Box
          sx={{
            height: 4,
            borderRadius: 2,
            width: `${(row.value / (rows[0]?.value || 1)) * 100}%`,
            backgroundColor: row.color,
          }}
        />
      </Box>
    </Box>
  ));
}
