import { useQuery } from '@apollo/client/react';
import FormControlLabel from '@mui/material/FormControlLabel';
import Switch from '@mui/material/Switch';
import { useTranslation } from 'react-i18next';
import { ColumnSettings } from '../../components/grid/ColumnSettings.js';
import { FilterBar } from '../../components/grid/FilterBar.js';
import { SelectFilter, TextFilter } from '../../components/grid/filterFields.js';
import type { ColumnChoice } from '../../components/grid/useColumnChoice.js';
import { useFilterDraft } from '../../components/grid/useFilterDraft.js';
import type { ServerGrid } from '../../lib/useServerGrid.js';
import { ChannelChoicesDocument } from './channels.generated.js';
import type { ChannelFilters } from './channelFilter.js';

interface ViewSwitch {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function ChannelFilterBar({
  grid,
  columnChoice,
  sortById,
  tagMode,
}: {
  readonly grid: ServerGrid<ChannelFilters>;
  readonly columnChoice: ColumnChoice;
  readonly sortById: ViewSwitch;
  readonly tagMode: ViewSwitch;
}) {
  const { t } = useTranslation();
  const { typed, chosen, query } = useFilterDraft(grid);
  const choices = useQuery(ChannelChoicesDocument, { fetchPolicy: 'cache-first' }).data;
  const toChoice = (name: string) => ({ value: name, label: name });
  return (
    <FilterBar
      isFiltered={grid.isFiltered}
      activeCount={[grid.filter.model, grid.filter.group].filter(Boolean).length}
      onQuery={query}
      onReset={grid.resetFilter}
      main={<TextFilter search label={t('channels.search')} {...typed('keyword')} width={232} />}
      more={
        <>
          <SelectFilter
            label={t('fields.model')}
            all={t('channels.allModels')}
            {...chosen('model')}
            choices={(choices?.enabledModels ?? []).map(toChoice)}
            width={168}
          />
          <SelectFilter
            label={t('fields.group')}
            all={t('fields.allGroups')}
            {...chosen('group')}
            choices={(choices?.groups ?? []).map(toChoice)}
            width={120}
          />
        </>
      }
      views={
        <>
          <ViewSwitchField label={t('channels.sortById')} {...sortById} />
          <ViewSwitchField label={t('channels.tagMode')} {...tagMode} />
        </>
      }
      end={<ColumnSettings choice={columnChoice} />}
    />
  );
}

function ViewSwitchField({ label, checked, onChange }: ViewSwitch & { readonly label: string }) {
  return (
    <FormControlLabel
      control={<Switch checked={checked} onChange={(_, next) => onChange(next)} sx={{ mr: 1 }} />}
      label={label}
      slotProps={{ typography: { variant: 'body2', noWrap: true } }}
      sx={{ m: 0, mr: 1 }}
    />
  );
}
