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

/** Its props are the same on every page of the list, so that it is not rendered again with each page. */
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
  const groups = namesAsChoices(all ?? own?.map((group) => group.name));
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
          choices: countedTypes.map((value) => {
            const count = facets.countOf(value);
            return { value, label: t(typeLabels[value]), ...(count === undefined ? {} : { count }) };
          }),
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
        { name: 'group', label: t('fields.group'), choices: facets.choicesOf('group') ?? groups },
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
