import type { GridColDef } from '@mui/x-data-grid';
import type { TFunction } from 'i18next';
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

const right = { align: 'right', headerAlign: 'right' } as const;

export function userColumns({ t, format, actions, viewer }: UserCellTools): GridColDef<UserRowFragment>[] {
  return [
    { field: 'id', headerName: t('fields.id'), width: 64, renderCell: ({ row }) => <Num>{row.id}</Num> },
    {
      field: 'username',
      headerName: t('fields.username'),
      flex: 1,
      minWidth: 160,
      renderCell: ({ row }) => <UserName row={row} viewer={viewer} />,
    },
    {
      field: 'group',
      headerName: t('fields.group'),
      width: 120,
      renderCell: ({ row }) => <ToneChip tone={groupTone(row.group)}>{row.group}</ToneChip>,
    },
    {
      field: 'role',
      headerName: t('users.role'),
      width: 120,
      renderCell: ({ row }) => <RoleChip user={row} />,
    },
    {
      field: 'status',
      headerName: t('fields.status'),
      width: 128,
      renderCell: ({ row }) => <UserStatusChip user={row} />,
    },
    {
      field: 'quota',
      headerName: t('fields.quotaLeft'),
      width: 136,
      ...right,
      renderCell: ({ row }) => (
        <TwoLines
          end
          first={format.money(row.quota, 'balance')}
          second={t('fields.amountUsed', { amount: format.money(row.usedQuota, 'balance') })}
        />
      ),
    },
    {
      field: 'requestCount',
      headerName: t('fields.requests'),
      width: 104,
      ...right,
      renderCell: ({ row }) => <Num>{integer(row.requestCount)}</Num>,
    },
    {
      field: 'inviteCount',
      headerName: t('users.invites'),
      width: 104,
      ...right,
      renderCell: ({ row }) => <Num>{integer(row.invite.count)}</Num>,
    },
    {
      field: 'actions',
      headerName: '',
      width: 96,
      align: 'right',
      renderCell: ({ row }) => <UserRowActions row={row} actions={actions} viewer={viewer} />,
    },
  ];
}
