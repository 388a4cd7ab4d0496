import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import { BarChart } from '@mui/x-charts/BarChart';
import { ChartsTooltipContainer, useAxesTooltip } from '@mui/x-charts/ChartsTooltip';
import { LineChart } from '@mui/x-charts/LineChart';
import { useTranslation } from 'react-i18next';
import { sans } from '../../theme/fonts.js';
import { axisWidth, largestOf, marks, marksUpTo } from './axis.js';

export interface ChartSeries {
  readonly name: string;
  /** A CSS colour, also `var(...)`. */
  readonly color: string;
  /** Null: there is no value, and lines have a gap. */
  readonly values: ReadonlyArray<number | null>;
  /** Breaks the series up. */
  readonly onOpen?: (() => void) | undefined;
}

/** Values of the period before, one for each bucket. */
interface EarlierSeries {
  /** The series that had the values; empty for all series together. */
  readonly name: string;
  readonly values: ReadonlyArray<number | null>;
}

export interface TimeChartProps {
  readonly series: readonly ChartSeries[];
  /** The values that the tooltip of a bucket compares with. */
  readonly before?: readonly EarlierSeries[] | undefined;
  /** Each value has a label of its own. */
  readonly labels: readonly string[];
  readonly format: (value: number) => string;
  /** Pixels. The chart fills what its panel has. */
  readonly minHeight: number;
  /** The accessible name, with the total. */
  readonly name: string;
  readonly kind: 'columns' | 'line';
  /** The marks of the axis, where they differ from `format`. */
  readonly formatMark?: ((value: number) => string) | undefined;
  /** The smallest distance between two marks: 1 for counts. */
  readonly minStep?: number | undefined;
}

/** Half of the last label, such as `11-21 21:00`, is right of its column. Pixels. */
const lastLabel = 34;

/** Values over time as stacked columns, or as lines; one line has its area. */
export function TimeChart({
  series,
  labels,
  format,
  formatMark = format,
  minHeight,
  name,
  kind,
  minStep,
  before = [],
}: TimeChartProps) {
  const { t } = useTranslation();
  const isEmpty = series.every(({ values }) => values.every((value) => !value));
  const largest = isEmpty ? marks : largestOf(series, kind);
  const width = axisWidth(marksUpTo(largest, minStep).map(formatMark));
  const tickLabelStyle = { fontFamily: sans, fontSize: 11.5, fill: 'var(--mui-palette-text-secondary)' };
  const plain = { disableLine: true, disableTicks: true, tickLabelStyle };
  const chart = {
    hideLegend: true,
    skipAnimation: true,
    grid: { horizontal: true },
    margin: { top: 8, right: lastLabel, bottom: 0, left: 0 },
    yAxis: [
      {
        ...plain,
        width,
        tickNumber: marks,
        valueFormatter: formatMark,
        ...(minStep === undefined ? {} : { tickMinStep: minStep }),
        // The axis needs a scale even without usage.
        ...(isEmpty ? { min: 0, max: marks } : { min: 0 }),
      },
    ],
    sx: {
      '& .MuiChartsGrid-line': { stroke: 'var(--mui-palette-surface-line)' },
      '& .MuiLineChart-line': { strokeWidth: 1.75 },
      '& .MuiLineChart-area': { opacity: 0.12 },
      '& .MuiLineChart-mark': { r: 2 },
    },
    // The panel itself shows that there are no values.
    slots: {
      tooltip: () => <SeriesTooltip format={format} isStacked={kind === 'columns'} before={before} />,
      noDataOverlay: () => null,
    },
  };
  const xAxis = { ...plain, data: labels, height: 26, tickLabelMinGap: 28 };
  const shared = series.map(({ name: label, color, values }, index) => ({
    id: String(index),
    label,
    color,
    data: values,
  }));
  const canOpen = series.some(({ onOpen }) => onOpen !== undefined);
  return (
    <Box role="figure" aria-label={name} className="num" sx={{ position: 'relative', flex: 1, minHeight }}>
      <Box sx={{ position: 'absolute', inset: 0 }}>
        {kind === 'columns' ? (
          <BarChart
            {...chart}
            xAxis={[{ ...xAxis, scaleType: 'band', categoryGapRatio: 0.25 }]}
            series={shared.map((one) => ({ ...one, stack: 'total' }))}
            {...(canOpen ? { onItemClick: (_: unknown, { seriesId }) => series[Number(seriesId)]?.onOpen?.() } : {})}
          />
        ) : (
          <LineChart
            {...chart}
            xAxis={[{ ...xAxis, scaleType: 'point' }]}
            series={shared.map((one) => ({
              ...one,
              area: shared.length === 1,
              shape: 'circle',
              curve: 'linear',
              // A value between two gaps has no line.
              showMark: ({ index }) => one.data[index - 1] == null && one.data[index + 1] == null,
            }))}
          />
        )}
      </Box>
      {isEmpty && (
        <Box
          sx={{
            position: 'absolute',
            inset: `8px ${lastLabel}px 26px ${width}px`,
            display: 'grid',
            placeItems: 'center',
            color: 'text.secondary',
            pointerEvents: 'none',
          }}
        >
          {/* Above the lines of the grid. */}
          <Box component="span" sx={{ px: 1, backgroundColor: 'background.paper' }}>
            {t('dashboard.empty')}
          </Box>
        </Box>
      )}
    </Box>
  );
}

/** The series of one bucket, the largest first, and the total of stacked ones. */
function SeriesTooltip({
  format,
  isStacked,
  before,
}: {
  readonly format: (value: number) => string;
  readonly isStacked: boolean;
  readonly before: readonly EarlierSeries[];
}) {
  const { t } = useTranslation();
  const [axis] = useAxesTooltip<'bar' | 'line'>() ?? [];
  const rows = (axis?.seriesItems ?? [])
    .flatMap(({ value, ...item }) =>
      typeof value === 'number' && (value > 0 || !isStacked) ? [{ ...item, value }] : [],
    )
    .sort((one, two) => two.value - one.value);
  return (
    <ChartsTooltipContainer trigger="axis">
      <Paper
        variant="outlined"
        className="num"
        sx={{ minWidth: 160, padding: '8px 10px', m: 1.5, fontSize: 12, boxShadow: '0 4px 16px rgba(8, 16, 18, 0.12)' }}
      >
        <Box sx={{ color: 'text.secondary', mb: '4px' }}>{axis?.axisFormattedValue}</Box>
        {rows.map((row) => (
          <Box key={row.seriesId} sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
            <Box sx={{ width: 8, height: 8, borderRadius: '2px', backgroundColor: row.color }} />
            <Box sx={{ mr: 'auto', pr: 2 }}>{row.formattedLabel}</Box>
            {format(row.value)}
          </Box>
        ))}
        {isStacked && rows.length !== 1 && (
          <Box sx={{ display: 'flex', justifyContent: 'space-between', mt: '4px', fontWeight: 600 }}>
            <span>{t('dashboard.total')}</span>
            {format(rows.reduce((sum, { value }) => sum + value, 0))}
          </Box>
        )}
        {axis &&
          before.map(({ name, values }) => {
            const value = values[axis.dataIndex] ?? null;
            return (
              <Box
                key={name}
                sx={{ display: 'flex', justifyContent: 'space-between', gap: 2, mt: '4px', color: 'text.secondary' }}
              >
                <span>{[t('dashboard.before'), name].filter(Boolean).join(' · ')}</span>
                {value === null ? '–' : format(value)}
              </Box>
            );
          })}
      </Paper>
    </ChartsTooltipContainer>
  );
}
