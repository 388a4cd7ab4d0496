import { useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { EditorDrawer } from '../../components/form/EditorDrawer.js';
import { TextInput } from '../../components/form/inputs.js';
import { DrawerSection } from '../../components/SideDrawer.js';
import { toast } from '../../components/toast.js';
import type { Permission } from '../../lib/permissions.js';
import { useIdempotencyKey } from '../../lib/useIdempotencyKey.js';
import {
  CreateCustomRoleDocument,
  UpdateCustomRoleDocument,
  type CustomRolePartsFragment,
  type CustomRolesQuery,
} from './roles.generated.js';

type Info = CustomRolesQuery['permissions'][number];

const areas = ['CHANNELS', 'USERS', 'MONEY', 'LOGS', 'SITE'] as const;

/** Name and permissions of a custom role. Permissions that another one includes are ticked and cannot be taken out. */
export function RoleEditor(props: {
  /** Null creates a role. */
  readonly role: CustomRolePartsFragment | null;
  readonly permissions: readonly Info[];
  readonly onSaved: () => void;
  readonly onClosed: () => void;
}) {
  const { role, permissions, onSaved, onClosed } = props;
  const { t } = useTranslation();
  const keyOf = useIdempotencyKey();
  const [create] = useMutation(CreateCustomRoleDocument);
  const [update] = useMutation(UpdateCustomRoleDocument);
  const form = useForm<{ name: string; permissions: Permission[] }>({
    mode: 'onTouched',
    defaultValues: { name: role?.name ?? '', permissions: [...(role?.permissions ?? [])] },
  });
  const chosen = form.watch('permissions');
  const { error } = form.getFieldState('permissions', form.formState);
  const included = new Set(
    permissions.filter(({ permission }) => chosen.includes(permission)).flatMap(({ implies }) => implies),
  );
  const toggle = (permission: Permission, on: boolean) => {
    const next = permissions
      .map((one) => one.permission)
      .filter((one) => (one === permission ? on : chosen.includes(one)));
    form.setValue('permissions', next, { shouldDirty: true });
    form.clearErrors('permissions');
  };
  return (
    <EditorDrawer
      form={form}
      width={640}
      title={role ? t('customRoles.edit') : t('customRoles.add')}
      saveLabel={t('customRoles.save')}
      onClosed={onClosed}
      pageHasGuard
      onSave={async ({ name, permissions: wanted }) => {
        if (wanted.length === 0) {
          form.setError('permissions', { message: t('customRoles.needsOne') });
          return false;
        }
        const input = { name: name.trim(), permissions: wanted };
        if (role) await update({ variables: { input: { id: role.id, ...input } } });
        else await create({ variables: { input: { ...input, idempotencyKey: keyOf(input) } } });
        toast.success(t('customRoles.saved', { name: input.name }));
        onSaved();
        return true;
      }}
    >
      <DrawerSection title={t('customRoles.one')}>
        <TextInput
          control={form.control}
          name="name"
          label={t('fields.name')}
          required
          maxLength={64}
          rules={{ required: t('customRoles.needsName') }}
        />
        {error?.message && (
          <Box role="alert" sx={{ color: 'error.main', fontSize: 13 }}>
            {error.message}
          </Box>
        )}
      </DrawerSection>
      {areas.map((area) => (
        <DrawerSection key={area} title={t(`customRoles.areas.${area}`)}>
          {permissions
            .filter((one) => one.area === area)
            .map(({ permission, name }) => (
              <FormControlLabel
                key={permission}
                sx={{ alignItems: 'flex-start', mr: 0 }}
                control={
                  <Checkbox
                    size="small"
                    checked={chosen.includes(permission) || included.has(permission)}
                    disabled={included.has(permission)}
                    onChange={(_, on) => toggle(permission, on)}
                    slotProps={{ input: { 'aria-label': name } }}
                  />
                }
                label={
                  <Box sx={{ pt: '5px' }}>
                    <Box sx={{ fontWeight: 500 }}>{name}</Box>
                    <Box sx={{ fontSize: 12.5, color: 'text.secondary' }}>
                      {t(`customRoles.permissions.${permission}`)}
                    </Box>
                  </Box>
                }
              />
            ))}
        </DrawerSection>
      ))}
    </EditorDrawer>
  );
}
