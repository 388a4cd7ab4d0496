import Skeleton from '@mui/material/Skeleton';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { largestOf, markDigits } from '../../components/charts/axis.js';
import { ChartPanel } from '../../components/charts/ChartPanel.js';
import { PanelFrame } from '../../components/charts/PanelFrame.js';
import { Ranking } from '../../components/charts/Ranking.js';
import { ShareChart } from '../../components/charts/ShareChart.js';
import { loadable } from '../../components/loadable.js';
import { count } from '../../lib/format.js';
import { useStatus } from '../../lib/status.js';
import { useFormat } from '../../lib/useFormat.js';
import { chartColor, colored, failureColor, otherColor } from './chartColors.js';
import { cellText, columnLabel, isUsd, numberText } from './columnTexts.js';
import { costColumns, marginText } from './costTexts.js';
import type { Figure } from './figure.js';
import { NumberFigure } from './NumberFigure.js';
import {
  earlierSeries,
  fieldOf,
  isNumeric,
  isSum,
  nameOf,
  namedSeries,
  numberAt,
  numbersOf,
  sameName,
  seriesOverTime,
  splitOthers,
  valuesByName,
  type Column,
} from './panelData.js';
import { PanelMessage } from './PanelMessage.js';
import { centDigits, labelsOf } from './usageSeries.js';

const { Component: PanelTable } = loadable(async () => (await import('./PanelTable.js')).PanelTable, TableSkeleton);

/** The least heights of charts in pixels. A chart is as high as the panels beside it. */
export const chartHeights = { SMALL: 180, MEDIUM: 180, WIDE: 280, LARGE: 240 } as const;

/** Draws a response. */
export function PanelFigure(figure: Figure) {
  const { t } = useTranslation();
  const { title, kind, rows, columns, actions = [] } = figure;
  if (kind === 'NUMBER') return <NumberFigure {...figure} />;
  if (rows.length === 0 && kind !== 'RANKING') {
    return (
      <PanelFrame title={title} actions={actions}>
        <PanelMessage>{t('dashboards.noRows')}</PanelMessage>
      </PanelFrame>
    );
  }
  if (kind === 'TABLE') {
    return (
      <PanelFrame title={title} actions={actions}>
        <PanelTable title={title} rows={rows} columns={columns} />
      </PanelFrame>
    );
  }
  const column = columns.find(isNumeric);
  if (!column) {
    return (
      <PanelFrame title={title} actions={actions}>
        <PanelMessage>{t('dashboards.noNumber')}</PanelMessage>
      </PanelFrame>
    );
  }
  if (kind === 'PIE') return <PieFigure {...figure} column={column} />;
  if (kind === 'RANKING') return <RankingFigure {...figure} column={column} />;
  return <SeriesFigure {...figure} kind={kind} column={column} />;
}

type WithColumn = Figure & { readonly column: Column };

function PieFigure({ title, columns, rows, column, actions = [] }: WithColumn) {
  const { t } = useTranslation();
  const format = useFormat();
  const slices = (valuesByName(rows, columns, t('dashboard.other')) ?? []).flatMap(({ value, ...one }) =>
    value !== null && value > 0 ? [{ ...one, value }] : [],
  );
  return (
    <PanelFrame title={title} actions={actions}>
      <ShareChart name={title} slices={colored(slices)} format={(value) => numberText(value, column, format)} />
    </PanelFrame>
  );
}

function RankingFigure({ title, columns, rows, column, values, actions = [] }: WithColumn) {
  const { t } = useTranslation();
  const format = useFormat();
  const { quotaPerUnit } = useStatus();
  const [, ...others] = numbersOf(columns);
  const cost = costColumns(columns);
  // Models have the colours of the chart of models.
  const isOfModels = columns.some((one) => /modelName$/.test(fieldOf(one)));
  const colorOf = (index: number): string => {
    if (!isOfModels) return chartColor(0);
    return index < namedSeries ? chartColor(index) : otherColor;
  };
  const noteOf = (row: unknown): string | undefined => {
    if (cost) return marginText(row, cost, { t, format, quotaPerUnit });
    const notes = others.map((one) => `${columnLabel(one, t)} ${cellText(row, one, format, t) ?? '–'}`);
    return notes.length > 0 ? notes.join(' · ') : undefined;
  };
  const valueOf = (row: unknown): number | null => numberAt(row, column);
  const whole = sameName(column, values.columns);
  const sum = (): number => rows.reduce<number>((all, row) => all + (valueOf(row) ?? 0), 0);
  return (
    <PanelFrame title={title} actions={actions}>
      <Ranking
        total={isSum(column) ? ((whole && numberAt(values.of, whole)) ?? sum()) : null}
        format={(value) => numberText(value, column, format)}
        rows={rows.map((row, index) => ({
          name: nameOf(row, columns, t('dashboard.other')).name,
          value: valueOf(row),
          color: colorOf(index),
          note: noteOf(row),
        }))}
      />
    </PanelFrame>
  );
}

function SeriesFigure({
  title,
  size,
  columns,
  rows,
  column,
  kind,
  actions = [],
}: WithColumn & { readonly kind: 'LINE' | 'BAR' }) {
  const { t } = useTranslation();
  const format = useFormat();
  const scale = useScale(column);
  const [isOtherOpen, setOtherOpen] = useState(false);
  const chart = useMemo(() => {
    const other = t('dashboard.other');
    const labelOf = (one: Column): string => columnLabel(one, t);
    const scaled = <One extends { readonly values: ReadonlyArray<number | null> }>(one: One): One => ({
      ...one,
      values: one.values.map((value) => (value === null ? null : value * scale.factor)),
    });
    const overTime = seriesOverTime(rows, columns, labelOf, other);
    if (!overTime) {
      const values = valuesByName(rows, columns, other) ?? [];
      return {
        labels: unlike(values.map(({ name }) => name)),
        whole: [scaled({ name: columnLabel(column, t), isOthers: false, values: values.map(({ value }) => value) })],
        parts: [],
        before: [],
      };
    }
    const { whole, parts } =
      kind === 'BAR' ? splitOthers(overTime, columns, other) : { whole: overTime.series, parts: [] };
    return {
      labels: labelsOf(overTime.starts, overTime.granularity),
      whole: whole.map(scaled),
      parts: parts.map(scaled),
      before: earlierSeries(rows, columns, labelOf, overTime, kind === 'BAR').map(scaled),
    };
  }, [rows, columns, column, kind, scale.factor, t]);
  const isBroken = isOtherOpen && chart.parts.length > 0;
  const isFailure = /failedCalls$/.test(fieldOf(column)) && !columns.some(({ kind: one }) => one === 'TEXT');
  const series = isBroken
    ? colored(chart.parts, namedSeries)
    : colored(chart.whole).map((one) => ({
        ...one,
        ...(isFailure ? { color: failureColor } : {}),
        onOpen: one.isOthers && chart.parts.length > 0 ? () => setOtherOpen(true) : undefined,
      }));
  const isWhole = rows.every((row) => Number.isInteger(numberAt(row, column) ?? 0));
  const drawn = kind === 'BAR' ? 'columns' : 'line';
  const texts = scale.textsFor(largestOf(series, drawn));
  const all = series.flatMap(({ values }) => values).map((value) => value ?? 0);
  const textOf = (value: number): string => numberText(value / scale.factor, column, format, true);
  const shownTitle = isBroken ? `${title} · ${t('dashboard.other')}` : title;
  return (
    <ChartPanel
      title={shownTitle}
      name={
        isSum(column)
          ? t('dashboard.chartName', { name: shownTitle, total: textOf(all.reduce((sum, value) => sum + value, 0)) })
          : t('dashboard.chartMost', { name: shownTitle, most: textOf(Math.max(0, ...all)) })
      }
      actions={actions}
      series={series}
      before={isBroken ? [] : chart.before}
      back={isBroken ? { label: t('dashboard.allSeries'), onClick: () => setOtherOpen(false) } : undefined}
      labels={chart.labels}
      minHeight={chartHeights[size]}
      kind={drawn}
      format={texts.format}
      formatMark={texts.formatMark}
      minStep={texts.minStep ?? (isWhole ? 1 : undefined)}
    />
  );
}

/** Amounts are converted to the shown currency, so that the marks of the axis are round numbers. */
function useScale(column: Column) {
  const format = useFormat();
  const { quotaPerUnit } = useStatus();
  return useMemo(() => {
    const isQuota = column.kind === 'QUOTA';
    if (isQuota && !format.isInCurrency) {
      return { factor: 1, textsFor: () => ({ format: count, formatMark: count, minStep: 1 }) };
    }
    if (!isQuota && !isUsd(column)) {
      const text = (value: number): string => numberText(value, column, format, true);
      return { factor: 1, textsFor: () => ({ format: text, formatMark: text, minStep: undefined }) };
    }
    const short = (digits: number) => (value: number) => format.usd(value / format.rate, digits);
    return {
      factor: isQuota ? format.rate / quotaPerUnit : format.rate,
      textsFor: (largest: number) => ({
        format: short(centDigits(largest)),
        formatMark: short(markDigits(largest)),
        // The smallest amount that is shown.
        minStep: 0.000_001,
      }),
    };
  }, [column, format, quotaPerUnit]);
}

/** Labels of a chart are all different. */
const unlike = (names: readonly string[]): string[] =>
  names.map((name, index) => (names.indexOf(name) === index ? name : `${name} (${index + 1})`));

function TableSkeleton() {
  return <Skeleton variant="rectangular" height={280} />;
}
