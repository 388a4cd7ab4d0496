import { useQuery } from '@apollo/client/react';
import { useEffect, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { LoadFailure } from '../../components/LoadFailure.js';
import { siteStatus, useIsStatusKnown } from '../../lib/status.js';
import { toSiteStatus } from './refreshStatus.js';
import { StatusDocument } from './site.generated.js';

/**
 * Renders its children once the site's status is known. The page usually contains it. If it does not, because the database
 * is unavailable or another server sent the page, the first visit waits for a query; later visits use the stored status.
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
