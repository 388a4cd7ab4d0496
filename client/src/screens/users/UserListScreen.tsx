import { useQuery } from '@apollo/client/react';
import Button from '@mui/material/Button';
import AddOutlinedIcon from '@mui/icons-material/AddOutlined';
import GroupOutlinedIcon from '@mui/icons-material/GroupOutlined';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { EmptyState } from '../../components/EmptyState.js';
import { RowCard } from '../../components/grid/CardList.js';
import { FilterBar } from '../../components/grid/FilterBar.js';
import { namesAsChoices } from '../../components/grid/filterField.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { SelectionBar } from '../../components/grid/SelectionBar.js';
import { useSelectMatching } from '../../components/grid/useSelectMatching.js';
import { useSelection } from '../../components/grid/useSelection.js';
import { useListPage } from '../../components/grid/useListPage.js';
import { ListScreen } from '../../components/ListScreen.js';
import { Num } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { idPattern, listVariablesOf, type SortOf } from '../../lib/gridState.js';
import { groupTone } from '../../nouns/groups/groupTone.js';
import { may } from '../../lib/permissions.js';
import { useSession } from '../../lib/session.js';
import { useFormat } from '../../lib/useFormat.js';
import { useRowParam } from '../../lib/useRowParam.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import { userAddress } from '../../nouns/objects/addresses.js';
import { AddUser } from './AddUser.js';
import { GrantQuotaDialog } from './GrantQuotaDialog.js';
import { UserBulkActions } from './UserBulkActions.js';
import { mayOpen, RoleChip, UserRowActions, UserStatusChip } from './userCells.js';
import { userColumns } from './userColumns.js';
import { UserSessions } from './UserSessions.js';
import { UserTokens } from './UserTokens.js';
import {
  UserGroupsDocument,
  MatchingUsersDocument,
  UsersDocument,
  type Role,
  type UserFilter,
  type UserRowFragment,
  type UserSortField,
  type UserStatus,
} from './users.generated.js';
import { useUserActions } from './useUserActions.js';

const filterPatterns = {
  inviter: idPattern,
  status: /^(ENABLED|BANNED|DEACTIVATED)$/,
  role: /^(COMMON|ADMIN|ROOT)$/,
  kind: /^(PERSON|ORGANISATION)$/,
};

const sorts = [
  'id',
  'username',
  'group',
  'role',
  'status',
  'quota',
  'requestCount',
  'inviteCount',
] satisfies SortOf<UserSortField>[];

/** A deactivated user keeps their previous status. */
function statusFilter(status: string): UserFilter {
  if (status === '') return {};
  return status === 'DEACTIVATED' ? { isDeleted: true } : { isDeleted: false, statuses: [status as UserStatus] };
}

export function UserListScreen() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const viewer = useSession();
  const format = useFormat();
  const grid = useServerGrid({
    filters: { keyword: '', group: '', status: '', role: '', kind: '', externalId: '', inviter: '' },
    patterns: filterPatterns,
    sorts,
  });
  const [opened, setOpened] = useRowParam('row');
  const [tokensOf, setTokensOf] = useRowParam('tokens');
  const [sessionsOf, setSessionsOf] = useRowParam('sessions');
  const { ids: selected, select, drop, clear } = useSelection();
  const [isRunning, setRunning] = useState(false);
  const [granting, setGranting] = useState<UserRowFragment | null>(null);

  const groups = useQuery(UserGroupsDocument, { fetchPolicy: 'cache-first' }).data?.groups ?? [];
  const { keyword, group, status, role, kind, externalId, inviter } = grid.filter;
  const filter: UserFilter = {
    keyword: keyword || null,
    groups: group ? [group] : null,
    roles: role ? [role as Role] : null,
    ...(kind ? { kinds: [kind as UserRowFragment['kind']] } : {}),
    ...(externalId ? { externalIds: [externalId] } : {}),
    ...(inviter ? { inviterIds: [Number(inviter)] } : {}),
    ...statusFilter(status),
  };
  const { reload, listProps } = useListPage(
    grid,
    UsersDocument,
    { ...listVariablesOf<UserSortField>(grid), filter },
    ({ users }) => users,
  );
  const matching = useSelectMatching({
    document: MatchingUsersDocument,
    filter,
    idsOf: ({ users }) => users.items,
    count: selected.size,
    select,
  });
  const open = useCallback((user: UserRowFragment) => void navigate(userAddress(user.id)), [navigate]);
  const edit = useCallback((user: UserRowFragment) => void navigate(`${userAddress(user.id)}/settings`), [navigate]);
  const showTokens = useCallback(({ id }: UserRowFragment) => setTokensOf(String(id)), [setTokensOf]);
  const showSessions = useCallback(({ id }: UserRowFragment) => setSessionsOf(String(id)), [setSessionsOf]);
  const actions = useUserActions({
    refetch: reload,
    onRemoved: drop,
    edit,
    grant: setGranting,
    showTokens,
    showSessions,
  });
  const columns = useMemo(() => userColumns({ t, format, actions, viewer }), [t, format, actions, viewer]);

  const marked = [...selected].filter((id) => typeof id === 'number');
  const refresh = (refused: readonly number[]) => {
    select(refused);
    reload();
  };

  const add = (
    <Button variant="contained" startIcon={<AddOutlinedIcon />} onClick={() => setOpened('new')}>
      {t('users.add')}
    </Button>
  );
  return (
    <ListScreen
      title={t('shell.users')}
      primary={may(viewer, 'USERS_WRITE') && add}
      filters={
        marked.length > 0 ? (
          <SelectionBar
            count={marked.length}
            matching={listProps.totalCount}
            {...matching}
            isRunning={isRunning}
            onClear={clear}
          >
            <UserBulkActions ids={marked} groups={groups} onDone={refresh} onRunning={setRunning} />
          </SelectionBar>
        ) : (
          <FilterBar
            filters={grid.filters}
            search={{ label: t('users.search') }}
            fields={[
              {
                name: 'status',
                label: t('fields.status'),
                choices: [
                  { value: 'ENABLED', label: t('users.active') },
                  { value: 'BANNED', label: t('users.banned') },
                  { value: 'DEACTIVATED', label: t('users.deactivated') },
                ],
              },
              { name: 'group', label: t('fields.group'), choices: namesAsChoices(groups) },
              {
                name: 'role',
                label: t('users.role'),
                choices: [
                  { value: 'COMMON', label: t('roles.common') },
                  { value: 'ADMIN', label: t('roles.admin') },
                  { value: 'ROOT', label: t('roles.root') },
                ],
              },
              {
                name: 'kind',
                label: t('users.kind'),
                choices: (['PERSON', 'ORGANISATION'] as const).map((value) => ({
                  value,
                  label: t(`users.kinds.${value}`),
                })),
              },
              { name: 'externalId', label: t('users.externalId'), typed: 'text' },
              { name: 'inviter', label: t('users.inviterId'), typed: 'digits' },
            ]}
          />
        )
      }
    >
      <ListGrid
        label={t('shell.users')}
        columnsKey="users-table-columns"
        columns={columns}
        {...listProps}
        getRowId={(row) => row.id}
        onRowOpen={(row) => {
          if (mayOpen(viewer, row)) open(row);
        }}
        rowHeight={48}
        {...(may(viewer, 'USERS_WRITE') ? { selection: { ids: selected, onChange: select } } : {})}
        isRowDimmed={(row) => row.deletedAt !== null && row.deletedAt !== undefined}
        renderCard={(row) => (
          <RowCard
            title={row.username}
            value={<Num>{format.money(row.quota, 'balance')}</Num>}
            meta={[`#${row.id}`, row.displayName === row.username ? '' : row.displayName].filter(Boolean).join(' · ')}
            metaEnd={<Num>{t('fields.amountUsed', { amount: format.money(row.usedQuota, 'balance') })}</Num>}
            chips={
              <>
                <UserStatusChip user={row} />
                <RoleChip user={row} />
                <ToneChip tone={groupTone(row.group)}>{row.group}</ToneChip>
              </>
            }
            end={<UserRowActions row={row} actions={actions} viewer={viewer} />}
          />
        )}
        empty={<EmptyState icon={<GroupOutlinedIcon />} title={t('users.emptyTitle')} />}
      />
      {opened === 'new' && <AddUser onSaved={reload} onClosed={() => setOpened(null)} />}
      {tokensOf !== null && idPattern.test(tokensOf) && (
        <UserTokens
          key={tokensOf}
          id={Number(tokensOf)}
          groups={groups}
          canChange={may(viewer, 'USERS_WRITE')}
          onClosed={() => setTokensOf(null)}
        />
      )}
      {sessionsOf !== null && idPattern.test(sessionsOf) && (
        <UserSessions
          key={sessionsOf}
          id={Number(sessionsOf)}
          viewerId={viewer?.id}
          onClosed={() => setSessionsOf(null)}
        />
      )}
      {granting && <GrantQuotaDialog user={granting} onClose={() => setGranting(null)} />}
    </ListScreen>
  );
}
