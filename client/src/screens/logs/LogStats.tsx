import { skipToken, useQuery } from '@apollo/client/react';
import { useTranslation } from 'react-i18next';
import { StatBadges, type Stat } from '../../components/StatBadges.js';
import { count, integer } from '../../lib/format.js';
import { useFormat } from '../../lib/useFormat.js';
import { useLastAnswer } from '../../lib/useLastAnswer.js';
import { LogStatDocument, MyLogStatDocument, type LogFilter } from '../../nouns/logs/logs.generated.js';

const noCharges = { quota: 0, promptTokens: 0, completionTokens: 0 };

/** Totals of the filtered rows, and the rates of the last minute. */
export function LogStats({
  filter,
  question,
  isAdmin,
}: {
  readonly filter: LogFilter;
  /** The filter as chosen, without the moment of the last refresh. */
  readonly question: string;
  readonly isAdmin: boolean;
}) {
  const { t } = useTranslation();
  const { money } = useFormat();
  const all = useQuery(LogStatDocument, isAdmin ? { variables: { filter }, fetchPolicy: 'no-cache' } : skipToken);
  const own = useQuery(MyLogStatDocument, isAdmin ? skipToken : { variables: { filter }, fetchPolicy: 'no-cache' });
  const error = isAdmin ? all.error : own.error;
  const page = useLastAnswer(isAdmin ? all.data?.logs : own.data?.myLogs, error, question);
  const failed = error !== undefined && page === undefined;
  // Totals cover charged calls only: a list without calls has no totals.
  const hasCalls = filter.types?.includes('CONSUME') ?? true;
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
