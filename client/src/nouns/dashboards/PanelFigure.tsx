import Skeleton from '@mui/material/Skeleton';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { RowAction } from '../../components/ActionMenu.js';
import { largestOf, markDigits } from '../../components/charts/axis.js';
import { ChartPanel } from '../../components/charts/ChartPanel.js';
import { NumberCard } from '../../components/charts/NumberCard.js';
import { PanelFrame } from '../../components/charts/PanelFrame.js';
import type { EarlierSeries } from '../../components/charts/TimeChart.js';
import { Ranking } from '../../components/charts/Ranking.js';
import { ShareChart } from '../../components/charts/ShareChart.js';
import { loadable } from '../../components/loadable.js';
import { count } from '../../lib/format.js';
import { useStatus } from '../../lib/status.js';
import { useFormat } from '../../lib/useFormat.js';
import { chartColor, colored } from './chartColors.js';
import { cellText, columnLabel, comparisonText, isUsd, numberText } from './columnTexts.js';
import type { PanelPartsFragment } from './dashboards.generated.js';
import {
  comparedWith,
  isNumeric,
  isSum,
  nameOf,
  numberAt,
  numbersOf,
  sameName,
  seriesOverTime,
  valuesByName,
  type Column,
} from './panelData.js';
import { PanelMessage } from './PanelMessage.js';
import { centDigits, labelsOf, type Buckets } from './usageSeries.js';

const { Component: PanelTable } = loadable(async () => (await import('./PanelTable.js')).PanelTable, TableSkeleton);

export const chartHeight = 240;

/** A response, and how it is drawn: what a panel of a saved dashboard is once its query has run. */
export interface Figure {
  readonly title: string;
  readonly kind: PanelPartsFragment['kind'];
  readonly rows: readonly unknown[];
  readonly columns: readonly Column[];
  /** Numbers outside the rows, such as totals. */
  readonly values: { readonly of: unknown; readonly columns: readonly Column[] };
  /** The buckets of a chart. Absent: they are read from the rows. */
  readonly buckets?: Buckets;
  /** The height of a chart in pixels. */
  readonly height?: number;
  /** The accessible name of a chart. Absent: the title with the total. */
  readonly name?: string;
  /** Values of the period before, one for each bucket, that the tooltip of a chart compares with. */
  readonly before?: readonly EarlierSeries[];
  /** Breaks the series of everything else in a chart up. */
  readonly onOther?: () => void;
  readonly isOtherLoading?: boolean;
  readonly back?: { readonly label: string; readonly onClick: () => void };
  /** The colour of a series or of a row of a ranking, and the line below the name of that row. */
  readonly colorOf?: (index: number) => string;
  readonly noteOf?: (row: unknown) => string | undefined;
  readonly actions?: readonly RowAction[];
}

/** Draws a response. The panels of saved dashboards and those of the console's own are all drawn here. */
export function PanelFigure(figure: Figure) {
  const { t } = useTranslation();
  const { title, kind, rows, columns, buckets, actions = [] } = figure;
  if (kind === 'NUMBER') return <NumberFigure {...figure} />;
  if (rows.length === 0 && !buckets && kind !== 'RANKING') {
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

/** The first number, large, with its change against the compared range and its course, and the others in a line below it. */
function NumberFigure({ title, rows, columns, values, actions = [] }: Figure) {
  const { t } = useTranslation();
  const format = useFormat();
  const { of, columns: shown } = values.columns.some(isNumeric) ? values : { of: rows[0], columns };
  const [first, ...others] = numbersOf(shown);
  const text = (column: Column): string => cellText(of, column, format, t) ?? '–';
  const compared = first && comparedWith(first, shown);
  const now = first ? numberAt(of, first) : null;
  const notes = [
    compared && now !== null ? comparisonText(now, numberAt(of, compared) ?? 0, t) : undefined,
    others.map((column) => `${columnLabel(column, t)} ${text(column)}`).join(' · '),
  ].filter((note) => note !== undefined && note !== '');
  const isOfRows = of === rows[0];
  const course = first && !isOfRows ? sameName(first, columns) : undefined;
  const time = columns.filter(({ kind }) => kind === 'TIME' || kind === 'TEXT');
  const series =
    course && time.length === 1 ? seriesOverTime(rows, [...time, course], () => '', '')?.series[0]?.values : undefined;
  const sparkline = series?.every((value) => value !== null) ? series : [];
  return (
    <NumberCard
      title={title}
      value={first ? text(first) : '–'}
      notes={notes.map(String)}
      values={sparkline}
      actions={actions}
    />
  );
}

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

function RankingFigure({ title, columns, rows, column, values, colorOf, noteOf, actions = [] }: WithColumn) {
  const { t } = useTranslation();
  const format = useFormat();
  const [, ...others] = numbersOf(columns);
  const notes = (row: unknown): string | undefined =>
    others.length === 0
      ? undefined
      : others.map((one) => `${columnLabel(one, t)} ${cellText(row, one, format, t) ?? '–'}`).join(' · ');
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
          color: colorOf?.(index) ?? chartColor(0),
          note: (noteOf ?? notes)(row),
        }))}
      />
    </PanelFrame>
  );
}

function SeriesFigure({
  title,
  columns,
  rows,
  column,
  kind,
  buckets,
  name,
  before = [],
  onOther,
  isOtherLoading = false,
  back,
  colorOf,
  height = chartHeight,
  actions = [],
}: WithColumn & { readonly kind: 'LINE' | 'BAR' }) {
  const { t } = useTranslation();
  const format = useFormat();
  const scale = useScale(column);
  const chart = useMemo(() => {
    const labelOf = (one: Column): string => columnLabel(one, t);
    const overTime = seriesOverTime(rows, columns, labelOf, t('dashboard.other'), buckets);
    const values = overTime ? [] : (valuesByName(rows, columns, t('dashboard.other')) ?? []);
    const series = overTime?.series ?? [
      { name: columnLabel(column, t), isOthers: false, values: values.map(({ value }) => value) },
    ];
    return {
      labels: overTime ? labelsOf(overTime.starts, overTime.granularity) : unlike(values.map((one) => one.name)),
      total: series.flatMap((one) => one.values).reduce<number>((sum, value) => sum + (value ?? 0), 0),
      series: colored(series).map((one, index) => ({
        ...one,
        color: one.isOthers ? one.color : (colorOf?.(index) ?? one.color),
        onOpen: one.isOthers ? onOther : undefined,
        isOpening: one.isOthers && isOtherLoading,
        values: one.values.map((value) => (value === null ? null : value * scale.factor)),
      })),
    };
  }, [rows, columns, column, buckets, scale.factor, colorOf, onOther, isOtherLoading, t]);
  const isWhole = rows.every((row) => Number.isInteger(numberAt(row, column) ?? 0));
  const drawn = kind === 'BAR' ? 'columns' : 'line';
  const texts = scale.textsFor(largestOf(chart.series, drawn));
  const total = t('dashboard.chartName', { name: title, total: numberText(chart.total, column, format, true) });
  return (
    <ChartPanel
      title={title}
      name={name ?? (isSum(column) ? total : title)}
      actions={actions}
      series={chart.series}
      before={before.map((one) => ({
        ...one,
        values: one.values.map((value) => (value === null ? null : value * scale.factor)),
      }))}
      back={back}
      labels={chart.labels}
      height={height}
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
