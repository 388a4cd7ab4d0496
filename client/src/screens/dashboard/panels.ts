import type { TFunction } from 'i18next';
import { integer, percent } from '../../lib/format.js';
import type { useFormat } from '../../lib/useFormat.js';
import { chartColor, otherColor } from '../../nouns/dashboards/chartColors.js';
import { rate } from '../../nouns/dashboards/columnTexts.js';
import type { Column } from '../../nouns/dashboards/panelData.js';
import type { Figure } from '../../nouns/dashboards/PanelFigure.js';
import type { PanelCell } from '../../nouns/dashboards/PanelGrid.js';
import { perMinute } from '../../nouns/dashboards/usageSeries.js';
import type { MarginFragment, SpendCellFragment } from './dashboard.generated.js';
import type { DashboardData } from './useDashboard.js';

interface OwnPanel {
  readonly key: string;
  readonly span: PanelCell['span'];
  /** The readers of the panel: everyone, users who see the usage of all users, or these while no user is chosen. */
  readonly of: 'all' | 'admins' | 'users';
  readonly figure: Figure;
}

interface Texts {
  readonly t: TFunction;
  readonly format: ReturnType<typeof useFormat>;
  readonly quotaPerUnit: number;
}

/** The cells of spend by model, whose colours the list of models has too. */
const spendByModel: readonly Column[] = [
  { path: 'time', kind: 'TIME' },
  { path: 'key.isOthers', kind: 'BOOLEAN' },
  { path: 'key.modelName', kind: 'TEXT' },
  { path: 'metrics.quota', kind: 'QUOTA' },
];
/** Models of the chart with a name, and those that "Other" is broken up into. */
export const namedModels = 5;
export const brokenUp = 6;

const time: Column = { path: 'time', kind: 'TIME' };
const ranked: readonly Column[] = [
  { path: 'name', kind: 'TEXT' },
  { path: 'quota', kind: 'QUOTA' },
];

interface Ranked {
  readonly metrics: { readonly quota: number; readonly calls: number; readonly cost?: MarginFragment['cost'] };
}

/**
 * The panels of the console's own dashboard. Their queries are one document with a field for each, so that a visit is one
 * request, and all numbers are of one moment.
 */
export function panelsOf(data: DashboardData, texts: Texts): readonly OwnPanel[] {
  const { t } = texts;
  const { current, timeline, before, granularity, users, channels } = data;
  const models = data.models.slice(0, 8);
  const buckets = { starts: data.buckets.map(({ start }) => start), granularity };
  const perMinuteValues = perMinute(
    timeline.map(({ calls }) => calls),
    data.buckets,
    data,
  );
  const earlier = (
    valueOf: (metrics: NonNullable<(typeof before)[number]>) => number | null | undefined,
    name = '',
  ) => ({
    name,
    values: before.map((metrics) => (metrics ? (valueOf(metrics) ?? null) : null)),
  });
  const overTime = timeline.map((metrics, index) => ({
    time: new Date(buckets.starts[index] ?? 0).toISOString(),
    metrics,
    perMinute: perMinuteValues[index],
  }));
  const none = { of: null, columns: [] };
  const chart = { rows: overTime, buckets, values: none, height: 180 };
  const ranking = <Row extends Ranked>(rows: readonly Row[], nameOf: (row: Row) => string | null | undefined) => ({
    kind: 'RANKING' as const,
    rows: rows.map((row) => ({ name: nameOf(row), quota: row.metrics.quota, note: marginOf(row, texts) })),
    columns: ranked,
    values: { of: current, columns: [{ path: 'quota', kind: 'QUOTA' as const }] },
    noteOf: (row: unknown) => (row as { readonly note?: string }).note,
  });
  return [
    {
      key: 'spend',
      span: 4,
      of: 'all',
      figure: {
        title: t('dashboard.spendByModel'),
        kind: 'BAR',
        rows: data.spend,
        columns: spendByModel,
        buckets,
        values: none,
        before: [earlier(({ quota }) => quota)],
        // The height equals that of the list beside it, whose rows have a second line if the margin is known.
        height: models.some((row) => marginOf(row, texts) !== undefined) ? 464 : 280,
      },
    },
    {
      key: 'models',
      span: 2,
      of: 'all',
      figure: {
        title: t('dashboard.topModels'),
        ...ranking(models, ({ key }) => key.modelName),
        colorOf: (index) => (index < namedModels ? chartColor(index) : otherColor),
      },
    },
    {
      key: 'calls',
      span: 2,
      of: 'all',
      figure: {
        ...chart,
        title: t('dashboard.calls'),
        kind: 'LINE',
        columns: [time, { path: 'metrics.calls', kind: 'NUMBER' }],
        before: [earlier(({ calls }) => calls)],
      },
    },
    {
      key: 'failures',
      span: 2,
      of: 'all',
      figure: {
        ...chart,
        title: t('dashboard.failures'),
        kind: 'BAR',
        columns: [time, { path: 'metrics.failedCalls', kind: 'NUMBER' }],
        colorOf: () => 'var(--mui-palette-error-main)',
        before: [earlier(({ failedCalls }) => failedCalls)],
      },
    },
    {
      key: 'latency',
      span: 2,
      of: 'all',
      figure: {
        ...chart,
        title: t('dashboard.latency'),
        kind: 'LINE',
        columns: [time, { path: 'metrics.p50Ms', kind: 'NUMBER' }, { path: 'metrics.p95Ms', kind: 'NUMBER' }],
        before: [
          earlier(({ p50Ms }) => p50Ms, t('dashboards.columns.p50')),
          earlier(({ p95Ms }) => p95Ms, t('dashboards.columns.p95')),
        ],
      },
    },
    {
      key: 'tokens',
      span: 3,
      of: 'all',
      figure: {
        ...chart,
        title: t('dashboard.tokens'),
        kind: 'BAR',
        columns: [
          time,
          { path: 'metrics.promptTokens', kind: 'NUMBER' },
          { path: 'metrics.completionTokens', kind: 'NUMBER' },
        ],
        before: [earlier(({ totalTokens }) => totalTokens)],
      },
    },
    {
      key: 'rates',
      span: 3,
      of: 'all',
      figure: {
        ...chart,
        title: t('dashboard.requestsPerMinute'),
        kind: 'LINE',
        name: t(`dashboard.ratesName.${granularity}`, { most: rate(Math.max(0, ...perMinuteValues)) }),
        columns: [time, { path: 'perMinute', kind: 'NUMBER' }],
        // The bucket of the period before is as long, except for the last one, which has only begun.
        before: [
          {
            name: '',
            values: perMinute(
              before.map((metrics) => metrics?.calls ?? 0),
              data.buckets,
              { from: data.buckets[0]?.start ?? 0, to: data.buckets.at(-1)?.end ?? 0 },
            ),
          },
        ],
      },
    },
    {
      key: 'users',
      span: 3,
      of: 'users',
      figure: {
        title: t('dashboard.topUsers'),
        ...ranking(users, ({ key }) => key.username ?? `#${key.userId ?? 0}`),
      },
    },
    {
      key: 'channels',
      span: 3,
      of: 'admins',
      figure: {
        title: t('dashboard.topChannels'),
        ...ranking(channels, ({ key }) => key.channelName ?? `#${key.channelId ?? 0}`),
        colorOf: () => chartColor(2),
      },
    },
  ];
}

/** The margin of a row, if some of its costs are known. */
function marginOf({ metrics: { calls, cost } }: Ranked, { t, format, quotaPerUnit }: Texts): string | undefined {
  if (!cost || cost.knownCalls === 0) return undefined;
  const earned = {
    amount: format.money(cost.marginUsd * quotaPerUnit, 'balance'),
    share: cost.usd > 0 ? percent(cost.marginUsd / cost.usd) : '–',
  };
  return cost.knownCalls < calls
    ? t('dashboard.marginOfSome', { ...earned, known: integer(cost.knownCalls), calls: integer(calls) })
    : t('dashboard.margin', earned);
}

/** Everything but the named models, broken up: the next six models, and what is left. */
export function otherSpend(
  spend: readonly SpendCellFragment[],
  named: readonly SpendCellFragment[],
): readonly SpendCellFragment[] {
  const sums = new Map<unknown, number>();
  for (const { time: start, metrics } of named) sums.set(start, (sums.get(start) ?? 0) + metrics.quota);
  const rest = spend
    .filter(({ key }) => key.isOthers)
    .map((cell) => ({ ...cell, metrics: { ...cell.metrics, quota: cell.metrics.quota - (sums.get(cell.time) ?? 0) } }));
  return [...named, ...rest];
}
