import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { useIsOffline } from '../offline.js';

/**
 * The line below the top bar while the server does not respond. It fits into the padding of the page, so that no
 * content moves or is covered.
 */
export function OfflineLine() {
  const { t } = useTranslation();
  if (!useIsOffline()) return null;
  return (
    <Box sx={{ position: 'sticky', top: 48, height: 0, zIndex: 1090 }}>
      <Box
        role="alert"
        sx={({ vars }) => ({
          height: { xs: 16, sm: 24 },
          fontSize: { xs: 11, sm: 12 },
          lineHeight: { xs: '16px', sm: '24px' },
          textAlign: 'center',
          color: vars.palette.tone.red.text,
          backgroundColor: vars.palette.tone.red.tint,
        })}
      >
        {t('errors.network')}
      </Box>
    </Box>
  );
}
