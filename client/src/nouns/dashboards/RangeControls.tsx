import { useTranslation } from 'react-i18next';
import { TimeRangeField } from '../../components/grid/TimeRangeField.js';
import { Segments } from '../../components/Segments.js';
import { toSeconds } from '../../lib/timeRange.js';
import { rangePresets } from './dashboardRange.js';
import { granularitiesFor } from './usageSeries.js';
import type { useUsageRange } from './useUsageRange.js';

type UsageRange = Pick<ReturnType<typeof useUsageRange>, 'range' | 'change'> &
  Partial<Pick<ReturnType<typeof useUsageRange>, 'granularity'>>;

/** The range of figures: the usual ones, any other, and the granularity of its charts, where there are some. */
export function RangeField({ range, granularity, change }: UsageRange) {
  const { t } = useTranslation();
  const { from, until } = range.at(Date.now());
  const labelOf = (preset: (typeof rangePresets)[number]): string => {
    if (preset === 'month') return t('time.presets.thisMonth');
    if (preset === 'lastMonth') return t('time.presets.lastMonth');
    return preset === '1' ? t('dashboard.hours24') : t('dashboard.days', { count: Number(preset) });
  };
  return (
    <TimeRangeField
      width={286}
      value={{ from: new Date(from), to: until === null ? null : new Date(until) }}
      onChange={(next) => change({ days: null, from: toSeconds(next.from), to: next.to ? toSeconds(next.to) : null })}
      presets={rangePresets.map((preset) => ({
        label: labelOf(preset),
        isChosen: range.preset === preset,
        onChoose: () => change({ days: preset, from: null, to: null }),
      }))}
      more={
        granularity && (
          <Segments
            label={t('dashboard.granularity')}
            value={granularity}
            onChange={(by) => change({ by })}
            choices={granularitiesFor(range.days).map((value) => ({ value, label: t(`settings.choices.${value}`) }))}
          />
        )
      }
    />
  );
}
