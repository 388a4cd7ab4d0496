import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useRouteError } from 'react-router-dom';
import { EmptyState } from '../components/EmptyState.js';

/** The shell's content when a screen failed to load or threw. */
export function CrashScreen() {
  const { t } = useTranslation();
  const error = useRouteError();
  useEffect(() => {
    console.error(error);
  }, [error]);
  return (
    <Box role="alert" sx={{ pt: 6 }}>
      <EmptyState
        title={t('errors.crashed')}
        text={t('errors.crashedText')}
        action={
          <Button variant="contained" onClick={() => location.reload()}>
            {t('actions.reload')}
          </Button>
        }
      />
    </Box>
  );
}
