import { useTranslation } from 'react-i18next';
import { TimeRangeField } from '../../components/grid/TimeRangeField.js';
import { Segments } from '../../components/Segments.js';
import { toSeconds } from '../../lib/timeRange.js';
import { rangePresets } from './dashboardRange.js';
import { granularitiesFor } from './usageSeries.js';
import type { useUsageRange } from './useUsageRange.js';

type UsageRange = Pick<ReturnType<typeof useUsageRange>, 'range' | 'granularity' | 'change'>;

/** The choices of the granularity and of the usual ranges. */
export function RangeSegments({ range, granularity, change }: UsageRange) {
  const { t } = useTranslation();
  return (
    <>
      <Segments
        label={t('dashboard.granularity')}
        value={granularity}
        onChange={(by) => change({ by })}
        choices={granularitiesFor(range.days).map((value) => ({ value, label: t(`settings.choices.${value}`) }))}
      />
      <RangePresets range={range} change={change} />
    </>
  );
}

/** The choice of the usual ranges. */
export function RangePresets({ range, change }: Pick<UsageRange, 'range' | 'change'>) {
  const { t } = useTranslation();
  return (
    <Segments
      label={t('dashboard.range')}
      value={range.preset ?? ''}
      onChange={(days) => change({ days, from: null, to: null })}
      choices={rangePresets.map((value) => ({
        value,
        label:
          value === 'month'
            ? t('time.presets.thisMonth')
            : value === '1'
              ? t('dashboard.hours24')
              : value === 'lastMonth'
                ? t('time.presets.lastMonth')
                : t('dashboard.days', { count: Number(value) }),
      }))}
    />
  );
}

/** The field of any other range. */
export function RangeField({ range, change }: Pick<UsageRange, 'range' | 'change'>) {
  const { from, until } = range.at(Date.now());
  return (
    <TimeRangeField
      width={286}
      value={{ from: new Date(from), to: until === null ? null : new Date(until) }}
      onChange={(next) => change({ days: null, from: toSeconds(next.from), to: next.to ? toSeconds(next.to) : null })}
    />
  );
}
