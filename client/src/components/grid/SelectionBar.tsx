import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { integer } from '../../lib/format.js';

/**
 * Replaces the filters while rows are selected: the number of rows, bulk actions, and Clear. Offers all rows that match the
 * filters, if there are more than selected.
 */
export function SelectionBar({
  count,
  matching,
  onSelectMatching,
  isSelecting = false,
  atMost = Infinity,
  isRunning = false,
  onClear,
  children,
}: {
  readonly count: number;
  /** Number of rows that match the filters. */
  readonly matching?: number;
  /** Selects all that match. */
  readonly onSelectMatching?: () => void;
  readonly isSelecting?: boolean;
  /** Most rows that can be selected. */
  readonly atMost?: number;
  /** A bulk action runs: the selection stays as it is until then. */
  readonly isRunning?: boolean;
  readonly onClear: () => void;
  readonly children: ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, minHeight: 32 }}>
      <Box className="num" role="status" sx={{ fontSize: 13, fontWeight: 500, mr: 1 }}>
        {t('grid.selected', { count })}
      </Box>
      {onSelectMatching && matching !== undefined && matching > count && count < atMost && (
        <Button loading={isSelecting} disabled={isRunning} onClick={onSelectMatching}>
          {matching > atMost
            ? t('grid.selectFirst', { total: integer(atMost) })
            : t('grid.selectMatching', { count: matching })}
        </Button>
      )}
      {children}
      <Button disabled={isRunning} onClick={onClear}>
        {t('grid.clearSelection')}
      </Button>
    </Box>
  );
}
