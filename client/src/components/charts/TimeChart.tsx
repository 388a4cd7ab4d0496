import Box from '@mui/material/Box';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { niceTop } from '../../lib/niceTop.js';
import { useWidth } from './useWidth.js';

export interface ChartSeries {
  readonly name: string;
  /** A CSS colour, also `var(...)`. */
  readonly color: string;
  readonly values: readonly number[];
}

const left = 52;
const bottom = 26;
const top = 8;

export interface TimeChartProps {
  readonly series: readonly ChartSeries[];
  readonly labels: readonly string[];
  readonly format: (value: number) => string;
  readonly height: number;
  /** What it shows with its total, for screen readers. */
  readonly name: string;
  readonly kind: 'columns' | 'line';
  /** The values are counts. */
  readonly whole?: boolean;
}

/** Values over time as stacked columns, or one line with its area. Horizontal lines only; a tooltip for each column. */
export function TimeChart({ series, labels, format, height, name, kind, whole = false }: TimeChartProps) {
  const { t } = useTranslation();
  const [box, width] = useWidth();
  const [pointed, setPointed] = useState<number | null>(null);
  const totals = labels.map((_, index) => series.reduce((sum, one) => sum + (one.values[index] ?? 0), 0));
  const highest = niceTop(Math.max(0, ...totals), whole);
  const plot = { width: Math.max(0, width - left), height: height - bottom - top };
  const slot = labels.length > 0 ? plot.width / labels.length : 0;
  const y = (value: number) => top + plot.height * (1 - value / highest);
  const every = Math.max(1, Math.ceil(labels.length / Math.max(1, Math.floor(plot.width / 84))));
  const empty = totals.every((total) => total === 0);
  return (
    <Box
      ref={box}
      sx={{ position: 'relative', height }}
      onMouseLeave={() => {
        setPointed(null);
      }}
    >
      <Box
        component="svg"
        role="img"
        aria-label={name}
        width={width}
        height={height}
        sx={{ display: 'block', fontSize: 11.5, '& text': { fill: 'var(--mui-palette-text-secondary)' } }}
      >
        {[0, 1, 2, 3, 4].map((line) => (
          <g key={line}>
            <line
              x1={left}
              x2={width}
              y1={y((highest * line) / 4)}
              y2={y((highest * line) / 4)}
              stroke="var(--mui-palette-surface-line)"
            />
            <text x={left - 8} y={y((highest * line) / 4) + 4} textAnchor="end" className="num">
              {format((highest * line) / 4)}
            </text>
          </g>
        ))}
        {labels.map((label, index) =>
          index % every === 0 ? (
            <text key={label} x={left + slot * (index + 0.5)} y={height - 8} textAnchor="middle" className="num">
              {label}
            </text>
          ) : null,
        )}
        {kind === 'columns' ? (
          <Columns series={series} slot={slot} y={y} />
        ) : (
          series[0] && <Line one={series[0]} slot={slot} y={y} />
        )}
        {labels.map((label, index) => (
          <rect
            key={label}
            x={left + slot * index}
            y={top}
            width={slot}
            height={plot.height}
            fill="currentColor"
            opacity={pointed === index ? 0.05 : 0}
            onMouseEnter={() => {
              setPointed(index);
            }}
          />
        ))}
      </Box>
      {empty && (
        <Box
          sx={{
            position: 'absolute',
            inset: `${String(top)}px 0 ${String(bottom)}px ${String(left)}px`,
            display: 'grid',
            placeItems: 'center',
            color: 'text.secondary',
            pointerEvents: 'none',
          }}
        >
          {t('dashboard.empty')}
        </Box>
      )}
      {pointed !== null && !empty && (
        <Tip
          series={series}
          index={pointed}
          label={labels[pointed] ?? ''}
          format={format}
          place={(left + slot * (pointed + 0.5)) / Math.max(1, width)}
        />
      )}
    </Box>
  );
}

function Columns({
  series,
  slot,
  y,
}: {
  readonly series: readonly ChartSeries[];
  readonly slot: number;
  readonly y: (value: number) => number;
}) {
  const length = series[0]?.values.length ?? 0;
  const gap = Math.min(8, slot * 0.25);
  return Array.from({ length }, (_, index) => {
    let below = 0;
    return series.map((one) => {
      const value = one.values[index] ?? 0;
      const from = below;
      below += value;
      return value > 0 ? (
        <rect
          key={`${one.name}-${String(index)}`}
          x={left + slot * index + gap / 2}
          width={Math.max(1, slot - gap)}
          y={y(below)}
          height={Math.max(0.5, y(from) - y(below))}
          fill={one.color}
        />
      ) : null;
    });
  });
}

function Line({
  one,
  slot,
  y,
}: {
  readonly one: ChartSeries;
  readonly slot: number;
  readonly y: (value: number) => number;
}) {
  const points = one.values.map((value, index) => `${String(left + slot * (index + 0.5))},${String(y(value))}`);
  if (points.length === 0) return null;
  const first = String(left + slot * 0.5);
  const last = String(left + slot * (points.length - 0.5));
  return (
    <>
      <polygon
        points={`${first},${String(y(0))} ${points.join(' ')} ${last},${String(y(0))}`}
        fill={one.color}
        opacity={0.12}
      />
      <polyline points={points.join(' ')} fill="none" stroke={one.color} strokeWidth={1.75} strokeLinejoin="round" />
    </>
  );
}

/** The series of one column, the largest first, and their total. */
function Tip({
  series,
  index,
  label,
  format,
  place,
}: {
  readonly series: readonly ChartSeries[];
  readonly index: number;
  readonly label: string;
  readonly format: (value: number) => string;
  readonly place: number;
}) {
  const { t } = useTranslation();
  const rows = series
    .map((one) => ({ ...one, value: one.values[index] ?? 0 }))
    .filter(({ value }) => value > 0)
    .sort((one, two) => two.value - one.value);
  const total = rows.reduce((sum, { value }) => sum + value, 0);
  return (
    <Box
      aria-hidden
      className="num"
      sx={({ vars }) => ({
        position: 'absolute',
        zIndex: 2,
        top: 8,
        [place > 0.6 ? 'right' : 'left']: `calc(${String((place > 0.6 ? 1 - place : place) * 100)}% + 12px)`,
        pointerEvents: 'none',
        minWidth: 160,
        padding: '8px 10px',
        borderRadius: '6px',
        fontSize: 12,
        backgroundColor: vars.palette.background.paper,
        border: `1px solid ${vars.palette.surface.line}`,
        boxShadow: '0 4px 16px rgba(8, 16, 18, 0.12)',
      })}
    >
      <Box sx={{ color: 'text.secondary', mb: '4px' }}>{label}</Box>
      {rows.map((row) => (
        <Box key={row.name} sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
          <Box sx={{ width: 8, height: 8, borderRadius: '2px', backgroundColor: row.color }} />
          <Box sx={{ mr: 'auto', pr: 2 }}>{row.name}</Box>
          {format(row.value)}
        </Box>
      ))}
      {rows.length !== 1 && (
        <Box sx={{ display: 'flex', justifyContent: 'space-between', mt: '4px', fontWeight: 600 }}>
          <span>{t('dashboard.total')}</span>
          {format(total)}
        </Box>
      )}
    </Box>
  );
}
