import Box from '@mui/material/Box';
import LinearProgress from '@mui/material/LinearProgress';
import MuiLink from '@mui/material/Link';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { FilterBar } from '../../components/grid/FilterBar.js';
import { LoadFailure } from '../../components/LoadFailure.js';
import { PageHead } from '../../components/PageHead.js';
import { useExportActions } from '../../components/useExportActions.js';
import { useMay } from '../../lib/permissions.js';
import { readerZone } from '../../lib/reader.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import { builtInDashboards } from '../../nouns/dashboards/builtIn.js';
import { titledPanels } from '../../nouns/dashboards/builtInTexts.js';
import { exportRange } from '../../nouns/dashboards/dashboardRange.js';
import { valueAt } from '../../nouns/dashboards/panelData.js';
import { PanelGrid } from '../../nouns/dashboards/PanelGrid.js';
import { RangeField } from '../../nouns/dashboards/RangeControls.js';
import { hasOtherDays, viewerZone } from '../../nouns/dashboards/usageSeries.js';
import { useDashboardActions } from '../../nouns/dashboards/useDashboardActions.js';
import { usePanelData } from '../../nouns/dashboards/usePanelData.js';
import { useUsageRange } from '../../nouns/dashboards/useUsageRange.js';
import { useViewer } from '../../nouns/dashboards/useViewer.js';
import { UnpricedNotice } from '../../nouns/prices/UnpricedNotice.js';
import { DashboardNews } from './DashboardNews.js';

/**
 * The console's own dashboard: a built-in dashboard of the site's usage for admins, and of the reader's own usage for all
 * users. Beside its first panel are the news of the site.
 */
export function DashboardScreen({
  dashboards = builtInDashboards,
}: {
  readonly dashboards?: typeof builtInDashboards;
}) {
  const { t } = useTranslation();
  const admin = useMay('USAGE_READ');
  const prices = useMay('PRICES');
  const { change, range, granularity } = useUsageRange();
  const { filters } = useServerGrid({ filters: { user: '', of: '' }, patterns: { of: /^me$/ } });
  const mine = !admin || filters.filter.of === 'me';
  const username = mine ? '' : filters.filter.user;
  const isOfSite = !mine && username === '';
  const { viewer, version, refresh } = useViewer(range, granularity, username);
  const dashboard = mine ? dashboards.mine : dashboards.site;
  const [first, ...others] = useMemo(() => titledPanels(dashboard, t), [dashboard, t]);
  const { data, error, loading } = usePanelData(first, viewer, version);
  const calls = valueAt(data, `${mine ? 'myUsage' : 'usage'}.total.calls`);
  // Panels that the filter does not reach are of all users.
  const shown = username === '' ? others : others.filter(({ query }) => /\$(usage|log)Filter\b/.test(query));
  const { copyBuiltIn, saveBuiltIn } = useDashboardActions();
  const exports = useExportActions({
    path: mine ? '/api/data/self/export' : '/api/data/export',
    parameters: () => {
      const now = Date.now();
      const { from, until } = range.at(now);
      return {
        group_by: granularity === 'hour' ? 'hour,model' : 'day,model',
        username,
        ...exportRange({ from, to: Math.min(until ?? now, now) }),
      };
    },
    name: 'usage',
  });
  const head = <PanelGrid panels={[first]} viewer={viewer} version={version} />;
  return (
    <Box sx={{ padding: { xs: 2, sm: 3 }, display: 'flex', flexDirection: 'column', gap: 2, minWidth: 0 }}>
      <PageHead
        title={t('shell.dashboard')}
        range={<RangeField range={range} granularity={granularity} change={change} />}
        menu={[
          { label: t('actions.refresh'), onSelect: refresh },
          ...exports,
          ...(admin
            ? [
                { label: t('dashboards.copy'), onSelect: () => void copyBuiltIn(dashboard.builtIn) },
                { label: t('dashboards.grafana'), onSelect: () => void saveBuiltIn(dashboard.builtIn) },
              ]
            : []),
        ]}
      />
      {admin && (
        <FilterBar
          filters={filters}
          fields={[
            ...(mine ? [] : [{ name: 'user', label: t('fields.username'), typed: 'text' as const }]),
            { name: 'of', label: t('dashboard.whose'), choices: [{ value: 'me', label: t('dashboard.mine') }] },
          ]}
        />
      )}
      <Box sx={{ fontSize: 12.5, color: 'text.secondary' }}>
        {hasOtherDays() ? t('dashboard.utcDays', { zone: readerZone() }) : t('time.zone', { zone: viewerZone() })}
      </Box>
      <Box sx={{ height: 2, mt: -1.5, mb: -1 }}>
        {loading && data !== undefined && <LinearProgress aria-label={t('grid.loading')} sx={{ height: 2 }} />}
      </Box>
      {error && data === undefined ? (
        <LoadFailure title={t('dashboard.failed')} error={error} onRetry={refresh} />
      ) : (
        <>
          {prices && !mine && <UnpricedNotice />}
          {isOfSite ? <DashboardNews first={head} /> : head}
          <PanelGrid panels={shown} viewer={viewer} version={version} />
          {username !== '' && calls === 0 && (
            <Box role="status" sx={{ color: 'text.secondary' }}>
              {t('dashboard.noCallsOf', { name: username })}
            </Box>
          )}
          {mine && calls === 0 && (
            <Box sx={{ color: 'text.secondary' }}>
              {t('dashboard.noCalls')}{' '}
              <MuiLink component={Link} to="/token">
                {t('dashboard.createToken')}
              </MuiLink>
            </Box>
          )}
          {mine && (
            <MuiLink component={Link} to="/log" sx={{ alignSelf: 'flex-start' }}>
              {t('dashboard.myUsage')}
            </MuiLink>
          )}
        </>
      )}
    </Box>
  );
}
