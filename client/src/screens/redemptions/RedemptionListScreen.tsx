import Button from '@mui/material/Button';
import AddOutlinedIcon from '@mui/icons-material/AddOutlined';
import ConfirmationNumberOutlinedIcon from '@mui/icons-material/ConfirmationNumberOutlined';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/EmptyState.js';
import { RowCard } from '../../components/grid/CardList.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { SelectionBar } from '../../components/grid/SelectionBar.js';
import { FilterBar } from '../../components/grid/FilterBar.js';
import { useSelection } from '../../components/grid/useSelection.js';
import { useListPage } from '../../components/grid/useListPage.js';
import { byRowId, useOpenedRow } from '../../components/grid/useOpenedRow.js';
import { ListScreen } from '../../components/ListScreen.js';
import { Num } from '../../components/Text.js';
import { useExportActions } from '../../components/useExportActions.js';
import { maskKey } from '../../lib/format.js';
import { listVariablesOf, type SortOf } from '../../lib/gridState.js';
import { useMay } from '../../lib/permissions.js';
import { useFormat } from '../../lib/useFormat.js';
import { useRowParam } from '../../lib/useRowParam.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import { DeleteByNameDialog } from './DeleteByNameDialog.js';
import { NewCodesDialog } from './NewCodesDialog.js';
import { CardUse, isSpent, RedemptionActions, RedemptionStatusChip, redemptionColumns } from './redemptionColumns.js';
import { RedemptionBulkActions } from './RedemptionBulkActions.js';
import { RedemptionEditor } from './RedemptionEditor.js';
import {
  RedemptionsDocument,
  type RedemptionRowFragment,
  type RedemptionSortField,
  type RedemptionStatus,
} from './redemptions.generated.js';
import { useRedemptionActions } from './useRedemptionActions.js';

const sorts = ['id', 'batch', 'status', 'quota', 'createdAt'] satisfies SortOf<RedemptionSortField>[];

/** Statuses of the REST API, for the export. */
const statusNumbers: Record<RedemptionStatus, string> = { UNUSED: '1', DISABLED: '2', USED: '3' };

/** The list of redemption codes. */
export function RedemptionListScreen() {
  const { t } = useTranslation();
  const format = useFormat();
  const grid = useServerGrid({
    filters: { keyword: '', status: '' },
    patterns: { status: /^(UNUSED|USED|DISABLED)$/ },
    sorts,
  });
  const [opened, setOpened] = useRowParam('row');
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [byName, setByName] = useState(false);
  const readsUsers = useMay('USERS_READ');
  const { ids: selected, select: selectRows, drop } = useSelection();
  /** Whether all codes that match the filters are selected, also those of other pages. */
  const [isAll, setAll] = useState(false);
  const select = useCallback(
    (ids: Iterable<string | number>) => {
      setAll(false);
      selectRows(ids);
    },
    [selectRows],
  );
  const clear = useCallback(() => select([]), [select]);
  const [isRunning, setRunning] = useState(false);
  const filter = {
    keyword: grid.filter.keyword || null,
    statuses: grid.filter.status ? [grid.filter.status as RedemptionStatus] : null,
  };
  const { rows, reload, isEmpty, listProps } = useListPage(
    grid,
    RedemptionsDocument,
    {
      ...listVariablesOf<RedemptionSortField>(grid),
      readsUsers,
      filter,
    },
    ({ redemptions }) => redemptions,
  );
  const count = isAll ? listProps.totalCount : selected.size;
  const edit = useCallback((row: RedemptionRowFragment) => setOpened(String(row.id)), [setOpened]);
  const actions = useRedemptionActions({ refetch: reload, onRemoved: drop, onManyRemoved: clear, edit });
  const columns = useMemo(() => redemptionColumns({ t, format, actions }), [t, format, actions]);
  const variablesOfRow = (id: string) => {
    const found = byRowId(id);
    return found && { ...found, readsUsers };
  };
  const editedRow = useOpenedRow(rows, opened, RedemptionsDocument, variablesOfRow, ({ redemptions }) => redemptions);

  const add = (
    <Button variant="contained" startIcon={<AddOutlinedIcon />} onClick={() => setOpened('new')}>
      {t('redemptions.create')}
    </Button>
  );
  const exports = useExportActions({
    path: '/api/redemption/export',
    parameters: () => ({
      keyword: grid.filter.keyword,
      status: grid.filter.status && statusNumbers[grid.filter.status as RedemptionStatus],
    }),
    name: 'codes',
  });
  const maintenance = [
    {
      label: t('redemptions.deleteByName'),
      onSelect: () => setByName(true),
      destructive: true,
    },
    { label: t('redemptions.deleteDisabled'), onSelect: () => void actions.removeDisabled(), destructive: true },
  ];
  return (
    <ListScreen
      title={t('shell.redemptions')}
      primary={!isEmpty && add}
      menu={isEmpty ? [] : [...exports, ...maintenance]}
      filters={
        isEmpty ? null : selected.size > 0 ? (
          <SelectionBar
            count={count}
            matching={listProps.totalCount}
            onSelectMatching={() => setAll(true)}
            isRunning={isRunning}
            onClear={clear}
          >
            <RedemptionBulkActions
              ids={[...selected].map(Number)}
              matching={isAll ? filter : null}
              count={count}
              onDone={(kept) => {
                select(kept);
                reload();
              }}
              onRunning={setRunning}
            />
          </SelectionBar>
        ) : (
          <FilterBar
            filters={grid.filters}
            search={{ label: t('redemptions.search') }}
            fields={[
              {
                name: 'status',
                label: t('fields.status'),
                choices: [
                  { value: 'UNUSED', label: t('redemptions.unused') },
                  { value: 'USED', label: t('redemptions.used') },
                  { value: 'DISABLED', label: t('fields.disabled') },
                ],
              },
            ]}
          />
        )
      }
    >
      <ListGrid
        label={t('shell.redemptions')}
        columnsKey="redemptions-table-columns"
        columns={columns}
        {...listProps}
        getRowId={(row) => row.id}
        onRowOpen={edit}
        isRowDimmed={isSpent}
        selection={{ ids: selected, onChange: select }}
        renderCard={(row) => (
          <RowCard
            title={row.batch}
            value={<Num>{format.money(row.quota, 'balance')}</Num>}
            meta={`#${row.id} · ${maskKey(row.key)}`}
            metaEnd={<CardUse row={row} />}
            chips={<RedemptionStatusChip row={row} />}
            end={<RedemptionActions row={row} actions={actions} />}
          />
        )}
        empty={
          <EmptyState
            icon={<ConfirmationNumberOutlinedIcon />}
            title={t('redemptions.emptyTitle')}
            text={t('redemptions.emptyText')}
            action={add}
          />
        }
      />
      {(opened === 'new' || editedRow) && (
        <RedemptionEditor
          key={opened}
          row={editedRow ?? null}
          onSaved={reload}
          onCreated={setCodes}
          onClosed={() => setOpened(null)}
        />
      )}
      {codes && <NewCodesDialog codes={codes} onClose={() => setCodes(null)} />}
      {byName && (
        <DeleteByNameDialog
          onDone={() => {
            clear();
            reload();
          }}
          onClose={() => setByName(false)}
        />
      )}
    </ListScreen>
  );
}
