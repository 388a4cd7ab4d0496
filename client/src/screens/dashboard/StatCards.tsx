import Box from '@mui/material/Box';
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { NumberCard } from '../../components/charts/NumberCard.js';
import { count, duration, integer, percent } from '../../lib/format.js';
import { useFormat } from '../../lib/useFormat.js';
import type { DashboardData } from './useDashboard.js';
import { comparisonText, rate } from '../../nouns/dashboards/columnTexts.js';
import { perMinute } from '../../nouns/dashboards/usageSeries.js';

interface StatCard {
  readonly label: string;
  readonly value: string | undefined;
  /** The change against the previous period, or a detail of the value. */
  readonly note: string;
  readonly detail: string;
  readonly values: readonly number[];
}

/** The amount spent: the first number, with its change against the previous period. */
export function SpendCard({ data }: { readonly data: DashboardData | undefined }) {
  const { t } = useTranslation();
  const { money } = useFormat();
  const now = data?.current;
  const days = data ? (data.to - data.from) / 86_400_000 : 1;
  return (
    <NumberCard
      isFirst
      title={t('dashboard.spend')}
      value={now && money(now.quota, 'balance')}
      notes={
        now
          ? [
              comparisonText(now.quota, data?.previous.quota ?? 0, t),
              t('dashboard.perDay', { amount: money(now.quota / days, 'balance') }),
            ]
          : ['', '']
      }
      values={data?.timeline.map(({ quota }) => quota) ?? []}
      notesHeight={{ xs: 34, sm: 34, md: 34, lg: 34 }}
    />
  );
}

/** The totals, each with a sparkline, the change against the previous period, and its parts. */
export function StatCards({ data }: { readonly data: DashboardData | undefined }) {
  const { t } = useTranslation();
  const sparklines = useMemo(() => sparklinesOf(data), [data]);
  const now = data?.current;
  const before = data?.previous;
  const against = (left = 0, right = 0): string => comparisonText(left, right, t);
  const cards: StatCard[] = [
    {
      label: t('dashboard.calls'),
      value: now && integer(now.calls),
      note: against(now?.calls, before?.calls),
      detail: now ? callDetail(now, t) : '',
      values: sparklines.calls,
    },
    {
      label: t('dashboard.tokens'),
      value: now && count(now.totalTokens),
      note: against(now?.totalTokens, before?.totalTokens),
      detail: now ? t('dashboard.inOut', { input: count(now.promptTokens), output: count(now.completionTokens) }) : '',
      values: sparklines.tokens,
    },
    {
      label: t('dashboard.rates'),
      value: data && `${count(data.rates.calls)} / ${count(data.rates.tokens)}`,
      note: t('dashboard.lastMinute'),
      detail: data
        ? t(`dashboard.busiest.${data.granularity}`, {
            calls: rate(Math.max(0, ...sparklines.rpm)),
            tokens: rate(Math.max(0, ...sparklines.tpm)),
          })
        : '',
      values: sparklines.rpm,
    },
  ];
  return (
    <Box
      sx={{
        display: 'grid',
        gap: 2,
        gridTemplateColumns: {
          xs: 'repeat(2, minmax(0, 1fr))',
          md: `repeat(${cards.length}, minmax(0, 1fr))`,
        },
        // If the number of cards is odd, the last one fills its line.
        '& > :last-child:nth-of-type(odd)': { gridColumn: { xs: '1 / -1', md: 'auto' } },
      }}
    >
      {cards.map(({ label, value, note, detail, values }) => (
        <NumberCard
          key={label}
          title={label}
          value={value}
          notes={[data ? note : '', detail]}
          values={values}
          // Room for a second line of each where cards are narrow.
          notesHeight={{ xs: 51, sm: 34, md: 34, lg: 34 }}
        />
      ))}
    </Box>
  );
}

function callDetail(now: DashboardData['current'], t: TFunction): string {
  if (now.averageMs == null) return t('dashboard.failedCalls', { count: now.failedCalls });
  return t('dashboard.answered', {
    share: percent(1 - (now.errorRate ?? 0)),
    time: duration(now.averageMs / 1000),
  });
}

/** Values of the sparklines, one for each bucket. */
function sparklinesOf(data: DashboardData | undefined) {
  if (!data) return { calls: [], tokens: [], rpm: [], tpm: [] };
  const { buckets, timeline } = data;
  const calls = timeline.map((metrics) => metrics.calls);
  const tokens = timeline.map((metrics) => metrics.totalTokens);
  return {
    calls,
    tokens,
    rpm: perMinute(calls, buckets, data),
    tpm: perMinute(tokens, buckets, data),
  };
}
