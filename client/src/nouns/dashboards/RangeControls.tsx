import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { TimeRangeField } from '../../components/grid/TimeRangeField.js';
import { Segments } from '../../components/Segments.js';
import { useIsMobile } from '../../lib/useMediaFlags.js';
import { toSeconds } from '../../lib/timeRange.js';
import { rangePresets } from './dashboardRange.js';
import { granularitiesFor } from './usageSeries.js';
import type { useUsageRange } from './useUsageRange.js';

type UsageRange = Pick<ReturnType<typeof useUsageRange>, 'range' | 'change'> &
  Partial<Pick<ReturnType<typeof useUsageRange>, 'granularity'>>;

/**
 * The range of figures: the usual ones beside each other, or on a phone in the form for any other range, which also has the
 * granularity of the charts, where there are some.
 */
export function RangeField({ range, granularity, change }: UsageRange) {
  const { t } = useTranslation();
  const mobile = useIsMobile();
  const { from, until } = range.at(Date.now());
  const labelOf = (preset: (typeof rangePresets)[number]): string => {
    if (preset === 'month') return t('time.presets.thisMonth');
    if (preset === 'lastMonth') return t('time.presets.lastMonth');
    return preset === '1' ? t('dashboard.hours24') : t('dashboard.days', { count: Number(preset) });
  };
  const choose = (days: string) => change({ days, from: null, to: null });
  const presets = rangePresets.map((preset) => ({ value: preset, label: labelOf(preset) }));
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 0.5 }}>
      {!mobile && (
        <Segments label={t('dashboard.range')} value={range.preset ?? ''} onChange={choose} choices={presets} />
      )}
      <TimeRangeField
        isIcon={!mobile && range.preset !== null}
        width={286}
        value={{ from: new Date(from), to: until === null ? null : new Date(until) }}
        onChange={(next) => change({ days: null, from: toSeconds(next.from), to: next.to ? toSeconds(next.to) : null })}
        presets={presets.map(({ value, label }) => ({
          label,
          isChosen: range.preset === value,
          onChoose: () => choose(value),
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
    </Box>
  );
}
