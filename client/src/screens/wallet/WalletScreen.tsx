import { useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Card from '@mui/material/Card';
import MuiLink from '@mui/material/Link';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { LoadFailure } from '../../components/LoadFailure.js';
import { Notice } from '../../components/Notice.js';
import { useFailureToast } from '../../components/useFailureToast.js';
import { Ellipsis, Num } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { useActing } from '../../lib/acting.js';
import { dateTime, integer, ratio } from '../../lib/format.js';
import { groupTone } from '../../nouns/groups/groupTone.js';
import { useFormat } from '../../lib/useFormat.js';
import { useMethodName } from '../../nouns/payments/methodName.js';
import { RedeemPanel } from './RedeemPanel.js';
import { TopUpPanel } from './TopUpPanel.js';
import { WalletDocument, type WalletQuery } from './wallet.generated.js';

/** The balance, with online top-up and redemption codes. */
export function WalletScreen() {
  const { t } = useTranslation();
  const isPart = useActing() !== null;
  const { data, error, refetch } = useQuery(WalletDocument, { fetchPolicy: 'network-only' });
  useFailureToast(error, data !== undefined, 'errors.refreshFailed');
  const [firstMethod, ...otherMethods] = data?.paymentMethods.filter(({ isOffered }) => isOffered) ?? [];
  return (
    <Box sx={isPart ? {} : { padding: { xs: 2, sm: 3 }, maxWidth: 1088, mx: 'auto' }}>
      {!isPart && (
        <>
          <title>{t('shell.wallet')}</title>
          <Typography variant="h1" sx={{ mb: 2 }}>
            {t('shell.wallet')}
          </Typography>
        </>
      )}
      {error && !data ? (
        <LoadFailure title={t('wallet.loadFailed')} error={error} onRetry={() => void refetch()} />
      ) : (
        <Box
          sx={{
            display: 'grid',
            gap: 2,
            gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'minmax(0, 1fr) 360px' },
            alignItems: 'start',
          }}
        >
          <Box sx={{ display: 'grid', gap: 2, minWidth: 0 }}>
            <Balance wallet={data} />
            {data ? (
              firstMethod ? (
                <TopUpPanel methods={[firstMethod, ...otherMethods]} />
              ) : (
                <Card component="section" sx={{ padding: 2 }}>
                  <Typography variant="h2" sx={{ fontSize: 14, mb: 1.5 }}>
                    {t('wallet.topUp')}
                  </Typography>
                  <Notice tone="blue">{t('wallet.topUpOff')}</Notice>
                </Card>
              )
            ) : (
              <Card sx={{ height: { xs: 560, sm: 430 } }} />
            )}
          </Box>
          {data && (
            <Box sx={{ display: 'grid', gap: 2, minWidth: 0 }}>
              <RedeemPanel link={data.status.topUpLink ?? ''} onRedeemed={() => void refetch()} />
              <Recent wallet={data} />
            </Box>
          )}
        </Box>
      )}
    </Box>
  );
}

function Balance({ wallet }: { readonly wallet: WalletQuery | undefined }) {
  const { t } = useTranslation();
  const { money } = useFormat();
  const me = wallet?.me;
  const factor = wallet?.myGroups.find(({ name }) => name === me?.group)?.ratio;
  return (
    <Card component="section" aria-label={t('wallet.balance')} sx={{ padding: 2 }}>
      <Box sx={{ fontSize: 12, lineHeight: '18px', color: 'text.secondary' }}>{t('wallet.balance')}</Box>
      <Box className="num" sx={{ fontSize: 36, lineHeight: '44px', fontWeight: 600, letterSpacing: '-0.025em' }}>
        {me ? (
          money(me.quota, 'balance')
        ) : (
          <Skeleton variant="rectangular" width={140} height={36} sx={{ my: '4px' }} />
        )}
      </Box>
      <Box
        component="dl"
        sx={{
          m: 0,
          mt: 1.5,
          pt: 1.5,
          borderTop: '1px solid',
          borderColor: 'divider',
          display: 'flex',
          flexWrap: 'wrap',
          gap: '12px 32px',
          '& dt': { fontSize: 12, lineHeight: '18px', color: 'text.secondary' },
          '& dd': { m: 0, minHeight: 24, display: 'flex', alignItems: 'center', fontWeight: 500 },
        }}
      >
        <div>
          <dt>{t('wallet.used')}</dt>
          <dd>{me && <Num>{money(me.usedQuota, 'balance')}</Num>}</dd>
        </div>
        <div>
          <dt>{t('fields.requests')}</dt>
          <dd>{me && <Num>{integer(me.requestCount)}</Num>}</dd>
        </div>
        <div>
          <dt>{t('fields.group')}</dt>
          <dd>
            {me && (
              <ToneChip tone={groupTone(me.group)}>
                {factor === undefined ? me.group : `${me.group} ${ratio(factor)}×`}
              </ToneChip>
            )}
          </dd>
        </div>
      </Box>
    </Card>
  );
}

/** Names of credits by the type of their log row. The row's content is shown only in the log. */
const creditNames: Partial<Record<string, 'wallet.creditTopUp' | 'wallet.creditCheckIn' | 'wallet.creditAdmin'>> = {
  TOP_UP: 'wallet.creditTopUp',
  CHECK_IN: 'wallet.creditCheckIn',
  MANAGE: 'wallet.creditAdmin',
};

type Credit = NonNullable<WalletQuery['myLogs']>['items'][number];
type Order = NonNullable<WalletQuery['myTopUps']>['items'][number];

/** Returns credits of the log without those of paid orders, each of which has its own log row. */
function withoutPayments(credits: readonly Credit[], paid: readonly Order[]): readonly Credit[] {
  const rest = credits.filter(({ quota }) => quota > 0);
  for (const { quota, createdAt } of paid) {
    const place = rest.findIndex((log) => log.type === 'TOP_UP' && log.quota === quota && log.at >= createdAt);
    if (place >= 0) rest.splice(place, 1);
  }
  return rest;
}

/** Payments and other credits, newest first. */
function Recent({ wallet }: { readonly wallet: WalletQuery }) {
  const { t } = useTranslation();
  const isPart = useActing() !== null;
  const nameOf = useMethodName(wallet.paymentMethods);
  const { money } = useFormat();
  const credited = (quota: number): string => `+${money(quota, 'balance')}`;
  const orders = wallet.myTopUps?.items ?? [];
  const logs = withoutPayments(
    wallet.myLogs?.items ?? [],
    orders.filter(({ status }) => status === 'PAID'),
  );
  const payments = orders.map((order) => ({
    id: `order-${order.id}`,
    time: order.createdAt,
    name: nameOf(order.method),
    amount: order.status === 'PAID' ? credited(order.quota) : t('wallet.pending'),
    detail: '',
    done: order.status === 'PAID',
  }));
  const credits = logs.map((log) => ({
    id: `log-${log.id}`,
    time: log.at,
    name: t(creditNames[log.type] ?? 'wallet.credit'),
    detail: log.content,
    amount: credited(log.quota),
    done: true,
  }));
  const rows = [...payments, ...credits].sort((left, right) => right.time.localeCompare(left.time)).slice(0, 5);
  return (
    <Card component="section" aria-label={t('wallet.recent')} sx={{ padding: 2 }}>
      <Typography variant="h2" sx={{ fontSize: 14, mb: 0.5 }}>
        {t('wallet.recent')}
      </Typography>
      {rows.length === 0 && <Box sx={{ py: 1, color: 'text.secondary' }}>{t('wallet.none')}</Box>}
      {rows.map((row) => (
        <Box
          key={row.id}
          sx={{
            display: 'flex',
            alignItems: 'center',
            justifyContent: 'space-between',
            gap: 2,
            py: '8px',
            '& + &': { borderTop: '1px solid', borderColor: 'divider' },
          }}
        >
          <Box sx={{ minWidth: 0, display: 'flex', flexDirection: 'column' }}>
            <Ellipsis title={row.detail || row.name}>{row.name}</Ellipsis>
            <Box className="num" sx={{ fontSize: 12, color: 'text.secondary' }}>
              {dateTime(row.time)}
            </Box>
          </Box>
          <Box
            className="num"
            sx={{ color: row.done ? 'success.main' : 'text.secondary', fontWeight: 500, whiteSpace: 'nowrap' }}
          >
            {row.amount}
          </Box>
        </Box>
      ))}
      {!isPart && (
        <MuiLink component={Link} to="/log" sx={{ display: 'inline-block', mt: 1 }}>
          {t('dashboard.myUsage')}
        </MuiLink>
      )}
    </Card>
  );
}
