import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { RowAction } from '../../components/ActionMenu.js';
import { ChartPanel } from '../../components/charts/ChartPanel.js';
import { PanelFrame } from '../../components/charts/PanelFrame.js';
import { ShareChart } from '../../components/charts/ShareChart.js';
import { loadable } from '../../components/loadable.js';
import { describeFailure } from '../../lib/errors.js';
import { useFormat } from '../../lib/useFormat.js';
import { colored } from './chartColors.js';
import { cellText, columnLabel, numberText } from './columnTexts.js';
import type { PanelPartsFragment } from './dashboards.generated.js';
import { isNumeric, numberAt, rowsOf, seriesOverTime, valuesByName, type Column, type Shape } from './panelData.js';
import { labelsOf, type Granularity } from './usageSeries.js';
import { usePanelData, type ViewerValues } from './usePanelData.js';

const { Component: PanelTable } = loadable(async () => (await import('./PanelTable.js')).PanelTable, TableSkeleton);

const chartHeight = 240;

/** A panel of a saved dashboard: runs its query, and shows the response as the panel says. */
export function PanelView({
  panel,
  viewer,
  version,
  actions = [],
}: {
  readonly panel: PanelPartsFragment;
  readonly viewer: ViewerValues;
  /** Another number runs the query again. */
  readonly version: number;
  readonly actions?: readonly RowAction[];
}) {
  const { t } = useTranslation();
  const { data, error, loading } = usePanelData(panel, viewer, version);
  const { title, kind, shape, refusal } = panel;
  if (!shape) {
    return (
      <PanelFrame title={title} actions={actions}>
        <Message isError>{t('dashboards.notRun', { reason: refusal })}</Message>
      </PanelFrame>
    );
  }
  if (error && data === undefined) {
    return (
      <PanelFrame title={title} actions={actions}>
        <Message isError>{describeFailure(error, t)}</Message>
      </PanelFrame>
    );
  }
  if (data === undefined) {
    return (
      <PanelFrame title={title} actions={actions}>
        <Skeleton variant="rectangular" height={kind === 'NUMBER' ? 56 : chartHeight} aria-label={t('grid.loading')} />
      </PanelFrame>
    );
  }
  const shown = { title, data, shape, actions };
  return (
    <Box aria-busy={loading} sx={{ display: 'grid', minWidth: 0, opacity: loading ? 0.6 : 1 }}>
      {kind === 'NUMBER' ? <NumberPanel {...shown} /> : <RowsPanel {...shown} kind={kind} />}
    </Box>
  );
}

interface Shown {
  readonly title: string;
  readonly data: unknown;
  readonly shape: Shape;
  readonly actions: readonly RowAction[];
}

/** The first number, large, and the others in a line below it. */
function NumberPanel({ title, data, shape, actions }: Shown) {
  const { t } = useTranslation();
  const format = useFormat();
  const [row] = shape.values.some(isNumeric) ? [data] : rowsOf(data, shape);
  const columns = shape.values.some(isNumeric) ? shape.values : shape.columns;
  const [first, ...others] = columns.filter(isNumeric);
  const text = (column: Column): string => cellText(row, column, format, t) ?? '–';
  return (
    <PanelFrame title={title} actions={actions}>
      <Box
        className="num"
        sx={{ fontSize: 28, lineHeight: '34px', fontWeight: 600, letterSpacing: '-0.025em', overflowWrap: 'anywhere' }}
      >
        {first ? text(first) : '–'}
      </Box>
      <Box className="num" sx={{ mt: '4px', minHeight: 17, fontSize: 12, lineHeight: '17px', color: 'text.secondary' }}>
        {others.map((column) => `${columnLabel(column, t)} ${text(column)}`).join(' · ')}
      </Box>
    </PanelFrame>
  );
}

function RowsPanel({ kind, ...shown }: Shown & { readonly kind: 'LINE' | 'BAR' | 'PIE' | 'TABLE' }) {
  const { t } = useTranslation();
  const rows = useMemo(() => rowsOf(shown.data, shown.shape), [shown.data, shown.shape]);
  if (rows.length === 0) {
    return (
      <PanelFrame title={shown.title} actions={shown.actions}>
        <Message>{t('dashboards.noRows')}</Message>
      </PanelFrame>
    );
  }
  if (kind === 'TABLE') {
    return (
      <PanelFrame title={shown.title} actions={shown.actions}>
        <PanelTable title={shown.title} rows={rows} columns={shown.shape.columns} />
      </PanelFrame>
    );
  }
  return kind === 'PIE' ? <PiePanel {...shown} rows={rows} /> : <SeriesPanel {...shown} rows={rows} kind={kind} />;
}

function PiePanel({ title, shape, actions, rows }: Shown & { readonly rows: readonly unknown[] }) {
  const { t } = useTranslation();
  const format = useFormat();
  const column = shape.columns.find(isNumeric);
  const values = valuesByName(rows, shape.columns, t('dashboard.other'));
  return (
    <PanelFrame title={title} actions={actions}>
      {column && values ? (
        <ShareChart
          name={title}
          slices={colored(values.filter(({ value }) => value > 0))}
          format={(value) => numberText(value, column, format)}
        />
      ) : (
        <Message>{t('dashboards.noNumber')}</Message>
      )}
    </PanelFrame>
  );
}

function SeriesPanel({
  title,
  shape: { columns },
  actions,
  rows,
  kind,
}: Shown & { readonly rows: readonly unknown[]; readonly kind: 'LINE' | 'BAR' }) {
  const { t } = useTranslation();
  const format = useFormat();
  const column = columns.find(isNumeric);
  const chart = useMemo(() => {
    const overTime = seriesOverTime(rows, columns, (one) => columnLabel(one, t), t('dashboard.other'));
    if (overTime) return { labels: labelsOf(overTime.starts, granularityOf(overTime.starts)), series: overTime.series };
    const values = valuesByName(rows, columns, t('dashboard.other'));
    const [first] = columns.filter(isNumeric);
    if (!values || !first) return null;
    const series = [{ name: columnLabel(first, t), isOthers: false, values: values.map(({ value }) => value) }];
    return { labels: unlike(values.map(({ name }) => name)), series };
  }, [rows, columns, t]);
  if (!column || !chart) {
    return (
      <PanelFrame title={title} actions={actions}>
        <Message>{t('dashboards.noNumber')}</Message>
      </PanelFrame>
    );
  }
  const isWhole = rows.every((row) => Number.isInteger(numberAt(row, column) ?? 0));
  return (
    <ChartPanel
      title={title}
      name={title}
      actions={actions}
      series={colored(chart.series)}
      labels={chart.labels}
      height={chartHeight}
      kind={kind === 'BAR' ? 'columns' : 'line'}
      format={(value) => numberText(value, column, format, true)}
      {...(isWhole ? { minStep: 1 } : {})}
    />
  );
}

/** The buckets of a chart, from the shortest distance of two: a panel may have fixed ones. */
function granularityOf(starts: readonly number[]): Granularity {
  const hours = Math.min(...starts.slice(1).map((start, index) => (start - (starts[index] ?? 0)) / 3_600_000));
  if (hours < 23) return 'hour';
  return hours < 7 * 24 - 1 ? 'day' : hours < 28 * 24 - 1 ? 'week' : 'month';
}

/** Labels of a chart are all different. */
const unlike = (names: readonly string[]): string[] =>
  names.map((name, index) => (names.indexOf(name) === index ? name : `${name} (${index + 1})`));

function Message({ children, isError = false }: { readonly children: string; readonly isError?: boolean }) {
  return (
    <Box
      role={isError ? 'alert' : 'status'}
      sx={{
        flex: 1,
        minHeight: 56,
        display: 'grid',
        placeItems: 'center',
        textAlign: 'center',
        overflowWrap: 'anywhere',
        color: isError ? 'error.main' : 'text.secondary',
      }}
    >
      {children}
    </Box>
  );
}

function TableSkeleton() {
  return <Skeleton variant="rectangular" height={280} />;
}
