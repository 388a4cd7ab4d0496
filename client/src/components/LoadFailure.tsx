import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useTranslation } from 'react-i18next';
import { EmptyState } from './EmptyState.js';
import { describeFailure } from '../lib/errors.js';

/** A page that could not be loaded, with a Retry button. */
export function LoadFailure({
  title,
  error,
  onRetry,
}: {
  readonly title: string;
  readonly error: unknown;
  readonly onRetry: () => void;
}) {
  const { t } = useTranslation();
  return (
    <Box role="alert">
      <EmptyState
        title={title}
        text={describeFailure(error, t)}
        action={
          <Button variant="outlined" onClick={onRetry}>
            {t('actions.retry')}
          </Button>
        }
      />
    </Box>
  );
}
