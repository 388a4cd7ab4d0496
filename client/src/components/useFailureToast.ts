import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { describeFailure, toFailure } from '../lib/errors.js';
import { session } from '../lib/session.js';
import { toast } from './toast.js';

type FailedText = 'errors.refreshFailed' | 'channels.choicesFailed';

/**
 * Shows a toast if data on the screen could not be refreshed. Without older data, the failure is shown instead of the
 * data. Lost connections and ended sessions are reported elsewhere (`OfflineLine`, the sign-in page).
 * @param error of the last attempt, if it failed
 * @param kept whether older data is still shown
 * @param word the text that names what failed. Default: the reason alone
 */
export function useFailureToast(error: unknown, kept: boolean, word?: FailedText): void {
  const { t } = useTranslation();
  useEffect(() => {
    if (!error || !kept || toFailure(error).code === 'NETWORK' || session.get() === null) return;
    const reason = describeFailure(error, t);
    toast.error(word ? t(word, { reason }) : reason);
  }, [error, kept, word, t]);
}
