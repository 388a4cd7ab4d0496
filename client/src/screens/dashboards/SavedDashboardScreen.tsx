import { useQuery, skipToken } from '@apollo/client/react';
import { useTranslation } from 'react-i18next';
import { useMatch, useNavigate, useParams, useSearchParams } from 'react-router-dom';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { EmptyState } from '../../components/EmptyState.js';
import { LoadFailure } from '../../components/LoadFailure.js';
import { idPattern } from '../../lib/gridState.js';
import { dashboardName, titledPanels } from '../../nouns/dashboards/builtInTexts.js';
import { SavedDashboardDocument } from '../../nouns/dashboards/dashboards.generated.js';
import { DashboardEditor } from './DashboardEditor.js';
import { DashboardView } from './DashboardView.js';

/** A saved dashboard, shown or edited; or a new one, empty or a copy of another. */
export function SavedDashboardScreen() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { id = '' } = useParams();
  const isEdited = useMatch('/dashboards/:id/edit') !== null;
  const copied = useSearchParams()[0].get('copy') ?? '';
  const isNew = id === '';
  const wanted = isNew ? copied : id;
  const number = idPattern.test(wanted) ? Number(wanted) : null;
  const { data, error, refetch } = useQuery(
    SavedDashboardDocument,
    number === null ? skipToken : { variables: { id: number }, fetchPolicy: 'cache-and-network' },
  );
  const dashboard = data?.dashboard;
  if (error && !dashboard) {
    return <LoadFailure title={t('dashboards.failed')} error={error} onRetry={() => void refetch()} />;
  }
  if (number !== null && data === undefined) return null;
  if (!dashboard) {
    if (isNew && copied === '') return <DashboardEditor key="new" dashboard={null} />;
    return (
      <EmptyState
        title={t('dashboards.missing')}
        text={t('dashboards.missingText')}
        action={
          <Button variant="outlined" onClick={() => void navigate('/dashboards')}>
            {t('dashboards.toList')}
          </Button>
        }
      />
    );
  }
  const shown = { ...dashboard, name: dashboardName(dashboard, t), panels: titledPanels(dashboard, t) };
  if (isNew) {
    return <DashboardEditor key={`copy ${dashboard.id}`} dashboard={null} copied={shown} />;
  }
  if (isEdited && dashboard.mayChange) return <DashboardEditor key={dashboard.id} dashboard={shown} />;
  return (
    <Box key={dashboard.id}>
      <DashboardView dashboard={shown} />
    </Box>
  );
}
