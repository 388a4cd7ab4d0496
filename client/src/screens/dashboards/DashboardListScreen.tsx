import Button from '@mui/material/Button';
import MuiLink from '@mui/material/Link';
import AddOutlinedIcon from '@mui/icons-material/AddOutlined';
import SpaceDashboardOutlinedIcon from '@mui/icons-material/SpaceDashboardOutlined';
import type { GridColDef } from '@mui/x-data-grid';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router-dom';
import { EmptyState } from '../../components/EmptyState.js';
import { RowCard } from '../../components/grid/CardList.js';
import { FilterBar } from '../../components/grid/FilterBar.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { column, rightColumn } from '../../components/grid/columns.js';
import { useListPage } from '../../components/grid/useListPage.js';
import { ListScreen } from '../../components/ListScreen.js';
import { RowMenu } from '../../components/RowMenu.js';
import { Dash, Ellipsis, Num } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { dateTime } from '../../lib/format.js';
import { listVariablesOf, type SortOf } from '../../lib/gridState.js';
import { useMay } from '../../lib/permissions.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import { dashboardName } from '../../nouns/dashboards/builtInTexts.js';
import { useDashboardActions } from '../../nouns/dashboards/useDashboardActions.js';
import {
  DashboardsDocument,
  type DashboardRowFragment,
  type DashboardsQuery,
  type DashboardSortField,
} from './dashboardList.generated.js';

type Row = NonNullable<DashboardsQuery['dashboards']>['items'][number];

const sorts = ['name', 'updatedAt'] satisfies SortOf<DashboardSortField>[];

/** The list of saved dashboards: the user's own and those that others share. */
export function DashboardListScreen() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const grid = useServerGrid({
    filters: { of: '' },
    patterns: { of: /^(mine|others)$/ },
    sorts,
  });
  const readsUsers = useMay('USERS_READ');
  const { reload, isEmpty, listProps } = useListPage(
    grid,
    DashboardsDocument,
    {
      ...listVariablesOf<DashboardSortField>(grid),
      readsUsers,
      filter: { isMine: grid.filter.of === '' ? null : grid.filter.of === 'mine' },
    },
    ({ dashboards }) => dashboards,
    { fetchPolicy: 'network-only' },
  );
  const { remove, save } = useDashboardActions();
  const columns = useMemo((): GridColDef<Row>[] => {
    const actionsOf = (row: DashboardRowFragment) => (
      <RowMenu
        label={t('dashboard.moreOf', { name: dashboardName(row, t) })}
        actions={[
          ...(row.mayChange
            ? [{ label: t('actions.edit'), onSelect: () => void navigate(`/dashboards/${row.id}/edit`) }]
            : []),
          { label: t('dashboards.copy'), onSelect: () => void navigate(`/dashboards/add?copy=${row.id}`) },
          { label: t('dashboards.grafana'), onSelect: () => void save(row) },
          ...(row.mayChange
            ? [{ label: t('actions.delete'), destructive: true, onSelect: () => void remove(row, reload) }]
            : []),
        ]}
      />
    );
    return [
      column('name', t('fields.name'), { flex: 1, minWidth: 180 }, (row) => (
        <MuiLink component={Link} to={`/dashboards/${row.id}`} className="ellipsis">
          {dashboardName(row, t)}
        </MuiLink>
      )),
      column('visibility', t('dashboards.visibility'), 128, (row) => <VisibilityChip row={row} />),
      column('owner', t('dashboards.owner'), 160, (row) => {
        const owner = ownerOf(row);
        return owner ? <Ellipsis title={owner}>{owner}</Ellipsis> : <Dash />;
      }),
      rightColumn('panels', t('dashboards.panels'), 88, (row) => <Num>{row.panels.length}</Num>),
      column('updatedAt', t('dashboards.updated'), 148, (row) => <Num>{dateTime(row.updatedAt)}</Num>),
      rightColumn('actions', '', 56, (row) => actionsOf(row)),
    ];
  }, [t, navigate, remove, save, reload]);
  const add = (
    <Button variant="contained" component={Link} to="/dashboards/add" startIcon={<AddOutlinedIcon />}>
      {t('dashboards.add')}
    </Button>
  );
  return (
    <ListScreen
      title={t('shell.savedDashboards')}
      primary={!isEmpty && add}
      menu={[{ label: t('dashboards.explorer'), onSelect: () => void navigate('/graphql/explorer') }]}
      filters={
        isEmpty ? null : (
          <FilterBar
            filters={grid.filters}
            fields={[
              {
                name: 'of',
                label: t('dashboards.whose'),
                choices: [
                  { value: 'mine', label: t('dashboards.mine') },
                  { value: 'others', label: t('dashboards.ofOthers') },
                ],
              },
            ]}
          />
        )
      }
    >
      <ListGrid
        label={t('shell.savedDashboards')}
        columnsKey="dashboards-table-columns"
        columns={columns}
        {...listProps}
        getRowId={(row) => row.id}
        onRowOpen={(row) => void navigate(`/dashboards/${row.id}`)}
        renderCard={(row) => (
          <RowCard
            title={dashboardName(row, t)}
            meta={[ownerOf(row), dateTime(row.updatedAt)].filter(Boolean).join(' · ')}
            chips={<VisibilityChip row={row} />}
          />
        )}
        empty={
          <EmptyState
            icon={<SpaceDashboardOutlinedIcon />}
            title={t('dashboards.emptyTitle')}
            text={t('dashboards.emptyText')}
            action={add}
          />
        }
      />
    </ListScreen>
  );
}

const ownerOf = (row: Row): string | undefined => row.owner?.username;

function VisibilityChip({ row: { builtIn, visibility } }: { readonly row: DashboardRowFragment }) {
  const { t } = useTranslation();
  if (builtIn != null) return <ToneChip tone="outline">{t('dashboards.isBuiltIn')}</ToneChip>;
  return visibility === 'SHARED' ? (
    <ToneChip tone="blue">{t('dashboards.shared')}</ToneChip>
  ) : (
    <ToneChip tone="grey">{t('dashboards.private')}</ToneChip>
  );
}
