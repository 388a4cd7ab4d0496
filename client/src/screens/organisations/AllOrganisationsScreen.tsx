import MuiLink from '@mui/material/Link';
import CorporateFareOutlinedIcon from '@mui/icons-material/CorporateFareOutlined';
import type { GridColDef } from '@mui/x-data-grid';
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { EmptyState } from '../../components/EmptyState.js';
import { RowCard } from '../../components/grid/CardList.js';
import { FilterBar } from '../../components/grid/FilterBar.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { column } from '../../components/grid/columns.js';
import { useListPage } from '../../components/grid/useListPage.js';
import { ListScreen } from '../../components/ListScreen.js';
import { Num } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { dateTime, integer } from '../../lib/format.js';
import { listVariablesOf, type SortOf } from '../../lib/gridState.js';
import { useFormat } from '../../lib/useFormat.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import { groupTone } from '../../nouns/groups/groupTone.js';
import { organisationAddress } from './addresses.js';
import {
  AllOrganisationsDocument,
  type OrganisationRowFragment,
  type OrganisationSortField,
} from './organisations.generated.js';

const sorts = ['name', 'quota', 'usedQuota', 'createdAt'] satisfies SortOf<OrganisationSortField>[];

type Money = ReturnType<typeof useFormat>['money'];

const columnsOf = (t: TFunction, money: Money): GridColDef<OrganisationRowFragment>[] => [
  column('name', t('fields.name'), { flex: 1, minWidth: 180 }, (row) => <Name row={row} />),
  column('status', t('organisations.status'), 110, (row) => <Status row={row} />),
  column('group', t('fields.group'), 120, (row) => <ToneChip tone={groupTone(row.group)}>{row.group}</ToneChip>),
  column('memberCount', t('organisations.membersTab'), 100, (row) => <Num>{integer(row.memberCount)}</Num>),
  column('quota', t('organisations.balance'), 140, (row) => <Num>{money(row.balance?.quota ?? 0, 'balance')}</Num>),
  column('usedQuota', t('organisations.charged'), 140, (row) => (
    <Num>{money(row.balance?.usedQuota ?? 0, 'balance')}</Num>
  )),
  column('createdAt', t('fields.createdAt'), 150, (row) => <Num>{dateTime(row.createdAt)}</Num>),
];

function Name({ row }: { readonly row: OrganisationRowFragment }) {
  return (
    <MuiLink
      component={Link}
      to={organisationAddress(row.id)}
      color="textPrimary"
      underline="hover"
      sx={{ fontWeight: 500 }}
    >
      {row.name}
    </MuiLink>
  );
}

function Status({ row }: { readonly row: OrganisationRowFragment }) {
  const { t } = useTranslation();
  return row.status === 'ENABLED' ? (
    <ToneChip tone="green" dot>
      {t('fields.enabled')}
    </ToneChip>
  ) : (
    <ToneChip tone="red" dot>
      {t('fields.disabled')}
    </ToneChip>
  );
}

/** All organisations of the site, for admins of users. */
export function AllOrganisationsScreen() {
  const { t } = useTranslation();
  const { money } = useFormat();
  const grid = useServerGrid({ filters: { keyword: '' }, sorts });
  const filter = { keyword: grid.filter.keyword || null };
  const { listProps, isEmpty } = useListPage(
    grid,
    AllOrganisationsDocument,
    { ...listVariablesOf<OrganisationSortField>(grid), filter },
    ({ organisations }) => organisations,
  );
  const columns = useMemo(() => columnsOf(t, money), [t, money]);
  return (
    <ListScreen
      title={t('organisations.adminTitle')}
      filters={!isEmpty && <FilterBar filters={grid.filters} search={{ label: t('fields.name') }} fields={[]} />}
    >
      <ListGrid
        label={t('organisations.adminTitle')}
        columnsKey="organisations-table-columns"
        columns={columns}
        {...listProps}
        getRowId={(row) => row.id}
        renderCard={(row) => (
          <RowCard
            title={<Name row={row} />}
            value={<Num>{money(row.balance?.quota ?? 0, 'balance')}</Num>}
            meta={t('organisations.members', { count: row.memberCount })}
            chips={<Status row={row} />}
          />
        )}
        empty={<EmptyState icon={<CorporateFareOutlinedIcon />} title={t('organisations.emptyTitle')} />}
      />
    </ListScreen>
  );
}
