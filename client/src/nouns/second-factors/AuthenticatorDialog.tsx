import { useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import { QRCodeSVG } from 'qrcode.react';
import { useEffect } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../../components/CodeBlock.js';
import { TextInput } from '../../components/form/inputs.js';
import { FormDialog } from '../../components/FormDialog.js';
import { useFailureToast } from '../../components/useFailureToast.js';
import { BeginAuthenticatorAppDocument, ConfirmAuthenticatorAppDocument } from './ownFactors.generated.js';

/** Sets up an authenticator app: scan or type the secret, then enter the first code. */
export function AuthenticatorDialog({
  onDone,
  onClose,
}: {
  readonly onDone: (recoveryCodes: readonly string[]) => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const [begin, { data, error }] = useMutation(BeginAuthenticatorAppDocument);
  const [confirm] = useMutation(ConfirmAuthenticatorAppDocument);
  const form = useForm({ defaultValues: { code: '' } });
  useFailureToast(error, true);
  useEffect(() => {
    begin().catch(() => undefined);
  }, [begin]);
  const made = data?.beginAuthenticatorApp;
  return (
    <FormDialog
      form={form}
      title={t('factors.appTitle')}
      submitLabel={t('factors.appDone')}
      disabled={!made}
      errorField="code"
      onClose={onClose}
      onSubmit={async ({ code }) => {
        const result = await confirm({ variables: { code } });
        onDone(result.data?.confirmAuthenticatorApp.recoveryCodes ?? []);
      }}
    >
      <Box sx={{ color: 'text.secondary' }}>{t('factors.appText')}</Box>
      {made && (
        <>
          {/* Cameras read dark modules on a light ground, so this does not follow the colour scheme. */}
          <Box sx={{ alignSelf: 'center', padding: 1.5, backgroundColor: '#fff', borderRadius: 1, lineHeight: 0 }}>
            <QRCodeSVG value={made.uri} size={176} title={t('factors.qrCode')} />
          </Box>
          <CodeBlock text={made.secret} copyLabel={t('factors.copySecret')} />
        </>
      )}
      <TextInput
        control={form.control}
        name="code"
        label={t('secondFactor.code')}
        rules={{ required: t('secondFactor.codeMissing') }}
        autoComplete="one-time-code"
        mono
      />
    </FormDialog>
  );
}
