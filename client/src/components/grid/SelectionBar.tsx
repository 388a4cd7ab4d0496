import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

/** Replaces the filters while rows are selected: the number of rows, bulk actions, and Clear. */
export function SelectionBar({
  count,
  onClear,
  children,
}: {
  readonly count: number;
  readonly onClear: () => void;
  readonly children: ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, minHeight: 32 }}>
      <Box className="num" role="status" sx={{ fontSize: 13, fontWeight: 500, mr: 1 }}>
        {t('grid.selected', { count })}
      </Box>
      {children}
      <Button onClick={onClear}>{t('grid.clearSelection')}</Button>
    </Box>
  );
}
