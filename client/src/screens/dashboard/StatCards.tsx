import Box from '@mui/material/Box';
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { NumberCard } from '../../components/charts/NumberCard.js';
import { count, duration, integer, percent } from '../../lib/format.js';
import { useMay } from '../../lib/permissions.js';
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

/** The totals, for admins with the margin, each with a sparkline, the change against the previous period, and its parts. */
export function StatCards({ data }: { readonly data: DashboardData | undefined }) {
  const { t } = useTranslation();
  const { money, total } = useFormat();
  const isAdmin = useMay('USAGE_READ');
  const sparklines = useMemo(() => sparklinesOf(data), [data]);
  const now = data?.current;
  const before = data?.previous;
  const against = (left = 0, right = 0): string => comparisonText(left, right, t);
  const days = data ? (data.to - data.from) / 86_400_000 : 1;
  const cards: StatCard[] = [
    {
      label: t('dashboard.spend'),
      value: now && money(now.quota, 'balance'),
      note: against(now?.quota, before?.quota),
      detail: now ? t('dashboard.perDay', { amount: money(now.quota / days, 'balance') }) : '',
      values: sparklines.spend,
    },
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
  const earned = now?.cost;
  // While the figures load, admins see a placeholder for the card of the margin.
  if (earned ?? (!data && isAdmin)) {
    cards.splice(1, 0, {
      label: t('dashboard.marginTitle'),
      value: data && (earned && earned.knownCalls > 0 ? total(earned.marginUsd) : '–'),
      note: against(earned?.marginUsd, before?.cost?.marginUsd),
      detail:
        earned && now.calls > 0
          ? t('dashboard.marginDetail', {
              share: earned.usd > 0 ? percent(earned.marginUsd / earned.usd) : '–',
              known: integer(earned.knownCalls),
              calls: integer(now.calls),
            })
          : '',
      values: sparklines.margin,
    });
  }
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
          notesHeight={{ xs: 51, sm: 34, md: cards.length > 4 ? 68 : 34, lg: 34 }}
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
  if (!data) return { margin: [], spend: [], calls: [], tokens: [], rpm: [], tpm: [] };
  const { buckets, timeline } = data;
  const calls = timeline.map((metrics) => metrics.calls);
  const tokens = timeline.map((metrics) => metrics.totalTokens);
  return {
    margin: timeline.map(({ cost }) => cost?.marginUsd ?? 0),
    spend: timeline.map(({ quota }) => quota),
    calls,
    tokens,
    rpm: perMinute(calls, buckets, data),
    tpm: perMinute(tokens, buckets, data),
  };
}
