import { useQuery } from '@apollo/client/react';
import FormControlLabel from '@mui/material/FormControlLabel';
import Switch from '@mui/material/Switch';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { ColumnSettings } from '../../components/grid/ColumnSettings.js';
import { FilterBar } from '../../components/grid/FilterBar.js';
import { ComboFilter } from '../../components/grid/ComboFilter.js';
import { SelectFilter, StatusFilter, TextFilter } from '../../components/grid/filterFields.js';
import type { ColumnChoice } from '../../components/grid/useColumnChoice.js';
import { useFilterDraft } from '../../components/grid/useFilterDraft.js';
import type { GridFilters } from '../../lib/useServerGrid.js';
import { useFailureToast } from '../../components/useFailureToast.js';
import { ChannelChoicesDocument } from './channels.generated.js';
import type { ChannelFilters } from './channelFilter.js';
import { useChannelTypes } from './useChannelTypes.js';

/** Its props are the same on every page of the list, so that it is not rendered again with each page. */
export const ChannelFilterBar = memo(function ChannelFilterBar({
  filters,
  columnChoice,
  sortById,
  onSortById,
  tagMode,
  onTagMode,
}: {
  readonly filters: GridFilters<ChannelFilters>;
  readonly columnChoice: ColumnChoice;
  readonly sortById: boolean;
  readonly onSortById: (on: boolean) => void;
  readonly tagMode: boolean;
  readonly onTagMode: (on: boolean) => void;
}) {
  const { t } = useTranslation();
  const { typed, chosen, query } = useFilterDraft(filters);
  const { data: choices, error } = useQuery(ChannelChoicesDocument, { fetchPolicy: 'cache-first' });
  useFailureToast(error, true, 'channels.choicesFailed');
  const types = useChannelTypes();
  const toChoice = (name: string) => ({ value: name, label: name });
  return (
    <FilterBar
      isFiltered={filters.isFiltered}
      activeCount={Object.entries(filters.filter).filter(([name, value]) => name !== 'keyword' && value !== '').length}
      onQuery={query}
      onReset={filters.resetFilter}
      main={<TextFilter search label={t('channels.search')} {...typed('keyword')} width={232} />}
      more={
        <>
          <StatusFilter
            {...chosen('status')}
            choices={[
              { value: 'ENABLED', label: t('fields.enabled') },
              { value: 'DISABLED', label: t('fields.disabled') },
              { value: 'AUTO_DISABLED', label: t('channels.autoDisabled') },
            ]}
            width={128}
          />
          <SelectFilter
            label={t('channels.lastTest')}
            all={t('channels.allTests')}
            {...chosen('test')}
            choices={[
              { value: 'FAILED', label: t('channels.testsFailed') },
              { value: 'PASSED', label: t('channels.testsPassed') },
              { value: 'NONE', label: t('channels.notTested') },
            ]}
            width={128}
          />
          <ComboFilter
            label={t('fields.model')}
            {...chosen('model')}
            choices={choices?.enabledModels ?? []}
            width={168}
          />
          <SelectFilter
            label={t('fields.group')}
            all={t('fields.allGroups')}
            {...chosen('group')}
            choices={(choices?.groups ?? []).map(toChoice)}
            width={120}
          />
          <SelectFilter
            label={t('fields.type')}
            all={t('channels.allProviders')}
            {...chosen('type')}
            choices={types.list
              .flatMap(({ provider, label }) => (provider ? [{ value: provider, label }] : []))
              .sort((a, b) => a.label.localeCompare(b.label))}
            width={128}
          />
          <ComboFilter label={t('channels.tag')} {...chosen('tag')} choices={choices?.channelTags ?? []} width={128} />
        </>
      }
      views={
        <>
          <ViewSwitchField label={t('channels.sortById')} checked={sortById} onChange={onSortById} />
          <ViewSwitchField label={t('channels.tagMode')} checked={tagMode} onChange={onTagMode} />
        </>
      }
      end={<ColumnSettings choice={columnChoice} />}
    />
  );
});

function ViewSwitchField({
  label,
  checked,
  onChange,
}: {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}) {
  return (
    <FormControlLabel
      control={<Switch checked={checked} onChange={(_, next) => onChange(next)} sx={{ mr: 1 }} />}
      label={label}
      slotProps={{ typography: { variant: 'body2', noWrap: true } }}
      sx={{ m: 0, mr: 1 }}
    />
  );
}
