import { useQuery } from '@apollo/client/react';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { FilterBar } from '../../components/grid/FilterBar.js';
import { namesAsChoices } from '../../components/grid/filterField.js';
import type { GridFilters } from '../../lib/useServerGrid.js';
import { useFailureToast } from '../../components/useFailureToast.js';
import { ChannelChoicesDocument } from './channels.generated.js';
import type { ChannelFilters } from './channelFilter.js';
import { useChannelTypes } from './useChannelTypes.js';

/** The filters of the list. Their props are the same on every page, so that they are not rendered again with each page. */
export const ChannelFilterBar = memo(function ChannelFilterBar({
  filters,
  isListShown,
}: {
  readonly filters: GridFilters<ChannelFilters>;
  /** While the list itself cannot be loaded, its own message is enough. */
  readonly isListShown: boolean;
}) {
  const { t } = useTranslation();
  const { data: choices, error } = useQuery(ChannelChoicesDocument, { fetchPolicy: 'cache-first' });
  useFailureToast(error, isListShown, 'channels.choicesFailed');
  const types = useChannelTypes();
  return (
    <FilterBar
      filters={filters}
      search={{ label: t('channels.search') }}
      fields={[
        {
          name: 'status',
          label: t('fields.status'),
          choices: [
            { value: 'ENABLED', label: t('fields.enabled') },
            { value: 'DISABLED', label: t('fields.disabled') },
            { value: 'AUTO_DISABLED', label: t('channels.autoDisabled') },
          ],
        },
        {
          name: 'test',
          label: t('channels.lastTest'),
          choices: [
            { value: 'FAILED', label: t('channels.testsFailed') },
            { value: 'PASSED', label: t('channels.testsPassed') },
            { value: 'NONE', label: t('channels.notTested') },
          ],
        },
        {
          name: 'model',
          label: t('fields.model'),
          typed: 'text',
          choices: namesAsChoices(choices?.enabledModels),
        },
        { name: 'group', label: t('fields.group'), choices: namesAsChoices(choices?.groups) },
        {
          name: 'type',
          label: t('fields.type'),
          choices: types.list
            .flatMap(({ provider, label }) => (provider ? [{ value: provider, label }] : []))
            .sort((a, b) => a.label.localeCompare(b.label)),
        },
        { name: 'tag', label: t('channels.tag'), typed: 'text', choices: namesAsChoices(choices?.channelTags) },
      ]}
    />
  );
});
