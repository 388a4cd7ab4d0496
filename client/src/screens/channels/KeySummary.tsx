import { useQuery } from '@apollo/client/react';
import { useTranslation } from 'react-i18next';
import { LoadFailure } from '../../components/LoadFailure.js';
import type { Stat } from '../../components/StatBadges.js';
import { count, integer } from '../../lib/format.js';
import { useFormat } from '../../lib/useFormat.js';
import { KeyUsageDocument, type KeyUsageQuery } from '../../nouns/objects/objects.generated.js';
import { Figures, useMarginStat } from '../../nouns/objects/UsageSummary.js';
import { useObjectRange } from '../../nouns/objects/useObjectRange.js';

/** Maximum keys of the query. A channel with more keys shows the most expensive ones. */
const maxKeys = 40;

type Row = KeyUsageQuery['usage']['items'][number];

const sumOf = (rows: readonly Row[], value: (row: Row) => number): number =>
  rows.reduce((sum, row) => sum + value(row), 0);

/** Figures of the calls that a key of a channel has served, and of its failed attempts. */
export function KeySummary({
  channelId,
  keyCount,
  name,
  failures,
}: {
  readonly channelId: number;
  readonly keyCount: number;
  /** The name of the key in the log. Null: the channel has one key only. */
  readonly name: string | null;
  readonly failures: Stat;
}) {
  const { t } = useTranslation();
  const { money } = useFormat();
  const range = useObjectRange();
  const marginOf = useMarginStat();
  const keys = Math.min(keyCount, maxKeys);
  const { points, ...variables } = range.variables;
  const { data, error, refetch } = useQuery(KeyUsageDocument, {
    variables: { ...variables, channelId, keys, cells: points * keys },
    fetchPolicy: 'cache-and-network',
  });
  if (error && !data) {
    return <LoadFailure title={t('objects.figuresFailed')} error={error} onRetry={() => void refetch()} />;
  }
  const rows = data?.usage.items.filter(({ key }) => key.upstreamKeyName === name);
  const calls = rows && sumOf(rows, ({ metrics }) => metrics.calls);
  const cost = (rows ?? []).flatMap(({ metrics }) => metrics.cost ?? []);
  const stats: Stat[] = [
    {
      label: t('dashboard.calls'),
      value: calls === undefined ? undefined : count(calls),
      ...(calls === undefined ? {} : { full: integer(calls) }),
    },
    failures,
    {
      label: t('objects.charged'),
      value:
        rows &&
        money(
          sumOf(rows, ({ metrics }) => metrics.quota),
          'balance',
        ),
    },
    marginOf(
      calls === undefined
        ? undefined
        : {
            calls,
            cost: {
              marginUsd: cost.reduce((sum, { marginUsd }) => sum + marginUsd, 0),
              knownCalls: cost.reduce((sum, { knownCalls }) => sum + knownCalls, 0),
            },
          },
    ),
  ];
  return (
    <Figures
      range={range}
      stats={stats}
      chart={
        rows && {
          total: calls ?? 0,
          times: rows.map(({ time }) => time ?? 0),
          answered: rows.map(({ metrics }) => metrics.calls),
        }
      }
    />
  );
}
