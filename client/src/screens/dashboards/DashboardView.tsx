import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import LinkOutlinedIcon from '@mui/icons-material/LinkOutlined';
import RefreshOutlinedIcon from '@mui/icons-material/RefreshOutlined';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router-dom';
import { useCopy } from '../../components/CopyProvider.js';
import { RowMenu } from '../../components/RowMenu.js';
import type { DashboardPartsFragment } from '../../nouns/dashboards/dashboards.generated.js';
import { PanelGrid } from '../../nouns/dashboards/PanelGrid.js';
import { RangeField, RangeSegments } from '../../nouns/dashboards/RangeControls.js';
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
      actions={
        <>
          {visibility === 'SHARED' && (
            <Button
              variant="outlined"
              startIcon={<LinkOutlinedIcon />}
              onClick={() => void copy(`${siteAddress()}/dashboards/${id}`)}
            >
              {t('dashboards.link')}
            </Button>
          )}
          <Button variant="outlined" component={Link} to={mayChange ? `/dashboards/${id}/edit` : toCopy}>
            {mayChange ? t('actions.edit') : t('dashboards.copy')}
          </Button>
          <IconButton aria-label={t('actions.refresh')} onClick={refresh}>
            <RefreshOutlinedIcon />
          </IconButton>
          <RowMenu
            label={t('dashboard.moreOf', { name })}
            actions={[
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
          />
        </>
      }
    >
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
        <RangeSegments range={range} granularity={granularity} change={change} />
        <RangeField range={range} change={change} />
      </Box>
      <PanelGrid panels={dashboard.panels} viewer={viewer} version={version} />
    </DashboardFrame>
  );
}
