import { useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import FormControlLabel from '@mui/material/FormControlLabel';
import Switch from '@mui/material/Switch';
import AddOutlinedIcon from '@mui/icons-material/AddOutlined';
import HubOutlinedIcon from '@mui/icons-material/HubOutlined';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation, useNavigate, useParams } from 'react-router-dom';
import { EmptyState } from '../../components/EmptyState.js';
import { ColumnSettings } from '../../components/grid/ColumnSettingsDialog.js';
import { FilterBar } from '../../components/grid/FilterBar.js';
import { SelectFilter, TextFilter } from '../../components/grid/filterFields.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { useColumnChoice } from '../../components/grid/useColumnChoice.js';
import { useFilterDraft } from '../../components/grid/useFilterDraft.js';
import { ListScreen } from '../../components/ListScreen.js';
import { readText, writeText } from '../../lib/storage.js';
import { useFormat } from '../../lib/useFormat.js';
import { useServerGrid, type GridSort } from '../../lib/useServerGrid.js';
import { ChannelCard } from './ChannelCard.js';
import { channelColumns } from './channelColumns.js';
import { ChannelEditor } from './ChannelEditor.js';
import { ChannelChoicesDocument, ChannelsDocument, type ChannelRowFragment } from './channels.generated.js';
import { ChannelTestDialog } from './ChannelTestDialog.js';
import { useChannelActions } from './useChannelActions.js';
import { useChannelTypes } from './useChannelTypes.js';

const sortByIdKey = 'id-sort';
const byId: GridSort = { field: 'id', direction: 'DESC' };

/** Add and edit are addresses of their own that open the list with the drawer. */
export function ChannelListScreen() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const { id: editedId } = useParams();
  const format = useFormat();
  const types = useChannelTypes();
  const [sortById, setSortById] = useState(() => readText(sortByIdKey) === 'true');
  const grid = useServerGrid({
    filters: { keyword: '', model: '', group: '' },
    ...(sortById ? { defaultSort: byId } : {}),
  });
  const { draft, edit, choose, query } = useFilterDraft(grid);
  const [tested, setTested] = useState<ChannelRowFragment | null>(null);

  const choices = useQuery(ChannelChoicesDocument, { fetchPolicy: 'cache-first' }).data;
  const { keyword, model, group } = grid.filter;
  const { data, previousData, loading, error, refetch } = useQuery(ChannelsDocument, {
    variables: {
      ...grid.pageVariables,
      filter: { keyword: keyword || null, model: model || null, group: group || null },
    },
  });
  const page = (data ?? previousData)?.channels;
  const reload = useMemo(() => () => void refetch(), [refetch]);
  const actions = useChannelActions(reload);

  const tools = useMemo(
    () => ({
      t,
      format,
      actions,
      typeLabel: types.label,
      search,
      openTests: setTested,
      edit: (row: ChannelRowFragment) => void navigate(`/channel/edit/${String(row.id)}${search}`),
    }),
    [t, format, actions, types.label, search, navigate],
  );
  const columns = useMemo(() => channelColumns(tools), [tools]);
  const columnChoice = useColumnChoice('channels-table-columns', columns);
  const add = (
    <Button variant="contained" component={Link} to={`/channel/add${search}`} startIcon={<AddOutlinedIcon />}>
      {t('channels.add')}
    </Button>
  );
  const isEmpty = page?.totalCount === 0 && !grid.isFiltered;
  const editing = pathname === '/channel/add' || editedId !== undefined;

  return (
    <ListScreen
      title={t('channels.title')}
      actions={!isEmpty && add}
      filters={
        !isEmpty && (
          <FilterBar
            isFiltered={grid.isFiltered}
            activeCount={[model, group].filter(Boolean).length}
            onQuery={query}
            onReset={grid.resetFilter}
            main={
              <TextFilter
                search
                label={t('channels.search')}
                value={draft.keyword}
                onChange={(value) => {
                  edit({ keyword: value });
                }}
                width={232}
              />
            }
            more={
              <>
                <SelectFilter
                  label={t('channels.model')}
                  all={t('channels.allModels')}
                  value={draft.model}
                  onChange={(value) => {
                    choose({ model: value });
                  }}
                  choices={(choices?.enabledModels ?? []).map((name) => ({ value: name, label: name }))}
                  width={168}
                />
                <SelectFilter
                  label={t('channels.group')}
                  all={t('channels.allGroups')}
                  value={draft.group}
                  onChange={(value) => {
                    choose({ group: value });
                  }}
                  choices={(choices?.groups ?? []).map((name) => ({ value: name, label: name }))}
                  width={120}
                />
              </>
            }
            end={
              <>
                <FormControlLabel
                  control={
                    <Switch
                      checked={sortById}
                      onChange={(_, checked) => {
                        writeText(sortByIdKey, String(checked));
                        setSortById(checked);
                      }}
                      sx={{ mr: 1 }}
                    />
                  }
                  label={t('channels.sortById')}
                  slotProps={{ typography: { variant: 'body2' } }}
                  sx={{ m: 0, mr: 1 }}
                />
                <ColumnSettings choice={columnChoice} />
              </>
            }
          />
        )
      }
    >
      <ListGrid
        label={t('channels.title')}
        grid={grid}
        columns={columns}
        columnVisibility={columnChoice.visibility}
        rows={page?.items}
        totalCount={page?.totalCount ?? 0}
        loading={loading}
        error={error}
        onRetry={reload}
        getRowId={(row) => row.id}
        onRowOpen={tools.edit}
        renderCard={(row) => <ChannelCard row={row} tools={tools} />}
        empty={
          <EmptyState
            icon={<HubOutlinedIcon />}
            title={t('channels.emptyTitle')}
            text={t('channels.emptyText')}
            action={add}
          />
        }
      />
      {tested && (
        <ChannelTestDialog
          channel={tested}
          onClose={() => {
            setTested(null);
            reload();
          }}
        />
      )}
      {editing && (
        <Box key={editedId ?? 'new'}>
          <ChannelEditor
            id={editedId === undefined ? null : Number(editedId)}
            onSaved={reload}
            onClosed={() => void navigate(`/channel${search}`)}
          />
        </Box>
      )}
    </ListScreen>
  );
}
