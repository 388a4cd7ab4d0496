import { useQuery } from '@apollo/client/react';
import { useTranslation } from 'react-i18next';
import { Navigate } from 'react-router-dom';
import { LoadFailure } from '../../components/LoadFailure.js';
import { PublicPage } from '../../components/PublicPage.js';
import { useStatus } from '../../lib/status.js';
import { SetupStatusDocument } from './setup.generated.js';
import { SetupForm } from './SetupForm.js';

const databaseNames: Record<string, string> = { postgres: 'PostgreSQL', mysql: 'MySQL', sqlite: 'SQLite' };

/** Setup of a new installation: the root account and the usage mode. */
export function SetupScreen() {
  const { t } = useTranslation();
  const { systemName } = useStatus();
  const { data, error, refetch } = useQuery(SetupStatusDocument, { fetchPolicy: 'network-only' });
  if (error && !data)
    return <LoadFailure title={t('setup.statusFailed')} error={error} onRetry={() => void refetch()} />;
  if (!data) return null;
  if (data.setup.isDone) return <Navigate to="/" replace />;
  const database = databaseNames[data.setup.databaseType ?? ''] ?? data.setup.databaseType;
  return (
    <PublicPage width={560} title={t('setup.title', { name: systemName })} intro={t('setup.intro', { database })}>
      <SetupForm hasAdministrator={!data.setup.needsRootUser} needsCode={data.setup.codeNeeded} />
    </PublicPage>
  );
}
