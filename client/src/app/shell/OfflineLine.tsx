import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { useIsOffline } from '../offline.js';

/** Line below the top bar while the server does not respond. */
export function OfflineLine() {
  const { t } = useTranslation();
  if (!useIsOffline()) return null;
  return (
    <Box
      role="alert"
      sx={({ vars }) => ({
        // Over the padding of the page, so that nothing moves.
        position: 'fixed',
        top: 48,
        left: 0,
        right: 0,
        zIndex: 1090,
        padding: '4px 16px',
        fontSize: 12,
        textAlign: 'center',
        color: vars.palette.tone.red.text,
        backgroundColor: vars.palette.tone.red.tint,
      })}
    >
      {t('errors.network')}
    </Box>
  );
}
