import type { Control, FieldPath, FieldValues } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { TextInput } from '../../components/form/inputs.js';

/** Username, display name and password of an account. For an existing account an empty password keeps the old one. */
export function AccountFields<T extends FieldValues>({
  control,
  isNew = false,
  passwordHint,
}: {
  readonly control: Control<T>;
  readonly isNew?: boolean;
  /** Default: the minimum length. */
  readonly passwordHint?: string;
}) {
  const { t } = useTranslation();
  const isLong = (value: string) => value.length >= 8 || t('users.passwordShort');
  return (
    <>
      <TextInput
        control={control}
        name={'username' as FieldPath<T>}
        label={t('fields.username')}
        required
        autoFocus={isNew}
        maxLength={12}
        rules={{
          validate: (value) => String(value).trim() !== '' || t(isNew ? 'users.missing' : 'login.usernameMissing'),
        }}
      />
      <TextInput
        control={control}
        name={'displayName' as FieldPath<T>}
        label={t('users.displayName')}
        optional
        maxLength={20}
      />
      <TextInput
        control={control}
        name={'password' as FieldPath<T>}
        type="password"
        label={isNew ? t('fields.password') : t('fields.newPassword')}
        required={isNew}
        optional={!isNew}
        autoComplete="new-password"
        placeholder={isNew ? '' : t('users.passwordUnchanged')}
        hint={passwordHint ?? t('users.passwordHint')}
        rules={{
          validate: (value) => (value === '' ? !isNew || t('users.missing') : isLong(String(value))),
        }}
      />
    </>
  );
}

/** The id of a user in a system of the operator. */
export function ExternalIdInput<T extends FieldValues>({ control }: { readonly control: Control<T> }) {
  const { t } = useTranslation();
  return (
    <TextInput
      control={control}
      name={'externalId' as FieldPath<T>}
      label={t('users.externalId')}
      hint={t('users.externalIdHint')}
      optional
      mono
      maxLength={128}
    />
  );
}
