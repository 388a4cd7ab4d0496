import { skipToken, useQuery } from '@apollo/client/react';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { StatBadges, type Stat } from '../../components/StatBadges.js';
import { count, integer } from '../../lib/format.js';
import { useFormat } from '../../lib/useFormat.js';
import { useLastAnswer } from '../../lib/useLastAnswer.js';
import { LogStatDocument, MyLogStatDocument, type LogFilter } from '../../nouns/logs/logs.generated.js';

const noCharges = { quota: 0, promptTokens: 0, completionTokens: 0 };

/**
 * Reads the totals of the filtered rows, and the rates of the last minute.
 * @param question the filter as chosen
 */
export function useLogStats(filter: LogFilter, question: string, isAdmin: boolean) {
  const all = useQuery(LogStatDocument, isAdmin ? { variables: { filter }, fetchPolicy: 'no-cache' } : skipToken);
  const own = useQuery(MyLogStatDocument, isAdmin ? skipToken : { variables: { filter }, fetchPolicy: 'no-cache' });
  const { error, refetch } = isAdmin ? all : own;
  const page = useLastAnswer(isAdmin ? all.data?.logs : own.data?.myLogs, error, question);
  const reload = useCallback(() => void refetch(), [refetch]);
  // Totals cover charged calls only: a list without calls has no totals.
  const hasCalls = filter.types?.includes('CONSUME') ?? true;
  return { page, failed: error !== undefined && page === undefined, hasCalls, reload };
}

/** Shows the totals of a list of calls. */
export function LogStats({ stats: { page, failed, hasCalls } }: { readonly stats: ReturnType<typeof useLogStats> }) {
  const { t } = useTranslation();
  const { money } = useFormat();
  const stat = page && (hasCalls ? page.sums : noCharges);
  const cell = (label: string, value: number | undefined): Stat => ({
    label,
    value: value === undefined ? (failed ? '–' : undefined) : count(value),
    ...(value !== undefined && value >= 10_000 ? { full: integer(value) } : {}),
  });
  return (
    <StatBadges
      label={t('logs.stats')}
      stats={[
        {
          label: t('logs.consumed'),
          value: stat ? money(stat.quota, 'balance') : failed ? '–' : undefined,
          note: t('logs.thisRange'),
          ...(stat ? { full: money(stat.quota, 'charge') } : {}),
        },
        cell(t('logs.totalTokens'), stat && stat.promptTokens + stat.completionTokens),
        cell(t('logs.inputTokens'), stat?.promptTokens),
        cell(t('logs.outputTokens'), stat?.completionTokens),
        cell('RPM', page?.lastMinute.calls),
        cell('TPM', page?.lastMinute.tokens),
      ]}
    />
  );
}
