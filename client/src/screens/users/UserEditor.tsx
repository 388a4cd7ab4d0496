import { skipToken, useMutation, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { BudgetSection } from '../../nouns/budgets/BudgetSection.js';
import { EmptyState } from '../../components/EmptyState.js';
import { LoadFailure } from '../../components/LoadFailure.js';
import { AccountFields, ExternalIdInput } from '../../nouns/users/AccountFields.js';
import { EditorDrawer } from '../../components/form/EditorDrawer.js';
import { SelectInput } from '../../components/form/SelectInput.js';
import { DrawerSection, NameValues, SideDrawer } from '../../components/SideDrawer.js';
import { Dash } from '../../components/Text.js';
import { toast } from '../../components/toast.js';
import { useFailureToast } from '../../components/useFailureToast.js';
import { dateTime, integer } from '../../lib/format.js';
import { idPattern } from '../../lib/gridState.js';
import { may } from '../../lib/permissions.js';
import { rootRole } from '../../lib/session.js';
import type { SessionUser } from '../../lib/sessionUser.js';
import { useFormat } from '../../lib/useFormat.js';
import { RoleSection } from './RoleSection.js';
import { mayManage } from './userCells.js';
import {
  UpdateUserDocument,
  UserDocument,
  UserGroupsDocument,
  type IdentityProvider,
  type UpdateUserInput,
  type UserQuery,
  type UserRowFragment,
} from './users.generated.js';

export interface UserEditorProps {
  readonly id: number;
  readonly viewer: SessionUser | null;
  readonly onSaved: () => void;
  readonly onGrant: (user: UserRowFragment) => void;
  readonly onClosed: () => void;
}

export function UserEditor(props: UserEditorProps) {
  const { t } = useTranslation();
  const isId = idPattern.test(String(props.id));
  const { data, error, refetch } = useQuery(
    UserDocument,
    // The form keeps the values that it begins with.
    isId ? { variables: { id: props.id }, fetchPolicy: 'network-only' } : skipToken,
  );
  if (data?.user) return <UserForm {...props} user={data.user} />;
  // The drawer opens once its data is loaded, and not as an empty panel.
  if (isId && !error && !data) return null;
  return (
    <SideDrawer open width={480} title={t('users.edit')} meta={isId && `#${props.id}`} onClose={props.onClosed}>
      {error ? (
        <LoadFailure title={t('users.loadFailed')} error={error} onRetry={() => void refetch()} />
      ) : (
        <EmptyState title={t('users.gone')} />
      )}
    </SideDrawer>
  );
}

function UserForm({
  user,
  viewer,
  onSaved,
  onGrant,
  onClosed,
}: UserEditorProps & { readonly user: NonNullable<UserQuery['user']> }) {
  const { t } = useTranslation();
  const { money } = useFormat();
  const [update] = useMutation(UpdateUserDocument);
  const choices = useQuery(UserGroupsDocument, { fetchPolicy: 'cache-first' });
  useFailureToast(choices.error, true);
  const groups = choices.data?.groups ?? [];
  const form = useForm({
    mode: 'onTouched',
    defaultValues: {
      username: user.username,
      displayName: user.displayName,
      externalId: user.externalId ?? '',
      password: '',
      group: user.group,
    },
  });
  const { dirtyFields } = form.formState;
  const subjectAt = (wanted: IdentityProvider) =>
    user.identities.find(({ provider }) => provider === wanted)?.subject ?? <Dash />;
  const own = viewer?.id === user.id;
  const writes = may(viewer, 'USERS_WRITE');
  const isOrganisation = user.kind === 'ORGANISATION';
  const isRoot = (viewer?.role ?? 0) >= rootRole;
  return (
    <EditorDrawer
      form={form}
      width={480}
      title={writes ? t('users.edit') : t('users.view')}
      meta={t('fields.createdMeta', { id: user.id, time: dateTime(user.createdAt) })}
      saveLabel={t('users.save')}
      readOnly={!writes}
      onClosed={onClosed}
      onSave={async (values) => {
        const changed = Object.keys(dirtyFields) as (keyof typeof values)[];
        const input = Object.fromEntries(
          changed.map((name) => [name, name === 'password' ? values[name] : values[name].trim()]),
        ) as Omit<UpdateUserInput, 'id'>;
        if (input.password === '') delete input.password;
        if (Object.keys(input).length > 0) await update({ variables: { input: { id: user.id, ...input } } });
        toast.success(t('users.saved', { name: values.username.trim() }));
        onSaved();
      }}
    >
      <DrawerSection title={t('users.account')}>
        {writes && !isOrganisation ? (
          <AccountFields control={form.control} />
        ) : (
          <NameValues
            rows={[
              [t('fields.username'), user.username],
              [t('users.displayName'), user.displayName || <Dash />],
              [t('users.kind'), t(`users.kinds.${user.kind}`)],
            ]}
          />
        )}
        {writes ? (
          <ExternalIdInput control={form.control} />
        ) : (
          <NameValues rows={[[t('users.externalId'), user.externalId ?? <Dash />]]} />
        )}
      </DrawerSection>
      <DrawerSection title={t('users.groupAndQuota')}>
        {writes ? (
          <SelectInput
            control={form.control}
            name="group"
            label={t('fields.group')}
            choices={[...new Set([user.group, ...groups])].map((name) => ({ value: name, label: name }))}
          />
        ) : (
          <NameValues rows={[[t('fields.group'), user.group]]} />
        )}
        <Box sx={{ display: 'flex', alignItems: 'flex-end', justifyContent: 'space-between', gap: 2 }}>
          <Box>
            <Box sx={{ fontSize: 12.5, color: 'text.secondary' }}>{t('fields.quotaLeft')}</Box>
            <Typography variant="h2" component="p" className="num">
              {money(user.quota, 'balance')}
            </Typography>
            <Box className="num" sx={{ fontSize: 12, color: 'text.secondary' }}>
              {t('users.usedIn', {
                amount: money(user.usedQuota, 'balance'),
                count: user.requestCount,
                requests: integer(user.requestCount),
              })}
            </Box>
          </Box>
          {may(viewer, 'USERS_QUOTA') && (
            <Button variant="outlined" disabled={!own && !mayManage(viewer, user)} onClick={() => onGrant(user)}>
              {t('users.grant')}
            </Button>
          )}
        </Box>
      </DrawerSection>
      {isRoot && user.role === 'COMMON' && !isOrganisation && <RoleSection user={user} onSaved={onSaved} />}
      {may(viewer, 'BUDGETS') && <BudgetSection subject={{ level: 'USER', subjectId: user.id }} />}
      {!isOrganisation && (
        <DrawerSection title={t('users.bindings')} explanation={t('users.bindingsText')}>
          <NameValues
            rows={[
              [t('fields.email'), user.email ?? <Dash />],
              ['GitHub', subjectAt('GITHUB')],
              ['OIDC', subjectAt('OIDC')],
              ['Linux DO', subjectAt('LINUXDO')],
              [t('users.wechat'), subjectAt('WECHAT')],
              ['Telegram', subjectAt('TELEGRAM')],
            ]}
          />
        </DrawerSection>
      )}
    </EditorDrawer>
  );
}
