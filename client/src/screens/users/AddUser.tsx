import { useMutation } from '@apollo/client/react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { AccountFields, ExternalIdInput } from '../../nouns/users/AccountFields.js';
import { EditorDrawer } from '../../components/form/EditorDrawer.js';
import { DrawerSection } from '../../components/SideDrawer.js';
import { toast } from '../../components/toast.js';
import { CreateUserDocument } from './users.generated.js';

export function AddUser({ onSaved, onClosed }: { readonly onSaved: () => void; readonly onClosed: () => void }) {
  const { t } = useTranslation();
  const [create] = useMutation(CreateUserDocument);
  const form = useForm({
    mode: 'onTouched',
    defaultValues: { username: '', displayName: '', password: '', externalId: '' },
  });
  return (
    <EditorDrawer
      form={form}
      width={480}
      title={t('users.add')}
      meta={t('users.addMeta')}
      saveLabel={t('users.create')}
      onClosed={onClosed}
      onSave={async ({ username, displayName, password, externalId }) => {
        const input = {
          username: username.trim(),
          displayName: displayName.trim(),
          password,
          externalId: externalId.trim() || null,
        };
        await create({ variables: { input } });
        toast.success(t('users.created', { name: input.username }));
        onSaved();
      }}
    >
      <DrawerSection title={t('users.account')}>
        <AccountFields control={form.control} isNew />
        <ExternalIdInput control={form.control} />
      </DrawerSection>
    </EditorDrawer>
  );
}
