import Box from '@mui/material/Box';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { TextInput } from '../../components/form/inputs.js';
import { FormDialog } from '../../components/FormDialog.js';
import { toast } from '../../components/toast.js';
import { useIsShown } from '../../lib/useIsShown.js';
import { useStatus } from '../../lib/status.js';

/** The official account's QR code, and a field for the verification code that it sends. */
export function WeChatDialog({ open, ...rest }: WeChatDialogProps & { readonly open: boolean }) {
  return open ? <OpenDialog {...rest} /> : null;
}

interface WeChatDialogProps {
  readonly title: string;
  readonly submitLabel: string;
  /** Signs in or binds with the code. Resolves to the error message, if any; rejects with the server's error. */
  readonly onCode: (code: string) => Promise<string | null>;
  readonly onClose: () => void;
}

function OpenDialog({ title, submitLabel, onCode, onClose }: WeChatDialogProps) {
  const { t } = useTranslation();
  const { wechatQrcode } = useStatus();
  const form = useForm({ defaultValues: { code: '' } });
  const isShown = useIsShown();
  const submit = async ({ code }: { readonly code: string }) => {
    const problem = await onCode(code.trim());
    if (problem !== null) {
      if (isShown.current) form.setError('code', { message: problem }, { shouldFocus: true });
      else toast.error(problem);
    }
    return problem === null;
  };
  return (
    <FormDialog
      form={form}
      title={title}
      submitLabel={submitLabel}
      errorField="code"
      onSubmit={submit}
      onClose={onClose}
    >
      <Box sx={{ color: 'text.secondary' }}>{t('oauth.wechatText')}</Box>
      {wechatQrcode && (
        <Box
          component="img"
          src={wechatQrcode}
          alt={t('oauth.wechatQr')}
          sx={{
            display: 'block',
            width: 200,
            height: 200,
            mx: 'auto',
            objectFit: 'contain',
            borderRadius: '8px',
            border: '1px solid',
            borderColor: 'divider',
            backgroundColor: '#fff',
          }}
        />
      )}
      <TextInput
        control={form.control}
        name="code"
        label={t('oauth.wechatCode')}
        hint={t('oauth.wechatValid')}
        autoComplete="one-time-code"
        autoFocus
        rules={{ validate: (code) => code.trim() !== '' || t('oauth.wechatMissing') }}
      />
    </FormDialog>
  );
}
