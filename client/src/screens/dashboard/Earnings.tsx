import { useTranslation } from 'react-i18next';
import { StatBadges } from '../../components/StatBadges.js';
import { decimal } from '../../lib/format.js';
import { useFormat } from '../../lib/useFormat.js';
import type { DashboardData } from './useDashboard.js';
import { viewerZone } from '../../nouns/dashboards/usageSeries.js';

/** The profit and loss of the range, for admins: charged, then charged less cost where that is known, and payments. */
export function Earnings({ data }: { readonly data: DashboardData | undefined }) {
  const { t } = useTranslation();
  const { money, total } = useFormat();
  const cost = data?.current.cost;
  const known = cost && cost.knownCalls > 0 ? cost : null;
  const shown = (amount: number | undefined) => (amount === undefined ? '–' : total(amount));
  return (
    <StatBadges
      label={t('dashboard.earnings')}
      stats={[
        {
          label: t('dashboard.charged'),
          value: data && money(data.current.quota, 'balance'),
          note: t('time.zone', { zone: viewerZone() }),
        },
        // These three are of the same calls: the first less the second is the third.
        { label: t('profit.knownUsd'), value: data && shown(known?.usd) },
        { label: `− ${t('dashboard.upstreamCost')}`, value: data && shown(known?.upstreamUsd) },
        { label: `= ${t('dashboard.marginTitle')}`, value: data && shown(known?.marginUsd) },
        {
          label: t('dashboard.received'),
          value:
            data &&
            (data.received?.map(({ amount, currency }) => `${decimal(Number(amount), 2)} ${currency}`).join(' · ') ||
              '–'),
        },
      ]}
    />
  );
}
