import { useMutation } from '@apollo/client/react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { EditorDrawer } from '../../components/form/EditorDrawer.js';
import { TextInput } from '../../components/form/inputs.js';
import { DrawerSection } from '../../components/SideDrawer.js';
import { toast } from '../../components/toast.js';
import { CreateUserDocument } from './users.generated.js';

export function AddUser({ onSaved, onClosed }: { readonly onSaved: () => void; readonly onClosed: () => void }) {
  const { t } = useTranslation();
  const [create] = useMutation(CreateUserDocument);
  const form = useForm({ mode: 'onTouched', defaultValues: { username: '', displayName: '', password: '' } });
  return (
    <EditorDrawer
      form={form}
      width={480}
      title={t('users.add')}
      meta={t('users.addMeta')}
      saveLabel={t('users.create')}
      onClosed={onClosed}
      onSave={async ({ username, displayName, password }) => {
        await create({
          variables: { input: { username: username.trim(), displayName: displayName.trim(), password } },
        });
        toast.success(t('users.created', { name: username.trim() }));
        onSaved();
      }}
    >
      <DrawerSection title={t('users.account')}>
        <TextInput
          control={form.control}
          name="username"
          label={t('users.username')}
          required
          autoFocus
          maxLength={12}
          rules={{ validate: (value) => value.trim() !== '' || t('users.usernameMissing') }}
        />
        <TextInput control={form.control} name="displayName" label={t('users.displayName')} optional maxLength={20} />
        <TextInput
          control={form.control}
          name="password"
          type="password"
          label={t('users.password')}
          required
          autoComplete="new-password"
          hint={t('users.passwordHint')}
          rules={{ required: t('users.passwordMissing'), minLength: { value: 8, message: t('users.passwordShort') } }}
        />
      </DrawerSection>
    </EditorDrawer>
  );
}
