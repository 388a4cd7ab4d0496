import Box from '@mui/material/Box';
import MuiLink from '@mui/material/Link';
import LinearProgress from '@mui/material/LinearProgress';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { LoadFailure } from '../../components/LoadFailure.js';
import { FilterBar } from '../../components/grid/FilterBar.js';
import { PageHead } from '../../components/PageHead.js';
import { UnpricedNotice } from '../../nouns/prices/UnpricedNotice.js';
import { useExportActions } from '../../components/useExportActions.js';
import { useFailureToast } from '../../components/useFailureToast.js';
import { useMay } from '../../lib/permissions.js';
import { readerZone } from '../../lib/reader.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import { exportRange } from '../../nouns/dashboards/dashboardRange.js';
import { RangeField } from '../../nouns/dashboards/RangeControls.js';
import { hasOtherDays } from '../../nouns/dashboards/usageSeries.js';
import { useUsageRange } from '../../nouns/dashboards/useUsageRange.js';
import { Charts } from './Charts.js';
import { DashboardNews } from './DashboardNews.js';
import { Earnings } from './Earnings.js';
import { SpendCard, StatCards } from './StatCards.js';
import { useDashboard } from './useDashboard.js';

/** Usage in a range: totals, by model over time, and the users, models and channels with the highest cost. */
export function DashboardScreen() {
  const { t } = useTranslation();
  const admin = useMay('USAGE_READ');
  const prices = useMay('PRICES');
  const { change, range, granularity } = useUsageRange();
  const { filters } = useServerGrid({ filters: { user: '', of: '' }, patterns: { of: /^me$/ } });
  const mine = !admin || filters.filter.of === 'me';
  const username = mine ? '' : filters.filter.user;
  const { data, error, loading, refresh } = useDashboard({ everybody: !mine, username }, range, granularity);
  useFailureToast(error, data !== undefined, 'errors.refreshFailed');
  const charts = data && <Charts data={data} everybody={!mine} oneUser={username !== ''} />;
  const exports = useExportActions({
    path: mine ? '/api/data/self/export' : '/api/data/export',
    parameters: () => ({
      group_by: granularity === 'hour' ? 'hour,model' : 'day,model',
      username,
      ...exportRange({ from: data?.from ?? Date.now(), to: data?.to ?? Date.now() }),
    }),
    name: 'usage',
  });
  const isOfSite = !mine && username === '';
  return (
    <Box sx={{ padding: { xs: 2, sm: 3 }, display: 'flex', flexDirection: 'column', gap: 2, minWidth: 0 }}>
      <PageHead
        title={t('shell.dashboard')}
        range={<RangeField range={range} granularity={granularity} change={change} />}
        menu={[{ label: t('actions.refresh'), onSelect: refresh }, ...exports]}
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
      {hasOtherDays() && (
        <Box sx={{ fontSize: 12.5, color: 'text.secondary' }}>{t('dashboard.utcDays', { zone: readerZone() })}</Box>
      )}
      <Box sx={{ height: 2, mt: -1.5, mb: -1 }}>
        {loading && data && <LinearProgress aria-label={t('grid.loading')} sx={{ height: 2 }} />}
      </Box>
      {error && !data ? (
        <LoadFailure title={t('dashboard.failed')} error={error} onRetry={refresh} />
      ) : (
        <>
          {prices && !mine && <UnpricedNotice />}
          {isOfSite ? <DashboardNews first={<SpendCard data={data} />} /> : <SpendCard data={data} />}
          <StatCards data={data} />
          {isOfSite && <Earnings data={data} />}
          {charts}
          {username !== '' && data?.current.calls === 0 && (
            <Box role="status" sx={{ color: 'text.secondary' }}>
              {t('dashboard.noCallsOf', { name: username })}
            </Box>
          )}
          {mine && data?.current.calls === 0 && (
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
