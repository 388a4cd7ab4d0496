import Box from '@mui/material/Box';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate, useRouteError } from 'react-router-dom';
import { EmptyState } from '../components/EmptyState.js';
import { LoadAgainButton } from '../components/LoadAgainButton.js';
import { NotLoadedError } from '../components/loadable.js';

/** The shell's content when a screen failed to load or threw. */
export function CrashScreen() {
  const { t } = useTranslation();
  const error = useRouteError();
  const location = useLocation();
  const navigate = useNavigate();
  useEffect(() => {
    console.error(error);
  }, [error]);
  // The router drops an error when the location changes, even to the same address.
  const showAgain = () => void navigate(location, { replace: true, state: location.state as unknown });
  return (
    <Box role="alert" sx={{ pt: 6 }}>
      <EmptyState
        title={t('errors.crashed')}
        text={t(error instanceof NotLoadedError ? 'errors.notLoadedText' : 'errors.crashedText')}
        action={<LoadAgainButton error={error} onLoaded={showAgain} />}
      />
    </Box>
  );
}
