import type { GridColDef } from '@mui/x-data-grid';
import type { TFunction } from 'i18next';
import { column, rightColumn } from '../../components/grid/columns.js';
import { Num } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { integer } from '../../lib/format.js';
import { groupTone } from '../../nouns/groups/groupTone.js';
import type { SessionUser } from '../../lib/sessionUser.js';
import type { useFormat } from '../../lib/useFormat.js';
import { RoleChip, TwoLines, UserName, UserRowActions, UserStatusChip } from './userCells.js';
import type { UserRowFragment } from './users.generated.js';
import type { UserActions } from './useUserActions.js';

export interface UserCellTools {
  readonly t: TFunction;
  readonly format: ReturnType<typeof useFormat>;
  readonly actions: UserActions;
  readonly viewer: SessionUser | null;
}

export function userColumns({ t, format, actions, viewer }: UserCellTools): GridColDef<UserRowFragment>[] {
  return [
    column('id', t('fields.id'), 64, (row) => <Num>{row.id}</Num>),
    column('username', t('fields.username'), { flex: 1, minWidth: 160 }, (row) => (
      <UserName row={row} viewer={viewer} />
    )),
    column('group', t('fields.group'), 120, (row) => <ToneChip tone={groupTone(row.group)}>{row.group}</ToneChip>),
    column('role', t('users.role'), 120, (row) => <RoleChip user={row} />),
    column('status', t('fields.status'), 128, (row) => <UserStatusChip user={row} />),
    rightColumn('quota', t('fields.quotaLeft'), 136, (row) => (
      <TwoLines
        end
        first={format.money(row.quota, 'balance')}
        second={t('fields.amountUsed', { amount: format.money(row.usedQuota, 'balance') })}
      />
    )),
    rightColumn('requestCount', t('fields.requests'), 104, (row) => <Num>{integer(row.requestCount)}</Num>),
    rightColumn('inviteCount', t('users.invites'), 104, (row) => <Num>{integer(row.invite.count)}</Num>),
    rightColumn('actions', '', 96, (row) => <UserRowActions row={row} actions={actions} viewer={viewer} />),
  ];
}
