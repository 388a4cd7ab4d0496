import { skipToken, useQuery } from '@apollo/client/react';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { FilterBar } from '../../components/grid/FilterBar.js';
import { namesAsChoices, type FilterField } from '../../components/grid/filterField.js';
import { useFormat } from '../../lib/useFormat.js';
import type { GridFilters } from '../../lib/useServerGrid.js';
import { LogGroupsDocument, LogMyGroupsDocument } from '../../nouns/logs/logs.generated.js';
import { typeLabels } from '../../nouns/logs/logTypes.js';
import { costPattern, type LogFilters } from './logFilter.js';
import { countedTypes, useLogFacets } from './useLogFacets.js';

/** The filters of the list. Their props are the same on every page, so that they are not rendered again with each page. */
export const LogFilterBar = memo(function LogFilterBar({
  filters,
  isAdmin,
}: {
  readonly filters: GridFilters<LogFilters>;
  readonly isAdmin: boolean;
}) {
  const { t } = useTranslation();
  const { isLocal } = useFormat();
  const facets = useLogFacets(filters.filter, isAdmin);
  const all = useQuery(LogGroupsDocument, isAdmin ? { fetchPolicy: 'cache-first' } : skipToken).data?.groups;
  const own = useQuery(LogMyGroupsDocument, isAdmin ? skipToken : { fetchPolicy: 'cache-first' }).data?.myGroups;
  const counted = facets.choicesOf('group') ?? [];
  // A group may have rows that are no usage, which are not counted.
  const uncounted = (all ?? own?.map(({ name }) => name) ?? []).filter(
    (name) => !counted.some(({ value }) => value === name),
  );
  const named = (name: 'modelName' | 'username' | 'tokenName', label: string): FilterField => ({
    name,
    label,
    typed: 'text',
    choices: facets.choicesOf(name),
    isLoading: facets.isLoading,
  });
  return (
    <FilterBar
      filters={filters}
      onOpen={facets.open}
      fields={[
        {
          name: 'type',
          label: t('fields.type'),
          choices: countedTypes.map((value) => ({ value, label: t(typeLabels[value]), ...facets.countOf(value) })),
        },
        named('modelName', t('fields.modelName')),
        ...(isAdmin ? [named('username', t('fields.username'))] : []),
        named('tokenName', t('logs.tokenName')),
        ...(isAdmin
          ? [
              {
                name: 'channelId',
                label: t('fields.channelId'),
                typed: 'digits' as const,
                choices: facets.choicesOf('channelId'),
                isLoading: facets.isLoading,
              },
            ]
          : []),
        { name: 'group', label: t('fields.group'), choices: [...counted, ...namesAsChoices(uncounted)] },
        {
          name: 'cost',
          label: t('logs.cost'),
          placeholder: t(isLocal ? 'logs.costFilterUsd' : 'logs.costFilter'),
          typed: 'text',
          problemOf: (text) => (costPattern.test(text) ? undefined : t('logs.costWrong')),
        },
        { name: 'requestId', label: t('logs.requestIdName'), typed: 'text' },
      ]}
    />
  );
});
