import { skipToken, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Card from '@mui/material/Card';
import MuiLink from '@mui/material/Link';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { FailureRate, LastError, ServedTime } from '../../nouns/health/ChannelHealthCells.js';
import { ChannelHealthDocument, type ChannelHealthRowFragment } from '../../nouns/health/channelHealth.generated.js';
import { Ellipsis } from '../../components/Text.js';
import { useMay } from '../../lib/permissions.js';

const shown = 5;
/** Milliseconds. */
const refreshEvery = 60_000;

/**
 * The channels that failed most in the last hour, with the reason, for users who may see channels. Its children are
 * rendered below when it has loaded, so that they do not move.
 */
export function ChannelTrouble({ children }: { readonly children?: ReactNode }) {
  const may = useMay('CHANNELS_READ');
  const { data, loading } = useQuery(
    ChannelHealthDocument,
    may ? { variables: { window: 'HOUR' }, pollInterval: refreshEvery, fetchPolicy: 'cache-and-network' } : skipToken,
  );
  const rows = data?.channelHealth.rows;
  if (!rows && loading) return null;
  return (
    <>
      {rows && rows.length > 0 && <TroubleCard rows={rows} />}
      {children}
    </>
  );
}

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
              gridTemplateColumns: { xs: 'minmax(0, 1fr) auto', sm: 'minmax(0, 1fr) 64px 132px minmax(0, 2fr)' },
            }}
          >
            <MuiLink component={Link} to={`/channel/${row.channelId}`} sx={{ minWidth: 0 }}>
              <Ellipsis title={row.channelName}>{row.channelName}</Ellipsis>
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
