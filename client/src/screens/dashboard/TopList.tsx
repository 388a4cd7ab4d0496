import Box from '@mui/material/Box';
import Card from '@mui/material/Card';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { Ellipsis, Num } from '../../components/Text.js';
import { percent } from '../../lib/format.js';
import { useFormat } from '../../lib/useFormat.js';

const shown = 8;

/** Users, models or channels with the highest cost, each with its share of the total. */
export function TopList({
  title,
  whole,
  rows,
}: {
  readonly title: string;
  /** Total of all, including those not listed. */
  readonly whole: number;
  readonly rows: readonly {
    readonly id: string | number;
    /** Several rows may have the same. */
    readonly name: string;
    readonly value: number;
    readonly color: string;
    /** Line below the list. */
    readonly note?: string | undefined;
  }[];
}) {
  const { t } = useTranslation();
  const { money } = useFormat();
  return (
    <Card component="section" aria-label={title} sx={{ padding: '12px 16px 16px', minWidth: 0 }}>
      <Typography variant="h2" sx={{ fontSize: 14, lineHeight: '32px', mb: 1 }}>
        {title}
      </Typography>
      {whole <= 0 && <Box sx={{ color: 'text.secondary' }}>{t('dashboard.empty')}</Box>}
      {whole > 0 &&
        rows.slice(0, shown).map((row) => (
          <Box key={row.id} sx={{ py: '5px' }}>
            <Box sx={{ display: 'flex', gap: 1, justifyContent: 'space-between' }}>
              <Ellipsis title={row.name}>{row.name}</Ellipsis>
              <Box sx={{ display: 'flex', gap: 1.5, flexShrink: 0 }}>
                <Num strong>{money(row.value, 'balance')}</Num>
                <Box className="num" sx={{ width: 36, textAlign: 'right', color: 'text.secondary' }}>
                  {percent(row.value / whole)}
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
        ))}
    </Card>
  );
}
