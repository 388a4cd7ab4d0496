import { skipToken, useQuery } from '@apollo/client/react';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { SelectFilter, TextFilter } from '../../components/grid/filterFields.js';
import { TimedFilterBar } from '../../components/grid/TimedFilterBar.js';
import { useFilterDraft } from '../../components/grid/useFilterDraft.js';
import { toast } from '../../components/toast.js';
import { startOfToday } from '../../lib/timeRange.js';
import { useFormat } from '../../lib/useFormat.js';
import type { GridFilters } from '../../lib/useServerGrid.js';
import { typeLabels } from '../../nouns/logs/logTypes.js';
import { costPattern, type LogFilters } from './logFilter.js';
import { LogGroupsDocument, LogMyGroupsDocument } from '../../nouns/logs/logs.generated.js';

/** Its props are the same on every page of the list, so that it is not rendered again with each page. */
export const LogFilterBar = memo(function LogFilterBar({
  filters,
  isAdmin,
  onQuery,
}: {
  readonly filters: GridFilters<LogFilters>;
  readonly isAdmin: boolean;
  readonly onQuery: () => void;
}) {
  const { t } = useTranslation();
  const { isLocal } = useFormat();
  const { draft, typed, chosen, choose, query } = useFilterDraft(filters);
  const all = useQuery(LogGroupsDocument, isAdmin ? { fetchPolicy: 'cache-first' } : skipToken).data?.groups;
  const own = useQuery(LogMyGroupsDocument, isAdmin ? skipToken : { fetchPolicy: 'cache-first' }).data?.myGroups;
  const groups = (isAdmin ? all : own?.map((group) => group.name)) ?? [];
  const types = Object.entries(typeLabels).filter(([type]) => type !== 'UNKNOWN');
  const cost = draft.cost.trim();
  const isCostWrong = cost !== '' && !costPattern.test(cost);
  return (
    <TimedFilterBar
      grid={filters}
      range={draft}
      start={startOfToday()}
      onRange={choose}
      onQuery={() => {
        // The address ignores an invalid text, so the list would be without this filter.
        if (isCostWrong) {
          toast.error(t('logs.costWrong'));
          return;
        }
        query();
        onQuery();
      }}
    >
      <SelectFilter
        label={t('logs.allTypes')}
        all={t('logs.allTypes')}
        {...chosen('type')}
        choices={types.map(([value, label]) => ({ value, label: t(label) }))}
        width={112}
      />
      <TextFilter label={t('logs.tokenName')} {...typed('tokenName')} width={124} />
      <TextFilter label={t('fields.modelName')} {...typed('modelName')} width={132} />
      <SelectFilter
        label={t('fields.group')}
        all={t('fields.allGroups')}
        {...chosen('group')}
        choices={groups.map((name) => ({ value: name, label: name }))}
        width={104}
      />
      <TextFilter label={t('logs.requestIdName')} {...typed('requestId')} width={132} />
      <TextFilter
        label={t(isLocal ? 'logs.costFilterUsd' : 'logs.costFilter')}
        {...typed('cost')}
        wrong={isCostWrong}
        width={132}
      />
      {isAdmin && (
        <>
          <TextFilter digits label={t('fields.channelId')} {...typed('channelId')} width={104} />
          <TextFilter label={t('fields.username')} {...typed('username')} width={112} />
        </>
      )}
    </TimedFilterBar>
  );
});
