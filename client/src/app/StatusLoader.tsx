import { useQuery } from '@apollo/client/react';
import { useEffect, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { siteStatus, useIsStatusKnown } from '../lib/status.js';
import { LoadFailure } from './LoadFailure.js';
import { toSiteStatus } from './refreshStatus.js';
import { StatusDocument } from './session.generated.js';

/**
 * Knows the site's status. The page brings it along; where it does not, because the database was away or somebody else
 * serves the page, the first visit waits for it, and later ones paint from what was remembered.
 */
export function StatusLoader({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation();
  const known = useIsStatusKnown();
  const { data, error, refetch } = useQuery(StatusDocument, {
    fetchPolicy: 'network-only',
    skip: siteStatus.cameWithPage,
  });
  useEffect(() => {
    if (data) siteStatus.set(toSiteStatus(data));
  }, [data]);
  if (known) return children;
  return error ? <LoadFailure title={t('errors.status')} error={error} onRetry={() => void refetch()} /> : null;
}
