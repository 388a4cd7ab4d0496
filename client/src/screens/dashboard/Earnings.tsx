import { useTranslation } from 'react-i18next';
import { StatBadges, type Stat } from '../../components/StatBadges.js';
import { integer, moneyOf, percent } from '../../lib/format.js';
import { useFormat } from '../../lib/useFormat.js';
import type { DashboardData } from './useDashboard.js';
import { comparisonText } from '../../nouns/dashboards/columnTexts.js';
import { viewerZone } from '../../nouns/dashboards/usageSeries.js';

/** The profit and loss of the range, for admins: charged less cost where that is known, and payments. */
export function Earnings({ data }: { readonly data: DashboardData | undefined }) {
  const { t } = useTranslation();
  const { total } = useFormat();
  const cost = data?.current.cost;
  const known = cost && cost.knownCalls > 0 ? cost : null;
  const shown = (amount: number | undefined) => (amount === undefined ? '–' : total(amount));
  // These three are of the same calls: the first less the second is the third. Readers without costs have none of them.
  const profit: Stat[] = [
    { label: t('profit.knownUsd'), value: data && shown(known?.usd), note: t('time.zone', { zone: viewerZone() }) },
    {
      label: `− ${t('dashboard.upstreamCost')}`,
      value: data && shown(known?.upstreamUsd),
      ...(data && data.current.calls > 0
        ? {
            note: t('objects.costKnown', { known: integer(cost?.knownCalls ?? 0), calls: integer(data.current.calls) }),
          }
        : {}),
    },
    {
      label: `= ${t('dashboard.marginTitle')}`,
      value: data && shown(known?.marginUsd),
      isLoss: (known?.marginUsd ?? 0) < 0,
      ...(known && data
        ? {
            note: [
              known.usd > 0 ? percent(known.marginUsd / known.usd) : '',
              comparisonText(known.marginUsd, data.previous.cost?.marginUsd ?? 0, t),
            ]
              .filter(Boolean)
              .join(' · '),
          }
        : {}),
    },
  ];
  const received: Stat = {
    label: t('dashboard.received'),
    value: data && (data.received?.map(({ amount, currency }) => moneyOf(Number(amount), currency)).join(' · ') || '–'),
  };
  return <StatBadges label={t('dashboard.earnings')} stats={data && !cost ? [received] : [...profit, received]} />;
}
