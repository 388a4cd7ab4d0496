import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Drawer from '@mui/material/Drawer';
import Typography from '@mui/material/Typography';
import TuneOutlinedIcon from '@mui/icons-material/TuneOutlined';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useIsMobile } from '../../lib/useMediaFlags.js';

/** The parameters at the left; on phones in a sheet, below a bar with the model. */
export function ParametersPane({ model, children }: { readonly model: string; readonly children: ReactNode }) {
  const { t } = useTranslation();
  const mobile = useIsMobile();
  const [sheet, setSheet] = useState(false);
  if (!mobile) {
    return (
      <Box
        component="section"
        aria-label={t('playground.parameters')}
        sx={({ vars }) => ({
          width: { sm: 260, md: 300 },
          flexShrink: 0,
          overflowY: 'auto',
          padding: 2,
          display: 'flex',
          flexDirection: 'column',
          gap: 2,
          backgroundColor: vars.palette.background.paper,
          borderRight: `1px solid ${vars.palette.surface.line}`,
        })}
      >
        <Typography variant="h1">{t('shell.playground')}</Typography>
        {children}
      </Box>
    );
  }
  return (
    <Box
      sx={({ vars }) => ({
        display: 'flex',
        alignItems: 'center',
        gap: 1,
        flexShrink: 0,
        minHeight: 48,
        padding: '0 8px 0 16px',
        borderBottom: `1px solid ${vars.palette.surface.line}`,
        backgroundColor: vars.palette.background.paper,
      })}
    >
      <Typography variant="h1" sx={{ fontSize: 16 }}>
        {t('shell.playground')}
      </Typography>
      <Button
        aria-label={`${model} ${t('playground.parameters')}`.trim()}
        endIcon={<TuneOutlinedIcon />}
        onClick={() => setSheet(true)}
        sx={{ ml: 'auto', minWidth: 0, color: 'text.secondary', '& > span:first-of-type': { minWidth: 0 } }}
      >
        <Box component="span" sx={{ overflow: 'hidden', textOverflow: 'ellipsis' }}>
          {model}
        </Box>
      </Button>
      <Drawer
        anchor="bottom"
        open={sheet}
        onClose={() => setSheet(false)}
        slotProps={{
          paper: {
            role: 'dialog',
            'aria-label': t('playground.parameters'),
            sx: { maxHeight: '88dvh', borderRadius: '10px 10px 0 0' },
          },
        }}
      >
        <Box sx={{ display: 'flex', flexDirection: 'column', gap: 2, padding: 2, overflowY: 'auto' }}>
          <Typography variant="h2">{t('playground.parameters')}</Typography>
          {children}
          <Button variant="contained" onClick={() => setSheet(false)}>
            {t('actions.done')}
          </Button>
        </Box>
      </Drawer>
    </Box>
  );
}
