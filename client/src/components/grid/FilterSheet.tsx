import Box from '@mui/material/Box';
import Drawer from '@mui/material/Drawer';
import Typography from '@mui/material/Typography';
import type { ReactNode, SyntheticEvent } from 'react';
import { useTranslation } from 'react-i18next';

/** The filters of a narrow screen, in a sheet from the bottom. */
export function FilterSheet({
  open,
  onClose,
  onSubmit,
  children,
}: {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onSubmit: (event: SyntheticEvent) => void;
  readonly children: ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <Drawer
      anchor="bottom"
      open={open}
      onClose={onClose}
      slotProps={{ paper: { sx: { borderRadius: '10px 10px 0 0' } } }}
    >
      <Box
        component="form"
        onSubmit={onSubmit}
        sx={{
          padding: 2,
          display: 'flex',
          flexDirection: 'column',
          gap: 1.5,
          '& > *': { width: '100% !important' },
        }}
      >
        <Typography variant="h2">{t('grid.filters')}</Typography>
        {children}
      </Box>
    </Drawer>
  );
}
