import { useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Card from '@mui/material/Card';
import MuiLink from '@mui/material/Link';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { EmptyState } from '../../components/EmptyState.js';
import { LoadFailure } from '../../components/LoadFailure.js';
import { PlainTable } from '../../components/PlainTable.js';
import { Dash, Num } from '../../components/Text.js';
import { count, percent } from '../../lib/format.js';
import { useStatus } from '../../lib/status.js';
import { useFormat } from '../../lib/useFormat.js';
import { channelAddress, modelAddress } from './addresses.js';
import { ObjectProfitDocument, type ObjectProfitQuery, type UsageFilter } from './objects.generated.js';
import { useObjectRange } from './useObjectRange.js';

type Row = ObjectProfitQuery['usage']['items'][number];

const marginOf = ({ metrics: { cost } }: Row): number | null => (cost && cost.knownCalls > 0 ? cost.marginUsd : null);

/** Charges and cost of the calls of an object in the range of its page, by model or by channel, the worst margin first. */
export function ProfitTab({ filter, by }: { readonly filter: UsageFilter; readonly by: 'MODEL' | 'CHANNEL' }) {
  const { t } = useTranslation();
  const { usd, money } = useFormat();
  const { quotaPerUnit } = useStatus();
  const { variables } = useObjectRange();
  const { data, error, refetch } = useQuery(ObjectProfitDocument, {
    variables: { range: variables.range, timeZone: variables.timeZone, filter, by },
    fetchPolicy: 'cache-and-network',
  });
  const amount = (value: number) => money(value * quotaPerUnit, 'balance');
  if (!data) {
    return error ? (
      <LoadFailure title={t('objects.profitFailed')} error={error} onRetry={() => void refetch()} />
    ) : (
      <Box aria-busy sx={{ minHeight: 200 }} />
    );
  }
  const rows = [...data.usage.items].sort(
    (one, other) =>
      (marginOf(one) ?? Infinity) - (marginOf(other) ?? Infinity) || other.metrics.quota - one.metrics.quota,
  );
  if (rows.length === 0) {
    return (
      <Card>
        <EmptyState title={t('profit.emptyTitle')} />
      </Card>
    );
  }
  const cells = (row: Row): ReactNode[] => {
    const { cost, calls, failedCalls, quota } = row.metrics;
    const margin = marginOf(row);
    return [
      <Num>{count(calls)}</Num>,
      failedCalls > 0 ? <Num>{count(failedCalls)}</Num> : <Dash />,
      <Num strong>{money(quota, 'balance')}</Num>,
      cost && cost.knownCalls > 0 ? <Num>{usd(cost.upstreamUsd, cost.upstreamUsd < 0.005 ? 6 : 2)}</Num> : <Dash />,
      margin === null ? (
        <Dash />
      ) : (
        <Box component="span" sx={{ color: margin < 0 ? 'error.main' : 'text.primary' }}>
          <Num strong>{amount(margin)}</Num>
        </Box>
      ),
      margin === null || !cost || cost.usd === 0 ? <Dash /> : <Num>{percent(margin / cost.usd)}</Num>,
    ];
  };
  const heads = [
    'dashboard.calls',
    'objects.failed',
    'objects.charged',
    'dashboard.upstreamCost',
    'dashboard.marginTitle',
    'profit.share',
  ] as const;
  return (
    <PlainTable
      label={t('objects.profit')}
      heads={[t(by === 'MODEL' ? 'fields.model' : 'fields.channel'), ...heads.map((head) => t(head))]}
      note={rows.some(({ metrics: { cost, calls } }) => cost && cost.knownCalls < calls) && t('objects.costPartly')}
    >
      {rows.map((row) => {
        const { modelName, channelId, channelName } = row.key;
        const id = by === 'MODEL' ? (modelName ?? '') : String(channelId ?? 0);
        return (
          <tr key={id}>
            <th scope="row">
              {by === 'MODEL' ? (
                <MuiLink component={Link} to={modelAddress(id)} color="inherit" underline="hover">
                  {id}
                </MuiLink>
              ) : channelId ? (
                <MuiLink component={Link} to={channelAddress(channelId)} color="inherit" underline="hover">
                  {channelName ?? `#${channelId}`}
                </MuiLink>
              ) : (
                t('profit.noChannel')
              )}
            </th>
            {cells(row).map((cell, index) => (
              <td key={heads[index]}>{cell}</td>
            ))}
          </tr>
        );
      })}
    </PlainTable>
  );
}
