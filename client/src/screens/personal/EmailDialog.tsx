import { useMutation } from '@apollo/client/react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { FormDialog } from '../../components/FormDialog.js';
import { useBotCheck } from '../../nouns/sign-in/Turnstile.js';
import { VerifiedEmailFields } from '../../nouns/sign-in/VerifiedEmailFields.js';
import { BindEmailDocument, SendBindingCodeDocument } from './personal.generated.js';

/** Binds an email address after it was verified with a code. */
export function EmailDialog({ onClose, onBound }: { readonly onClose: () => void; readonly onBound: () => void }) {
  const { t } = useTranslation();
  const check = useBotCheck();
  const [send] = useMutation(SendBindingCodeDocument);
  const [bind] = useMutation(BindEmailDocument);
  const form = useForm({ mode: 'onTouched', defaultValues: { email: '', code: '' } });
  return (
    <FormDialog
      form={form}
      title={t('personal.emailTitle')}
      submitLabel={t('oauth.bind')}
      errorField="code"
      onClose={onClose}
      onSubmit={async ({ email, code }) => {
        await bind({ variables: { input: { email: email.trim(), code: code.trim() } } });
        onBound();
      }}
    >
      <VerifiedEmailFields
        form={form}
        codeField="code"
        check={check}
        send={(input) => send({ variables: { input } })}
        autoFocus
      >
        {check.widget}
      </VerifiedEmailFields>
    </FormDialog>
  );
}
