import { useQuery } from '@apollo/client/react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { LoadFailure } from '../../components/LoadFailure.js';
import { siteStatus, useIsStatusKnown } from '../../lib/status.js';
import { toSiteStatus } from './refreshStatus.js';
import { StatusDocument } from './site.generated.js';

/** Asks for the status of the site, and says so if there is none to show. */
export function StatusQuery() {
  const { t } = useTranslation();
  const known = useIsStatusKnown();
  const { data, error, refetch } = useQuery(StatusDocument, { fetchPolicy: 'network-only' });
  useEffect(() => {
    if (data) siteStatus.set(toSiteStatus(data));
  }, [data]);
  if (known || !error) return null;
  return <LoadFailure title={t('errors.status')} error={error} onRetry={() => void refetch()} />;
}
