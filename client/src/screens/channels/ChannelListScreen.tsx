import { skipToken, useApolloClient, useQuery } from '@apollo/client/react';
import HubOutlinedIcon from '@mui/icons-material/HubOutlined';
import { useCallback, useDeferredValue, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate } from 'react-router-dom';
import { EmptyState } from '../../components/EmptyState.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { SelectionBar } from '../../components/grid/SelectionBar.js';
import { useSelectMatching } from '../../components/grid/useSelectMatching.js';
import { useSelection } from '../../components/grid/useSelection.js';
import { useColumnChoice } from '../../components/grid/useColumnChoice.js';
import { lazyPart } from '../../components/lazyPart.js';
import { channelAddress } from '../../nouns/objects/addresses.js';
import { UnpricedNotice } from '../../nouns/prices/UnpricedNotice.js';
import { ListScreen } from '../../components/ListScreen.js';
import { LiveControl } from '../../components/LiveControl.js';
import type { Loss } from '../../nouns/prices/belowCost.js';
import { useMay } from '../../lib/permissions.js';
import { writeText } from '../../lib/storage.js';
import { useFormat } from '../../lib/useFormat.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import { useUrlParams } from '../../lib/useUrlParams.js';
import { BulkActions } from './BulkActions.js';
import { ChannelCard } from './ChannelCard.js';
import { channelColumns } from './channelColumns.js';
import type { ChannelLosses } from './channelCellTools.js';
import {
  byId,
  channelFilterPatterns,
  channelSorts,
  channelVariables,
  isSortedById,
  noChannelFilters,
  sortByIdKey,
} from './channelFilter.js';
import { ChannelFilterBar } from './ChannelFilterBar.js';
import { AddChannel } from './AddChannel.js';
import type { ChannelPanel } from './ChannelPanels.js';
import { isTagRow, type ChannelListRow } from './channelRows.js';
import {
  ChannelChoicesDocument,
  ChannelLossesDocument,
  MatchingChannelsDocument,
  type ChannelRowFragment,
} from './channels.generated.js';
import { healthFields, ShownHealth } from './ShownHealth.js';
import { TagCard } from './TagCard.js';
import { TestRunNotice } from './TestRunNotice.js';
import { useChannelActions } from './useChannelActions.js';
import { useChannelList } from './useChannelList.js';
import { useChannelTypes } from './useChannelTypes.js';
import { upkeepActions, useMaintenance } from './useMaintenance.js';
import { useTagActions } from './useTagActions.js';

const ChannelEditor = lazyPart(async () => (await import('./ChannelEditor.js')).ChannelEditor);
const ChannelPanels = lazyPart(
  async () => (await import('./ChannelPanels.js')).ChannelPanels,
  ({ panel }) => panel !== null,
);

/** Widths below which columns are hidden, so that names stay readable. */
const hiddenBelow = {
  ...Object.fromEntries(healthFields.map((field) => [field, Infinity])),
  failureRate: 1400,
  usedQuota: 1400,
  weight: 1500,
  tag: 1300,
  balance: 1600,
  priority: 1200,
  group: 1100,
};

/** The list of channels. Adding one has a route of its own, which opens the drawer over the list; tag mode is in the URL. */
export function ChannelListScreen() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const [parameters, changeParameters] = useUrlParams();
  const tagMode = parameters.get('tags') === '1';
  const format = useFormat();
  const types = useChannelTypes();
  const [sortById, setSortById] = useState(isSortedById);
  const grid = useServerGrid({
    filters: noChannelFilters,
    patterns: channelFilterPatterns,
    sorts: channelSorts,
    ...(sortById ? { defaultSort: byId } : {}),
  });
  const list = useChannelList(grid, tagMode);
  const { rows, isEmpty, reload, toggleOpen } = list;
  const client = useApolloClient();
  // When the list cannot be read, the choices of its filters usually cannot either.
  const retry = useCallback(() => {
    void client.refetchQueries({ include: [ChannelChoicesDocument] });
    reload();
  }, [client, reload]);
  const { ids: selected, select, drop, clear: clearSelection } = useSelection();
  const [isRunning, setRunning] = useState(false);
  const matching = useSelectMatching({
    document: MatchingChannelsDocument,
    filter: channelVariables(grid).filter,
    idsOf: ({ channels }) => channels.items,
    count: selected.size,
    select,
  });
  const [panel, setPanel] = useState<ChannelPanel | null>(null);
  const closePanel = useCallback(() => setPanel(null), []);

  const actions = useChannelActions(reload, drop);
  const maintenance = useMaintenance(reload, clearSelection);
  const editTag = useCallback((tag: string) => setPanel({ kind: 'tag', tag }), []);
  const tags = useTagActions({ refetch: reload, toggleOpen, edit: editTag });
  const losses = useChannelLosses();
  const writes = useMay('CHANNELS_WRITE');
  const tools = useMemo(
    () => ({
      t,
      format,
      actions,
      tags,
      typeLabel: types.label,
      losses,
      writes,
      openTests: (channel: ChannelRowFragment) => setPanel({ kind: 'tests', channel }),
      fetchModels: (channel: ChannelRowFragment) => setPanel({ kind: 'models', channel }),
      openSessions: (channel: ChannelRowFragment) => setPanel({ kind: 'sessions', channel }),
      setTag: ({ id, tag }: ChannelRowFragment) => setPanel({ kind: 'setTag', ids: [id], tag: tag ?? '' }),
      open: (row: ChannelRowFragment) => void navigate(channelAddress(row.id)),
      edit: (row: ChannelRowFragment) => void navigate(`${channelAddress(row.id)}/settings`),
    }),
    [t, format, actions, tags, types.label, losses, writes, navigate],
  );
  const columns = useMemo(() => channelColumns(tools), [tools]);
  const columnChoice = useColumnChoice('channels-table-columns', columns, hiddenBelow);
  // The rows are marked first. The bar that replaces the filters follows.
  const chosen = [...useDeferredValue(selected)].filter((id) => typeof id === 'number');

  const keepSortById = (on: boolean) => {
    writeText(sortByIdKey, String(on));
    setSortById(on);
  };
  const setTagMode = (on: boolean) => {
    clearSelection();
    changeParameters({ page: null, tags: on ? '1' : null });
  };
  const views = [
    { label: t('channels.tagMode'), checked: tagMode, onSelect: () => setTagMode(!tagMode) },
    { label: t('channels.sortById'), checked: sortById, onSelect: () => keepSortById(!sortById) },
  ];
  const filters =
    chosen.length > 0 ? (
      <SelectionBar
        count={chosen.length}
        // In tag mode, the total counts tags.
        {...(tagMode ? {} : { matching: list.listProps.totalCount })}
        {...matching}
        isRunning={isRunning}
        onClear={clearSelection}
      >
        <BulkActions
          ids={chosen}
          openPanel={setPanel}
          onDone={(kept) => {
            select(kept);
            reload();
          }}
          onRunning={setRunning}
        />
      </SelectionBar>
    ) : (
      <ChannelFilterBar filters={grid.filters} isListShown={rows !== undefined} />
    );

  return (
    <ListScreen
      title={t('shell.channels')}
      live={!isEmpty && <LiveControl {...list.live} onPause={list.live.setPaused} />}
      primary={!isEmpty && writes && <AddChannel search={search} />}
      menu={isEmpty ? [] : [...views, ...(writes ? upkeepActions(maintenance, t) : [])]}
      notice={
        !isEmpty && (
          <>
            <UnpricedNotice />
            <TestRunNotice />
          </>
        )
      }
      filters={!isEmpty && filters}
    >
      <ShownHealth rows={rows} shown={columnChoice.shown}>
        <ListGrid<ChannelListRow>
          label={t('shell.channels')}
          {...list.listProps}
          onRetry={retry}
          columns={columns}
          columnChoice={columnChoice}
          {...(tagMode ? { columnVisibility: { ...columnChoice.visibility, tag: false } } : {})}
          getRowId={(row) => row.id}
          onRowOpen={(row) => {
            if (isTagRow(row)) toggleOpen(row.tagOf);
            else tools.open(row);
          }}
          {...(tagMode || !writes ? {} : { selection: { ids: selected, onChange: select } })}
          renderCard={(row) =>
            isTagRow(row) ? <TagCard row={row} tools={tools} /> : <ChannelCard row={row} tools={tools} />
          }
          empty={
            <EmptyState
              icon={<HubOutlinedIcon />}
              title={t('channels.emptyTitle')}
              text={t('channels.emptyText')}
              action={writes && <AddChannel search={search} />}
            />
          }
        />
      </ShownHealth>
      {panel && (
        <ChannelPanels
          panel={panel}
          rows={rows}
          reload={reload}
          onChanged={(ids, refused) =>
            // A tag of one row is set from its menu, whichever rows are selected.
            select([...selected].filter((id) => !ids.includes(Number(id)) || refused.includes(Number(id))))
          }
          onClose={closePanel}
        />
      )}
      {pathname === '/channel/add' && writes && (
        <ChannelEditor
          id={null}
          {...(isEmpty ? { suggestedName: t('channels.firstName') } : {})}
          onSaved={reload}
          onClosed={() => void navigate(`/channel${search}`)}
        />
      )}
    </ListScreen>
  );
}

/** The models that each channel sells below cost. */
function useChannelLosses(): ChannelLosses {
  const mayCompare = useMay('PRICES', 'CHANNELS_WRITE');
  const { data } = useQuery(ChannelLossesDocument, mayCompare ? { fetchPolicy: 'cache-and-network' } : skipToken);
  return useMemo(() => {
    const losses = new Map<number, Loss[]>();
    for (const loss of data?.salesBelowCost ?? []) {
      const id = loss.channelId ?? 0;
      losses.set(id, [...(losses.get(id) ?? []), loss]);
    }
    return losses;
  }, [data]);
}
