import Button from '@mui/material/Button';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router-dom';
import { useCopy } from '../../components/CopyProvider.js';
import type { DashboardPartsFragment } from '../../nouns/dashboards/dashboards.generated.js';
import { PanelGrid } from '../../nouns/dashboards/PanelGrid.js';
import { RangeField } from '../../nouns/dashboards/RangeControls.js';
import { useDashboardActions } from '../../nouns/dashboards/useDashboardActions.js';
import { useUsageRange } from '../../nouns/dashboards/useUsageRange.js';
import { useViewer } from '../../nouns/dashboards/useViewer.js';
import { siteAddress } from '../../lib/basePath.js';
import { DashboardFrame } from './DashboardFrame.js';

/** A saved dashboard in the range that the viewer chooses. */
export function DashboardView({
  dashboard,
}: {
  readonly dashboard: Omit<DashboardPartsFragment, 'panels'> & { readonly panels: DashboardPartsFragment['panels'] };
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const copy = useCopy();
  const { id, name, mayChange, visibility } = dashboard;
  const { range, granularity, change } = useUsageRange();
  const { viewer, version, refresh } = useViewer(range, granularity);
  const { remove, save } = useDashboardActions();
  const toCopy = `/dashboards/add?copy=${id}`;
  return (
    <DashboardFrame
      title={name}
      range={<RangeField range={range} granularity={granularity} change={change} />}
      primary={
        <Button variant="outlined" component={Link} to={mayChange ? `/dashboards/${id}/edit` : toCopy}>
          {mayChange ? t('actions.edit') : t('dashboards.copy')}
        </Button>
      }
      menu={[
        { label: t('actions.refresh'), onSelect: refresh },
        ...(visibility === 'SHARED'
          ? [{ label: t('dashboards.link'), onSelect: () => void copy(`${siteAddress()}/dashboards/${id}`) }]
          : []),
        ...(mayChange ? [{ label: t('dashboards.copy'), onSelect: () => void navigate(toCopy) }] : []),
        { label: t('dashboards.grafana'), onSelect: () => void save(dashboard) },
        ...(mayChange
          ? [
              {
                label: t('actions.delete'),
                destructive: true,
                onSelect: () => void remove(dashboard, () => void navigate('/dashboards')),
              },
            ]
          : []),
      ]}
    >
      <PanelGrid panels={dashboard.panels} viewer={viewer} version={version} />
    </DashboardFrame>
  );
}
