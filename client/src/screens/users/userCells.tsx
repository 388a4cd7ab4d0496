import Box from '@mui/material/Box';
import Switch from '@mui/material/Switch';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { RowAction } from '../../components/ActionMenu.js';
import { RowMenu } from '../../components/RowMenu.js';
import { ToneChip } from '../../components/Tone.js';
import { roleNumbers, rootRole, type SessionUser } from '../../lib/session.js';
import type { Role, UserRowFragment } from './users.generated.js';
import type { UserActions } from './useUserActions.js';

export function UserStatusChip({ user }: { readonly user: Pick<UserRowFragment, 'status' | 'deletedAt'> }) {
  const { t } = useTranslation();
  if (user.deletedAt)
    return (
      <ToneChip tone="grey" dot>
        {t('users.deactivated')}
      </ToneChip>
    );
  switch (user.status) {
    case 'ENABLED':
      return (
        <ToneChip tone="green" dot>
          {t('users.active')}
        </ToneChip>
      );
    case 'BANNED':
      return (
        <ToneChip tone="red" dot>
          {t('users.banned')}
        </ToneChip>
      );
    case 'OTHER':
      return (
        <ToneChip tone="amber" dot>
          {t('users.otherStatus')}
        </ToneChip>
      );
  }
}

export function RoleChip({ role }: { readonly role: Role }) {
  const { t } = useTranslation();
  if (role === 'COMMON') return <ToneChip tone="outline">{t('roles.common')}</ToneChip>;
  if (role === 'ADMIN') return <ToneChip tone="blue">{t('roles.admin')}</ToneChip>;
  if (role === 'ROOT') return <ToneChip tone="violet">{t('roles.root')}</ToneChip>;
  return <ToneChip tone="red">{t('roles.unknown')}</ToneChip>;
}

/** Whether the viewer's role is above the user's. The root user manages all others. */
export const mayManage = (viewer: SessionUser | null, user: Pick<UserRowFragment, 'role' | 'id'>): boolean =>
  viewer !== null &&
  viewer.id !== user.id &&
  (viewer.role >= rootRole ? user.role !== 'ROOT' : viewer.role > roleNumbers[user.role]);

export function UserRowActions({
  row,
  actions,
  viewer,
}: {
  readonly row: UserRowFragment;
  readonly actions: UserActions;
  readonly viewer: SessionUser | null;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  if (row.deletedAt) return null;
  const manages = mayManage(viewer, row);
  const isRoot = (viewer?.role ?? 0) >= rootRole;
  const lastMonth = String(Math.floor(Date.now() / 1000) - 30 * 86_400);
  const menu: RowAction[] = [
    {
      label: t('actions.edit'),
      onSelect: () => actions.edit(row),
    },
    {
      label: t('users.grant'),
      disabled: !manages && viewer?.id !== row.id,
      onSelect: () => actions.grant(row),
    },
    {
      label: t('users.showUsage'),
      onSelect: () => void navigate(`/log?username=${encodeURIComponent(row.username)}&from=${lastMonth}`),
    },
    { label: t('users.showPayments'), onSelect: () => void navigate(`/payment?user=${row.id}`) },
    { label: t('users.showTokens'), onSelect: () => void navigate(`/user?tokens=${row.id}`) },
    { label: t('users.showSessions'), onSelect: () => void navigate(`/user?sessions=${row.id}`) },
    {
      label: t('users.showInvited'),
      disabled: row.invite.count === 0,
      onSelect: () => void navigate(`/user?inviter=${row.id}`),
    },
    ...(isRoot && (row.role === 'COMMON' || row.role === 'GUEST')
      ? [{ label: t('users.promote'), disabled: !manages, onSelect: () => void actions.promote(row) }]
      : []),
    ...(isRoot && row.role === 'ADMIN'
      ? [{ label: t('users.demote'), disabled: !manages, onSelect: () => void actions.demote(row) }]
      : []),
    ...(row.hasSecondFactor
      ? [{ label: t('factors.reset'), disabled: !manages, onSelect: () => void actions.resetFactors(row) }]
      : []),
    { label: t('actions.delete'), destructive: true, disabled: !manages, onSelect: () => void actions.remove(row) },
  ];
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.5 }}>
      <RowMenu label={t('users.moreOf', { name: row.username })} actions={menu} />
      <Switch
        checked={row.status === 'ENABLED'}
        disabled={!manages || row.status === 'OTHER'}
        onChange={() => void actions.toggle(row)}
        slotProps={{ input: { 'aria-label': t('users.enableOf', { name: row.username }) } }}
        sx={{ ml: 0.5 }}
      />
    </Box>
  );
}

/** Two amounts in two lines: the balance and the used amount. */
export function TwoLines({
  first,
  second,
  end = false,
}: {
  readonly first: string;
  readonly second: string;
  readonly end?: boolean;
}) {
  const clip = { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' } as const;
  return (
    <Box
      sx={{ minWidth: 0, lineHeight: '18px', textAlign: end ? 'right' : 'left' }}
      className={end ? 'num' : undefined}
    >
      <Box sx={clip}>{first}</Box>
      {second !== '' && (
        <Box sx={{ ...clip, fontSize: 12, lineHeight: '16px', color: 'text.secondary', fontWeight: 400 }}>{second}</Box>
      )}
    </Box>
  );
}
