import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router-dom';
import type { RowAction } from '../../components/ActionMenu.js';
import { RowMenu } from '../../components/RowMenu.js';
import { RowSwitch } from '../../components/RowSwitch.js';
import { userAddress } from '../../nouns/objects/addresses.js';
import { ToneChip } from '../../components/Tone.js';
import { may } from '../../lib/permissions.js';
import { roleNumbers, rootRole } from '../../lib/session.js';
import type { SessionUser } from '../../lib/sessionUser.js';
import type { UserRowFragment } from './users.generated.js';
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

/** The role of a user; that an account is an organisation, which has no role. */
export function RoleChip({ user }: { readonly user: Pick<UserRowFragment, 'role' | 'customRole' | 'kind'> }) {
  const { t } = useTranslation();
  const { role, customRole, kind } = user;
  if (kind === 'ORGANISATION') return <ToneChip tone="outline">{t('audit.subjects.organisation')}</ToneChip>;
  if (customRole) return <ToneChip tone="green">{customRole.name}</ToneChip>;
  if (role === 'COMMON') return <ToneChip tone="outline">{t('roles.common')}</ToneChip>;
  if (role === 'ADMIN') return <ToneChip tone="blue">{t('roles.admin')}</ToneChip>;
  if (role === 'ROOT') return <ToneChip tone="violet">{t('roles.root')}</ToneChip>;
  return <ToneChip tone="red">{t('roles.unknown')}</ToneChip>;
}

/** The rank of a user with a custom role: between common users and admins, as on the server. */
const operatorRank = 5;
const rankOf = (role: number, isOperator: boolean): number => (role === 1 && isOperator ? operatorRank : role);

/** Whether the viewer ranks above the user. The root user manages all others. */
export const mayManage = (
  viewer: SessionUser | null,
  user: Pick<UserRowFragment, 'role' | 'id' | 'customRole'>,
): boolean =>
  viewer !== null &&
  viewer.id !== user.id &&
  (viewer.role >= rootRole
    ? user.role !== 'ROOT'
    : rankOf(viewer.role, viewer.permissions !== undefined) > rankOf(roleNumbers[user.role], Boolean(user.customRole)));

/** Whether the server shows the user to the viewer: not deactivated, and below, for root also itself. */
export const mayOpen = (viewer: SessionUser | null, user: UserRowFragment): boolean =>
  !user.deletedAt && (mayManage(viewer, user) || (viewer?.role ?? 0) >= rootRole);

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
  const isBelow = mayManage(viewer, row);
  const writes = may(viewer, 'USERS_WRITE');
  const manages = isBelow && writes;
  const isRoot = (viewer?.role ?? 0) >= rootRole;
  const lastMonth = String(Math.floor(Date.now() / 1000) - 30 * 86_400);
  const menu: RowAction[] = [
    {
      label: writes ? t('actions.edit') : t('users.view'),
      disabled: !mayOpen(viewer, row),
      onSelect: () => actions.edit(row),
    },
    ...(may(viewer, 'USERS_QUOTA')
      ? [
          {
            label: t('users.grant'),
            disabled: !isBelow && (viewer?.id !== row.id || viewer.permissions !== undefined),
            onSelect: () => actions.grant(row),
          },
        ]
      : []),
    ...(may(viewer, 'LOGS_READ')
      ? [
          {
            label: t('users.showUsage'),
            onSelect: () => void navigate(`/log?username=${encodeURIComponent(row.username)}&from=${lastMonth}`),
          },
        ]
      : []),
    ...(may(viewer, 'PAYMENTS')
      ? [{ label: t('users.showPayments'), onSelect: () => void navigate(`/payment?user=${row.id}`) }]
      : []),
    { label: t('users.showTokens'), onSelect: () => actions.showTokens(row) },
    { label: t('users.showSessions'), onSelect: () => actions.showSessions(row) },
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
    ...(row.hasSecondFactor && writes
      ? [{ label: t('factors.reset'), disabled: !manages, onSelect: () => void actions.resetFactors(row) }]
      : []),
    ...(writes
      ? [
          {
            label: t('actions.delete'),
            destructive: true,
            disabled: !manages,
            onSelect: () => void actions.remove(row),
          },
        ]
      : []),
  ];
  return (
    <div className="row-actions">
      <RowMenu label={t('users.moreOf', { name: row.username })} actions={menu} />
      <RowSwitch
        label={t('users.enableOf', { name: row.username })}
        checked={row.status === 'ENABLED'}
        disabled={!manages || row.status === 'OTHER'}
        onChange={() => void actions.toggle(row)}
      />
    </div>
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
  return (
    <span className={`two-lines${end ? ' num end' : ''}`}>
      <span>{first}</span>
      {second !== '' && <span className="second">{second}</span>}
    </span>
  );
}

/**
 * The name of a user, with a link to their drawer that keeps the filters of the list. It reads the address itself: new
 * columns for each address would make the grid draw all rows again.
 */
export function UserName({ row, viewer }: { readonly row: UserRowFragment; readonly viewer: SessionUser | null }) {
  return (
    <span className="two-lines">
      {mayOpen(viewer, row) ? (
        <Link to={userAddress(row.id)} className="cell-link strong">
          {row.username}
        </Link>
      ) : (
        <span className="strong">{row.username}</span>
      )}
      {row.displayName !== '' && row.displayName !== row.username && <span className="second">{row.displayName}</span>}
    </span>
  );
}
