import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { describeFailure, toFailure } from '../lib/errors.js';
import { session } from '../lib/session.js';
import { toast } from './toast.js';

/**
 * Says that what is on the screen could not be read anew. Not while there is nothing on it: then the failure stands in
 * its place. A lost connection has a line of its own, and whoever is no longer signed in reads so where he is sent.
 *
 * @param error of the last attempt, if it failed
 * @param kept whether something older is still shown
 */
export function useFailureToast(error: unknown, kept: boolean): void {
  const { t } = useTranslation();
  useEffect(() => {
    if (!error || !kept || toFailure(error).code === 'NETWORK' || session.get() === null) return;
    toast.error(describeFailure(error, t));
  }, [error, kept, t]);
}
