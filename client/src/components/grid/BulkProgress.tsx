import Box from '@mui/material/Box';
import LinearProgress from '@mui/material/LinearProgress';
import { useTranslation } from 'react-i18next';
import { integer } from '../../lib/format.js';

/** How many rows a running bulk action has changed. */
export function BulkProgress({ done, count }: { readonly done: number; readonly count: number }) {
  const { t } = useTranslation();
  const text = t('grid.changed', { done: integer(done), total: integer(count) });
  return (
    <Box role="status" sx={{ display: 'flex', alignItems: 'center', gap: 1, minHeight: 32, fontSize: 13 }}>
      <LinearProgress
        variant="determinate"
        value={(100 * done) / Math.max(1, count)}
        aria-label={text}
        sx={{ width: 120 }}
      />
      <span className="num nowrap">{text}</span>
    </Box>
  );
}
