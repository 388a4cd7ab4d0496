import { skipToken, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Card from '@mui/material/Card';
import Skeleton from '@mui/material/Skeleton';
import MuiLink from '@mui/material/Link';
import Typography from '@mui/material/Typography';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { FailureRate, LastError, ServedTime } from '../../nouns/health/ChannelHealthCells.js';
import { ChannelHealthDocument, type ChannelHealthRowFragment } from '../../nouns/health/channelHealth.generated.js';
import { Num, TwoLines } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { dateTime, integer } from '../../lib/format.js';
import { AlertDetail, AlertSubject } from '../../nouns/alerts/AlertItem.js';
import { AlertsDocument, type AlertRowFragment } from '../../nouns/alerts/alerts.generated.js';
import { alertTones } from '../../nouns/alerts/alertTexts.js';
import { useMay } from '../../lib/permissions.js';

const shown = 5;
const shownAlerts = 3;
/** Milliseconds. */
const refreshEvery = 60_000;

/**
 * The news beside the first number: open alerts, and the channels that failed most in the last hour with the reason, for
 * users who may see them. While the news load, their place is kept, so that nothing below waits or moves.
 */
export function DashboardNews({ first }: { readonly first: ReactNode }) {
  const readsChannels = useMay('CHANNELS_READ');
  const readsAlerts = useMay('ALERTS');
  const health = useQuery(
    ChannelHealthDocument,
    readsChannels
      ? { variables: { window: 'HOUR' }, pollInterval: refreshEvery, fetchPolicy: 'cache-and-network' }
      : skipToken,
  );
  const open = useQuery(
    AlertsDocument,
    readsAlerts
      ? {
          variables: { page: 0, pageSize: shownAlerts, filter: { isOpen: true } },
          pollInterval: refreshEvery,
          fetchPolicy: 'cache-and-network',
        }
      : skipToken,
  );
  const rows = health.data?.channelHealth.rows ?? [];
  const alerts = open.data?.alerts;
  const isLoading = (!health.data && health.loading) || (!open.data && open.loading);
  // News that could not be read are asked for again, without a place for them.
  const [hasLoaded, setHasLoaded] = useState(false);
  if (!isLoading && !hasLoaded) setHasLoaded(true);
  const hasNews = !hasLoaded || rows.length > 0 || (alerts?.items.length ?? 0) > 0;
  return (
    <Box
      sx={{
        display: 'grid',
        gap: 2,
        gridTemplateColumns: {
          xs: 'minmax(0, 1fr)',
          md: hasNews ? 'repeat(3, minmax(0, 1fr))' : 'minmax(0, 1fr)',
        },
        '& > *': { minWidth: 0 },
      }}
    >
      {first}
      {hasNews && (
        <Box sx={{ display: 'flex', flexDirection: 'column', gap: 2, gridColumn: { md: 'span 2' } }}>
          {!hasLoaded && <Skeleton variant="rectangular" height={160} />}
          {alerts && alerts.items.length > 0 && <AlertCard alerts={alerts.items} total={alerts.totalCount} />}
          {rows.length > 0 && <TroubleCard rows={rows} />}
        </Box>
      )}
    </Box>
  );
}

function AlertCard({ alerts, total }: { readonly alerts: readonly AlertRowFragment[]; readonly total: number }) {
  const { t } = useTranslation();
  return (
    <Card component="section" aria-label={t('shell.alerts')} sx={{ padding: '12px 16px', minWidth: 0 }}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'baseline', columnGap: 2 }}>
        <Typography variant="h2" sx={{ fontSize: 14, lineHeight: '32px', mr: 'auto' }}>
          {t('alerts.open')}
        </Typography>
        <MuiLink component={Link} to="/alert?state=open" sx={{ fontSize: 13 }}>
          {t('alerts.allOpen', { total: integer(total) })}
        </MuiLink>
      </Box>
      {/* One grid for all alerts, so that their subjects stand in one column. */}
      <Box
        component="ul"
        sx={{
          listStyle: 'none',
          m: 0,
          p: 0,
          display: 'grid',
          columnGap: 1.5,
          gridTemplateColumns: { xs: 'auto minmax(0, 1fr)', sm: 'auto minmax(0, 1fr) minmax(0, 2fr) auto' },
        }}
      >
        {alerts.map((alert) => (
          <Box
            component="li"
            key={alert.id}
            sx={{
              display: 'grid',
              gridColumn: '1 / -1',
              gridTemplateColumns: 'subgrid',
              alignItems: 'center',
              py: '4px',
            }}
          >
            <ToneChip dot tone={alertTones[alert.kind]}>
              {t(`alerts.kinds.${alert.kind}`)}
            </ToneChip>
            <Box sx={{ minWidth: 0 }}>
              <AlertSubject alert={alert} />
            </Box>
            <Box sx={{ minWidth: 0, color: 'text.secondary', gridColumn: { xs: '1 / -1', sm: 'auto' } }}>
              <AlertDetail alert={alert} />
            </Box>
            <Box sx={{ display: { xs: 'none', sm: 'block' } }}>
              <Num>{dateTime(alert.openedAt, 'card')}</Num>
            </Box>
          </Box>
        ))}
      </Box>
    </Card>
  );
}

/** Widths of the columns of failing channels; a phone has no column of times. */
const columns = { xs: 'minmax(0, 1fr) auto', sm: 'minmax(0, 1fr) 80px 132px minmax(0, 2fr)' };

function TroubleCard({ rows }: { readonly rows: readonly ChannelHealthRowFragment[] }) {
  const { t } = useTranslation();
  const failing = rows.filter(({ failedAttempts }) => failedAttempts > 0);
  return (
    <Card component="section" aria-label={t('channelHealth.trouble')} sx={{ padding: '12px 16px 16px', minWidth: 0 }}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'baseline', columnGap: 2 }}>
        <Typography variant="h2" sx={{ fontSize: 14, lineHeight: '32px', mr: 'auto' }}>
          {t('channelHealth.trouble')}
        </Typography>
        <MuiLink component={Link} to="/channel-health" sx={{ fontSize: 13 }}>
          {t('channelHealth.all')}
        </MuiLink>
      </Box>
      {failing.length === 0 && (
        <Box sx={{ color: 'text.secondary' }}>{t('channelHealth.noTrouble', { count: rows.length })}</Box>
      )}
      {failing.length > 0 && (
        <Box
          aria-hidden
          sx={{
            display: { xs: 'none', sm: 'grid' },
            columnGap: 1.5,
            gridTemplateColumns: columns,
            fontSize: 12,
            color: 'text.secondary',
          }}
        >
          <span>{t('fields.channel')}</span>
          <span>{t('channelHealth.failureRate')}</span>
          <span>p50 / p95</span>
          <span>{t('channelHealth.lastError')}</span>
        </Box>
      )}
      <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0 }}>
        {failing.slice(0, shown).map((row) => (
          <Box
            component="li"
            key={row.channelId}
            sx={{
              display: 'grid',
              alignItems: 'center',
              columnGap: 1.5,
              py: '4px',
              gridTemplateColumns: columns,
            }}
          >
            <MuiLink component={Link} to={`/channel/${row.channelId}`} sx={{ minWidth: 0 }}>
              <TwoLines title={row.channelName}>{row.channelName}</TwoLines>
            </MuiLink>
            <FailureRate health={row} />
            <Box sx={{ display: { xs: 'none', sm: 'block' } }}>
              <ServedTime health={row} />
            </Box>
            <Box sx={{ minWidth: 0, gridColumn: { xs: '1 / -1', sm: 'auto' } }}>
              <LastError health={row} />
            </Box>
          </Box>
        ))}
      </Box>
    </Card>
  );
}
