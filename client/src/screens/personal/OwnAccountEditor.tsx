import { useMutation } from '@apollo/client/react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { AccountFields } from '../../nouns/users/AccountFields.js';
import { EditorDrawer } from '../../components/form/EditorDrawer.js';
import { TextInput } from '../../components/form/inputs.js';
import { DrawerSection } from '../../components/SideDrawer.js';
import { toast } from '../../components/toast.js';
import { session } from '../../lib/session.js';
import type { Me } from './IdentityCard.js';
import { UpdateMeDocument, type UpdateMeInput } from './personal.generated.js';

/** Edits the user's own name and password. Group and quota are for admins. */
export function OwnAccountEditor({
  me,
  onSaved,
  onClosed,
}: {
  readonly me: Me;
  readonly onSaved: () => void;
  readonly onClosed: () => void;
}) {
  const { t } = useTranslation();
  const [update] = useMutation(UpdateMeDocument);
  const form = useForm({
    mode: 'onTouched',
    defaultValues: { username: me.username, displayName: me.displayName, password: '', originalPassword: '' },
  });
  const { dirtyFields } = form.formState;
  const password = useWatch({ control: form.control, name: 'password' });
  return (
    <EditorDrawer
      form={form}
      width={480}
      title={t('personal.editTitle')}
      meta={`#${me.id}`}
      saveLabel={t('fields.save')}
      onClosed={onClosed}
      onSave={async (values) => {
        const input: UpdateMeInput = {
          ...(dirtyFields.username ? { username: values.username.trim() } : {}),
          ...(dirtyFields.displayName ? { displayName: values.displayName.trim() } : {}),
          ...(values.password ? { password: values.password, originalPassword: values.originalPassword } : {}),
        };
        if (Object.keys(input).length > 0) {
          const { data } = await update({ variables: { input } });
          const user = session.get();
          // The top bar shows the name stored in the session.
          if (data && user) {
            session.start({
              ...user,
              username: data.updateMe.user.username,
              displayName: data.updateMe.user.displayName,
            });
          }
        }
        toast.success(t('fields.saved'));
        onSaved();
      }}
    >
      <DrawerSection title={t('personal.tabs.account')}>
        <AccountFields control={form.control} passwordHint={t('personal.passwordText')} />
        {password !== '' && (
          <TextInput
            control={form.control}
            name="originalPassword"
            type="password"
            label={t('personal.originalPassword')}
            required
            autoComplete="current-password"
            rules={{ validate: (value) => value !== '' || t('login.passwordMissing') }}
          />
        )}
      </DrawerSection>
    </EditorDrawer>
  );
}
