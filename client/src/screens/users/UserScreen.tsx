import { skipToken, useQuery } from '@apollo/client/react';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate, useParams } from 'react-router-dom';
import { lazyPart } from '../../components/lazyPart.js';
import { ObjectMissing, ObjectPage, type ObjectTab } from '../../components/ObjectPage.js';
import { InPage } from '../../components/SideDrawer.js';
import { ToneChip } from '../../components/Tone.js';
import { idPattern } from '../../lib/gridState.js';
import { may } from '../../lib/permissions.js';
import { useSession } from '../../lib/session.js';
import { useFormat } from '../../lib/useFormat.js';
import { groupTone } from '../../nouns/groups/groupTone.js';
import { userAddress } from '../../nouns/objects/addresses.js';
import { BudgetsTab, CallsTab, ChangesTab, ErrorsTab, ProfitTab, UsageSummary } from '../../nouns/objects/tabs.js';
import { GivePlanDialog } from '../../nouns/plans/GivePlanDialog.js';
import { SubscriptionList } from '../../nouns/plans/SubscriptionList.js';
import { GrantQuotaDialog } from './GrantQuotaDialog.js';
import { mayManage, RoleChip, UserStatusChip } from './userCells.js';
import { UserGroupsDocument, UserPageDocument, type UserPageQuery } from './users.generated.js';
import { useUserActions } from './useUserActions.js';

const UserEditor = lazyPart(async () => (await import('./UserEditor.js')).UserEditor);
const UserTokens = lazyPart(async () => (await import('./UserTokens.js')).UserTokens);
const UserSessions = lazyPart(async () => (await import('./UserSessions.js')).UserSessions);
const AccountStatements = lazyPart(
  async () => (await import('../../nouns/statements/AccountStatements.js')).AccountStatements,
);

/** The page of a user: balance, calls, errors, keys, limits, changes and settings. */
export function UserScreen() {
  const { t } = useTranslation();
  const id = Number(useParams().id);
  const isId = idPattern.test(String(id));
  const { data, error, loading, refetch } = useQuery(
    UserPageDocument,
    isId ? { variables: { id }, fetchPolicy: 'cache-and-network' } : skipToken,
  );
  if (data?.user) return <UserOf key={id} user={data.user} reload={() => void refetch()} />;
  return (
    <ObjectMissing
      list={{ label: t('shell.users'), to: '/user' }}
      title={`${t('logs.user')} ${isId ? id : ''}`}
      error={error}
      isLoading={loading}
      onRetry={() => void refetch()}
      gone={t('objects.gone')}
    />
  );
}

function UserOf({ user, reload }: { readonly user: NonNullable<UserPageQuery['user']>; readonly reload: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const viewer = useSession();
  const { money } = useFormat();
  const [granting, setGranting] = useState(false);
  const [givesPlan, setGivesPlan] = useState(false);
  const [showsSessions, setShowsSessions] = useState(false);
  const groups = useQuery(UserGroupsDocument, { fetchPolicy: 'cache-first' }).data?.groups ?? [];
  const { id, username, displayName } = user;
  const grant = () => setGranting(true);
  const showSessions = () => setShowsSessions(true);
  const actions = useUserActions({
    refetch: reload,
    onRemoved: () => void navigate('/user'),
    edit: () => void navigate(`${userAddress(id)}/settings`),
    grant,
    showTokens: () => void navigate(`${userAddress(id)}/keys`),
    showSessions,
  });
  const isBelow = mayManage(viewer, user);
  const writes = may(viewer, 'USERS_WRITE') && isBelow;
  const grants = !user.deletedAt && may(viewer, 'USERS_QUOTA') && (isBelow || viewer?.id === id);
  const filter = { userIds: [id] };
  const tabs: ObjectTab[] = [
    ...(may(viewer, 'LOGS_READ')
      ? [{ id: 'calls', label: t('dashboard.calls'), content: <CallsTab filter={filter} without="username" /> }]
      : []),
    ...(may(viewer, 'LOGS_READ') && may(viewer, 'CHANNELS_READ')
      ? [{ id: 'errors', label: t('objects.errors'), content: <ErrorsTab filter={filter} /> }]
      : []),
    ...(may(viewer, 'USAGE_READ')
      ? [{ id: 'cost', label: t('objects.cost'), content: <ProfitTab filter={filter} by="MODEL" /> }]
      : []),
    {
      id: 'keys',
      label: t('shell.tokens'),
      content: (
        <InPage value>
          <UserTokens id={id} groups={groups} canChange={may(viewer, 'USERS_WRITE')} onClosed={reload} />
        </InPage>
      ),
    },
    ...(may(viewer, 'PAYMENTS')
      ? [
          {
            id: 'plans',
            label: t('shell.plans'),
            content: <SubscriptionList accountId={id} isAllowedToChange={grants} />,
          },
          { id: 'statements', label: t('shell.statements'), content: <AccountStatements id={id} /> },
        ]
      : []),
    ...(may(viewer, 'BUDGETS')
      ? [
          {
            id: 'limits',
            label: t('objects.limits'),
            content: <BudgetsTab subject={{ level: 'USER', subjectId: id }} />,
          },
        ]
      : []),
    ...(may(viewer, 'AUDIT')
      ? [
          {
            id: 'changes',
            label: t('objects.changes'),
            content: <ChangesTab subject="USER" id={id} onRestored={reload} />,
          },
        ]
      : []),
    {
      id: 'settings',
      label: t('objects.settings'),
      hidesSummary: true,
      content: (
        <InPage value>
          <UserEditor id={id} viewer={viewer} onSaved={reload} onGrant={grant} onClosed={reload} />
        </InPage>
      ),
    },
  ];
  const choose = (label: string, onSelect: () => unknown) => ({ label, onSelect: () => void onSelect() });
  return (
    <>
      <ObjectPage
        list={{ label: t('shell.users'), to: '/user' }}
        title={username}
        chips={
          <>
            <UserStatusChip user={user} />
            <RoleChip user={user} />
            <ToneChip tone={groupTone(user.group)}>{user.group}</ToneChip>
          </>
        }
        meta={[
          `#${id}`,
          displayName === username ? '' : displayName,
          user.email,
          user.externalId && t('users.externalIdOf', { id: user.externalId }),
          `${t('fields.balance')} ${money(user.quota, 'balance')}`,
          user.daysLeft == null ? '' : t('objects.daysLeft', { count: Math.round(user.daysLeft) }),
        ]
          .filter(Boolean)
          .join(' · ')}
        primary={
          grants && (
            <Button variant="contained" onClick={grant}>
              {t('users.grant')}
            </Button>
          )
        }
        menu={[
          ...(user.kind === 'ORGANISATION'
            ? [choose(t('users.openOrganisation'), () => navigate(`/organisations/${id}`))]
            : []),
          ...(grants ? [choose(t('plans.give'), () => setGivesPlan(true))] : []),
          ...(!user.deletedAt && writes
            ? [
                choose(user.status === 'ENABLED' ? t('users.ban') : t('objects.lift'), () => actions.toggle(user)),
                choose(t('users.showSessions'), showSessions),
                ...(user.role === 'COMMON'
                  ? [choose(t('users.promote'), () => actions.promote(user))]
                  : [choose(t('users.demote'), () => actions.demote(user))]),
                { ...choose(t('actions.delete'), () => actions.remove(user)), destructive: true },
              ]
            : []),
        ]}
        summary={may(viewer, 'USAGE_READ') && <UsageSummary filter={filter} />}
        address={userAddress(id)}
        tabs={tabs}
        opened={pathname.startsWith('/user/edit/') ? 'settings' : undefined}
      />
      {granting && <GrantQuotaDialog user={user} onClose={() => setGranting(false)} />}
      {givesPlan && <GivePlanDialog account={user} onClose={() => setGivesPlan(false)} />}
      {showsSessions && <UserSessions id={id} viewerId={viewer?.id} onClosed={() => setShowsSessions(false)} />}
    </>
  );
}
