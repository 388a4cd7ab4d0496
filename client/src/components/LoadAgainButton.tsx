import Button from '@mui/material/Button';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isServerReachable, reloadPage } from '../lib/page.js';
import { NotLoadedError } from './loadable.js';
import { toast } from './toast.js';

/**
 * Loads code again that could not be loaded. If that fails although the server responds, the server has a build with
 * other files, so the page is reloaded. A page whose code threw an error is reloaded as well.
 */
export function LoadAgainButton({ error, onLoaded }: { readonly error: unknown; readonly onLoaded: () => void }) {
  const { t } = useTranslation();
  const [busy, setBusy] = useState(false);
  if (!(error instanceof NotLoadedError)) {
    return (
      <Button variant="contained" onClick={reloadPage}>
        {t('actions.reload')}
      </Button>
    );
  }
  const tryAgain = async () => {
    setBusy(true);
    try {
      await error.loadAgain();
      onLoaded();
    } catch {
      if (await isServerReachable()) return reloadPage();
      toast.error(t('errors.network'));
    }
    setBusy(false);
  };
  return (
    <Button variant="contained" disabled={busy} onClick={() => void tryAgain()}>
      {t('actions.retry')}
    </Button>
  );
}
