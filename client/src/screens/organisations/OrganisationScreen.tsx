import { skipToken, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Skeleton from '@mui/material/Skeleton';
import { useMemo, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router-dom';
import { lazyPart } from '../../components/lazyPart.js';
import { ObjectMissing, ObjectPage, type ObjectTab } from '../../components/ObjectPage.js';
import { StatBadges } from '../../components/StatBadges.js';
import { ToneChip } from '../../components/Tone.js';
import type { Acting } from '../../lib/acting.js';
import { dateTime, integer } from '../../lib/format.js';
import { idPattern } from '../../lib/gridState.js';
import { useMay } from '../../lib/permissions.js';
import { useFormat } from '../../lib/useFormat.js';
import { useEmbeddedScreens } from '../../nouns/organisations/embedded.js';
import { GivePlanDialog } from '../../nouns/plans/GivePlanDialog.js';
import { organisationAddress } from './addresses.js';
import { MembersTab } from './MembersTab.js';
import {
  OrganisationPageDocument,
  OrganisationPeopleDocument,
  type OrganisationPeopleQuery,
  type OrganisationRowFragment,
} from './organisations.generated.js';
import { ProjectsTab } from './ProjectsTab.js';
import { SettingsTab } from './SettingsTab.js';
import { UsageTab } from './UsageTab.js';

const AccountStatements = lazyPart(
  async () => (await import('../../nouns/statements/AccountStatements.js')).AccountStatements,
);

/** The page of an organisation: for its members, and for admins of users without keys, calls and wallet. */
export function OrganisationScreen() {
  const { t } = useTranslation();
  const id = Number(useParams().id);
  const isId = idPattern.test(String(id));
  const { data, error, loading, refetch } = useQuery(
    OrganisationPageDocument,
    isId ? { variables: { id }, fetchPolicy: 'cache-and-network' } : skipToken,
  );
  const organisation = data?.organisation;
  if (organisation) return <OrganisationOf key={id} organisation={organisation} reload={() => void refetch()} />;
  return (
    <ObjectMissing
      list={{ label: t('organisations.title'), to: '/organisations' }}
      title={t('organisations.title')}
      error={error}
      isLoading={loading}
      onRetry={() => void refetch()}
      gone={t('organisations.gone')}
    />
  );
}

function OrganisationOf({
  organisation,
  reload,
}: {
  readonly organisation: OrganisationRowFragment;
  readonly reload: () => void;
}) {
  const { t } = useTranslation();
  const { money } = useFormat();
  const { id, name, role, status, group, createdAt, balance, memberCount } = organisation;
  const people = useQuery(OrganisationPeopleDocument, { variables: { id }, fetchPolicy: 'cache-and-network' });
  const readsUsers = useMay('USERS_READ');
  const changesUsers = useMay('USERS_WRITE');
  const readsPayments = useMay('PAYMENTS');
  const grants = useMay('USERS_QUOTA');
  const [givesPlan, setGivesPlan] = useState(false);
  const embedded = useEmbeddedScreens();
  const acting = useActingOf(organisation, people.data);
  const asMember = (content: ReactNode) => (
    <>
      {embedded && acting ? (
        <embedded.ActingAs acting={acting}>{content}</embedded.ActingAs>
      ) : (
        <Skeleton variant="rectangular" height={240} />
      )}
    </>
  );
  const changed = () => {
    reload();
    void people.refetch();
  };
  const isOwner = role === 'OWNER';
  const seesMembers = role !== 'MEMBER' || readsUsers;
  const handlesMoney = isOwner || role === 'BILLING';
  const tab = (tabId: string, label: string, content: ReactNode): ObjectTab => ({ id: tabId, label, content });
  const members = people.data?.members ?? [];
  const projects = people.data?.projects ?? [];
  const tabs: ObjectTab[] = [
    tab(
      'overview',
      t('organisations.overview'),
      <StatBadges
        label={t('organisations.overview')}
        stats={[
          ...(balance
            ? [
                { label: t('organisations.balance'), value: money(balance.quota, 'balance') },
                { label: t('organisations.charged'), value: money(balance.usedQuota, 'balance') },
                { label: t('organisations.requests'), value: integer(balance.requestCount) },
              ]
            : []),
          { label: t('organisations.membersTab'), value: integer(memberCount) },
          {
            label: t('organisations.projectsTab'),
            value: people.data ? integer(projects.filter(({ archivedAt }) => !archivedAt).length) : undefined,
          },
        ]}
      />,
    ),
    ...(seesMembers
      ? [
          tab(
            'members',
            t('organisations.membersTab'),
            <MembersTab
              organisation={organisation}
              members={members}
              canChange={isOwner || changesUsers}
              budgetsOf={handlesMoney ? asMember : null}
              onChanged={changed}
            />,
          ),
        ]
      : []),
    ...(role ? [tab('keys', t('organisations.keysTab'), asMember(embedded && <embedded.Keys />))] : []),
    tab(
      'projects',
      t('organisations.projectsTab'),
      <ProjectsTab
        organisationId={id}
        projects={projects}
        canChange={handlesMoney || changesUsers}
        budgetsOf={handlesMoney ? asMember : null}
        onChanged={changed}
      />,
    ),
    ...(role
      ? [
          tab('usage', t('organisations.usageTab'), asMember(<UsageTab members={members} projects={projects} />)),
          tab('calls', t('organisations.callsTab'), asMember(embedded && <embedded.Calls />)),
        ]
      : []),
    ...(handlesMoney ? [tab('wallet', t('organisations.walletTab'), asMember(embedded && <embedded.Wallet />))] : []),
    ...(handlesMoney
      ? [tab('statements', t('shell.statements'), asMember(embedded && <embedded.Statements />))]
      : readsPayments
        ? [tab('statements', t('shell.statements'), <AccountStatements id={id} />)]
        : []),
    tab(
      'settings',
      t('organisations.settingsTab'),
      <SettingsTab organisation={organisation} canChange={isOwner || changesUsers} onChanged={changed} />,
    ),
  ];
  return (
    <>
      <ObjectPage
        title={name}
        list={
          role
            ? { label: t('organisations.title'), to: '/organisations' }
            : { label: t('organisations.adminTitle'), to: '/all-organisations' }
        }
        chips={
          <>
            {role && <ToneChip tone="outline">{t(`organisations.role_${role}`)}</ToneChip>}
            {status !== 'ENABLED' && <ToneChip tone="red">{t('fields.disabled')}</ToneChip>}
          </>
        }
        meta={<Box component="span">{`#${id} · ${group} · ${dateTime(createdAt)}`}</Box>}
        primary={
          grants && (
            <Button variant="contained" onClick={() => setGivesPlan(true)}>
              {t('plans.give')}
            </Button>
          )
        }
        address={organisationAddress(id)}
        tabs={tabs}
      />
      {givesPlan && <GivePlanDialog account={{ id, username: name }} onClose={() => setGivesPlan(false)} />}
    </>
  );
}

/** Returns the membership of the user in the organisation. Null while it loads, and for an admin who is no member. */
function useActingOf(
  { id, role }: OrganisationRowFragment,
  people: OrganisationPeopleQuery | undefined,
): Acting | null {
  return useMemo(
    () =>
      role && people
        ? { organisationId: id, role, members: people.members ?? [], projects: people.projects ?? [] }
        : null,
    [id, role, people],
  );
}
