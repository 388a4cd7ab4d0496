import { useMutation, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import type { TFunction } from 'i18next';
import { useState, type ReactNode } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { RowAction } from '../../components/ActionMenu.js';
import { CodeBlock } from '../../components/CodeBlock.js';
import { ContentDialog } from '../../components/ContentDialog.js';
import { NumberInput, TextInput } from '../../components/form/inputs.js';
import { SelectInput } from '../../components/form/SelectInput.js';
import { FormDialog } from '../../components/FormDialog.js';
import { Notice } from '../../components/Notice.js';
import { RowMenu } from '../../components/RowMenu.js';
import { ToneChip } from '../../components/Tone.js';
import { toast } from '../../components/toast.js';
import { useAction } from '../../components/useAction.js';
import { dateTime } from '../../lib/format.js';
import { useFormat } from '../../lib/useFormat.js';
import { BudgetsDialog } from './BudgetsDialog.js';
import {
  InviteMemberDocument,
  OpenInvitationsDocument,
  RemoveMemberDocument,
  RevokeInvitationDocument,
  SetMemberRoleDocument,
  type MemberRowFragment,
  type OrganisationRole,
  type OrganisationRowFragment,
} from './organisations.generated.js';
import { Row, RowList } from './RowList.js';

const roles: readonly OrganisationRole[] = ['OWNER', 'BILLING', 'MEMBER'];

/** Members with what their keys were charged, and invitations. */
export function MembersTab({
  organisation,
  members,
  canChange,
  budgetsOf,
  onChanged,
}: {
  readonly organisation: OrganisationRowFragment;
  readonly members: readonly MemberRowFragment[];
  readonly canChange: boolean;
  /** Shows a part that acts for the organisation. Null: the user sets no budgets there. */
  readonly budgetsOf: ((content: ReactNode) => ReactNode) | null;
  readonly onChanged: () => void;
}) {
  const { t } = useTranslation();
  const act = useAction();
  const { money } = useFormat();
  const { data, refetch } = useQuery(OpenInvitationsDocument, {
    variables: { id: organisation.id },
    fetchPolicy: 'network-only',
  });
  const [remove] = useMutation(RemoveMemberDocument);
  const [revoke] = useMutation(RevokeInvitationDocument);
  const [isInviting, setInviting] = useState(false);
  const [link, setLink] = useState<string | null>(null);
  const [edited, setEdited] = useState<MemberRowFragment | null>(null);
  const [limited, setLimited] = useState<MemberRowFragment | null>(null);
  const actionsOf = (member: MemberRowFragment): RowAction[] => [
    ...(budgetsOf ? [{ label: t('organisations.budgets'), onSelect: () => setLimited(member) }] : []),
    ...(canChange
      ? [
          { label: t('organisations.changeRole'), onSelect: () => setEdited(member) },
          {
            label: t('organisations.remove'),
            destructive: true,
            onSelect: () =>
              void act(
                async () => {
                  await remove({ variables: { id: member.id } });
                  onChanged();
                  return t('organisations.removed', { name: member.username });
                },
                {
                  title: t('organisations.removeTitle', { name: member.username }),
                  body: t('organisations.removeBody'),
                  verb: t('organisations.remove'),
                  destructive: true,
                },
              ),
          },
        ]
      : []),
  ];
  const invitations = data?.invitations ?? [];
  return (
    <Box sx={{ display: 'flex', flexDirection: 'column', gap: 2, maxWidth: 960 }}>
      {canChange && (
        <Box>
          <Button variant="contained" onClick={() => setInviting(true)}>
            {t('organisations.invite')}
          </Button>
        </Box>
      )}
      <RowList label={t('organisations.membersTab')}>
        {members.map((member) => (
          <Row
            key={member.id}
            title={
              <>
                {member.username}
                <ToneChip tone="outline">{t(`organisations.role_${member.role}`)}</ToneChip>
                {member.leftAt && <ToneChip tone="amber">{t('organisations.former')}</ToneChip>}
              </>
            }
            detail={`${t('organisations.keys')}: ${member.keyCount} · ${dateTime(member.leftAt ?? member.createdAt)}`}
            figure={money(member.usedQuota, 'balance')}
            menu={
              !member.leftAt &&
              actionsOf(member).length > 0 && (
                <RowMenu label={t('organisations.moreOf', { name: member.username })} actions={actionsOf(member)} />
              )
            }
          />
        ))}
      </RowList>
      {invitations.length > 0 && (
        <>
          <Typography variant="h2" sx={{ fontSize: 14 }}>
            {t('organisations.openInvitations')}
          </Typography>
          <RowList label={t('organisations.openInvitations')}>
            {invitations.map(({ id, email, role, expiresAt }) => (
              <Row
                key={id}
                title={
                  <>
                    {email || t('organisations.invitedBy_link')}
                    <ToneChip tone="outline">{t(`organisations.role_${role}`)}</ToneChip>
                  </>
                }
                detail={t('organisations.expires', { time: dateTime(expiresAt) })}
                menu={
                  canChange && (
                    <Button
                      variant="outlined"
                      color="error"
                      onClick={() =>
                        void act(async () => {
                          await revoke({ variables: { id } });
                          await refetch();
                          return t('organisations.revoked');
                        })
                      }
                    >
                      {t('organisations.revoke')}
                    </Button>
                  )
                }
              />
            ))}
          </RowList>
        </>
      )}
      {isInviting && (
        <InviteDialog
          organisationId={organisation.id}
          onInvited={(made) => {
            setLink(made);
            void refetch();
          }}
          onClose={() => setInviting(false)}
        />
      )}
      {link !== null && (
        <ContentDialog title={t('organisations.invitedTitle')} onClose={() => setLink(null)}>
          <Box sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}>
            <Notice tone="amber">{t('organisations.invitedNote')}</Notice>
            <CodeBlock text={link} copyLabel={t('organisations.invitedTitle')} />
          </Box>
        </ContentDialog>
      )}
      {edited && <RoleDialog member={edited} onChanged={onChanged} onClose={() => setEdited(null)} />}
      {limited &&
        budgetsOf?.(
          <BudgetsDialog
            title={t('organisations.budgetsOf', { name: limited.username })}
            subject={{ level: 'MEMBER', subjectId: limited.id }}
            onClose={() => setLimited(null)}
          />,
        )}
    </Box>
  );
}

function InviteDialog({
  organisationId,
  onInvited,
  onClose,
}: {
  readonly organisationId: number;
  readonly onInvited: (link: string) => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const [invite] = useMutation(InviteMemberDocument);
  const form = useForm({ defaultValues: { role: 'MEMBER' as OrganisationRole, email: '', days: '7' } });
  return (
    <FormDialog
      form={form}
      title={t('organisations.inviteTitle')}
      submitLabel={t('organisations.invite')}
      errorField="email"
      onSubmit={async ({ role, email, days }) => {
        const input = { organisationId, role, email: email.trim() || null, days: Number(days) };
        const { data } = await invite({ variables: { input } });
        if (data?.inviteMember) onInvited(data.inviteMember.link);
      }}
      onClose={onClose}
    >
      <SelectInput control={form.control} name="role" label={t('organisations.role')} choices={roleChoices(t)} />
      <TextInput
        control={form.control}
        name="email"
        label={t('organisations.inviteEmail')}
        hint={t('organisations.inviteEmailHint')}
        optional
      />
      <NumberInput control={form.control} name="days" label={t('organisations.inviteDays')} required />
    </FormDialog>
  );
}

function RoleDialog({
  member,
  onChanged,
  onClose,
}: {
  readonly member: MemberRowFragment;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const [setRole] = useMutation(SetMemberRoleDocument);
  const form = useForm({ defaultValues: { role: member.role } });
  return (
    <FormDialog
      form={form}
      title={t('organisations.changeRoleTitle', { name: member.username })}
      submitLabel={t('organisations.changeRole')}
      errorField="role"
      onSubmit={async ({ role }) => {
        await setRole({ variables: { input: { id: member.id, role } } });
        onChanged();
        toast.success(t('organisations.roleChanged', { name: member.username, role: t(`organisations.role_${role}`) }));
      }}
      onClose={onClose}
    >
      <SelectInput control={form.control} name="role" label={t('organisations.role')} choices={roleChoices(t)} />
    </FormDialog>
  );
}

const roleChoices = (t: TFunction) =>
  roles.map((role) => ({
    value: role,
    label: `${t(`organisations.role_${role}`)} – ${t(`organisations.hint_${role}`)}`,
  }));
