import Box from '@mui/material/Box';
import Card from '@mui/material/Card';
import Skeleton from '@mui/material/Skeleton';
import { useTranslation } from 'react-i18next';
import { count, duration, integer, percent } from '../../lib/format.js';
import { useFormat } from '../../lib/useFormat.js';
import type { DashboardData } from './useDashboard.js';

/** How much more or less than in the period before; null when there was nothing to compare with. */
export const change = (now: number, before: number): number | null => (before > 0 ? (now - before) / before : null);

/** The four totals, each with the change against the period before. */
export function StatCards({ data }: { readonly data: DashboardData | undefined }) {
  const { t } = useTranslation();
  const { money } = useFormat();
  const now = data?.current;
  const before = data?.previous;
  const against = (left: number | undefined, right: number | undefined): string => {
    const share = change(left ?? 0, right ?? 0);
    if (share === null) return t('dashboard.noComparison');
    return t('dashboard.comparison', { share: `${share >= 0 ? '+' : '−'}${percent(Math.abs(share))}` });
  };
  const cards = [
    {
      label: t('dashboard.spend'),
      value: now && money(now.quota, 'balance'),
      note: against(now?.quota, before?.quota),
    },
    { label: t('dashboard.calls'), value: now && integer(now.calls), note: against(now?.calls, before?.calls) },
    {
      label: t('dashboard.tokens'),
      value: now && count(now.totalTokens),
      note: now ? t('dashboard.inOut', { input: count(now.promptTokens), output: count(now.completionTokens) }) : '',
    },
    {
      label: t('dashboard.averageTime'),
      value: now && (now.averageMilliseconds == null ? '–' : duration(now.averageMilliseconds / 1000)),
      note: now ? t('dashboard.failedCalls', { count: now.failedCalls }) : '',
    },
  ];
  return (
    <Box
      sx={{
        display: 'grid',
        gap: 2,
        gridTemplateColumns: { xs: 'repeat(2, minmax(0, 1fr))', md: 'repeat(4, minmax(0, 1fr))' },
      }}
    >
      {cards.map((card) => (
        <Card key={card.label} sx={{ padding: '12px 16px' }}>
          <Box sx={{ fontSize: 12.5, lineHeight: '18px', color: 'text.secondary' }}>{card.label}</Box>
          <Box
            className="num"
            sx={{ fontSize: 24, lineHeight: '32px', fontWeight: 600, letterSpacing: '-0.02em', whiteSpace: 'nowrap' }}
          >
            {card.value ?? <Skeleton variant="rectangular" width={96} height={24} sx={{ my: '4px' }} />}
          </Box>
          <Box className="num" sx={{ fontSize: 12, lineHeight: '17px', minHeight: 17, color: 'text.secondary' }}>
            {data ? card.note : ''}
          </Box>
        </Card>
      ))}
    </Box>
  );
}
