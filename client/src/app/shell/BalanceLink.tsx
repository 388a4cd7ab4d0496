import { useApolloClient } from '@apollo/client/react';
import Box from '@mui/material/Box';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { SessionUser } from '../../lib/sessionUser.js';
import { useFormat } from '../../lib/useFormat.js';
import { useLive } from '../../lib/useLive.js';
import { BalanceChangedDocument, BalanceDocument } from './balance.generated.js';

interface Amounts {
  readonly quota: number;
  readonly usedQuota: number;
  readonly requestCount: number;
}

/** The user's balance with live updates. This component also updates the cached amounts, which other screens show. */
export function BalanceLink({ user, shown }: { readonly user: SessionUser; readonly shown: boolean }) {
  const { t } = useTranslation();
  const { money, isLocal, rateText } = useFormat();
  const client = useApolloClient();
  const [quota, setQuota] = useState<number>();

  const keep = ({ quota: left, usedQuota, requestCount }: Amounts): void => {
    setQuota(left);
    client.cache.modify({
      id: client.cache.identify({ __typename: 'User', id: user.id }) ?? '',
      fields: { quota: () => left, usedQuota: () => usedQuota, requestCount: () => requestCount },
    });
  };
  const state = useLive(BalanceChangedDocument, {
    variables: {},
    cached: false,
    onData: ({ balanceChanged }) => keep(balanceChanged),
    onCatchUp: () => {
      // An open stream starts with the current balance.
      if (state === 'live') return;
      void client.query({ query: BalanceDocument, fetchPolicy: 'network-only' }).then(
        ({ data }) => {
          if (data?.me) keep(data.me);
        },
        () => undefined,
      );
    },
  });
  if (!shown || quota === undefined) return null;
  const amount = money(quota, 'balance');
  const label = t('shell.balance', { amount }) + (isLocal ? ` (${rateText})` : '');
  return (
    <Box
      component={Link}
      to="/topup"
      className="num"
      title={label}
      aria-label={label}
      sx={{
        padding: '4px 8px',
        borderRadius: '6px',
        fontSize: 13,
        fontWeight: 500,
        color: quota <= 0 ? 'error.main' : 'text.primary',
        textDecoration: 'none',
        whiteSpace: 'nowrap',
        '&:hover': { backgroundColor: 'action.hover' },
      }}
    >
      {amount}
    </Box>
  );
}
