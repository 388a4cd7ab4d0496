import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { TextInput } from '../components/form/inputs.js';
import type { SessionUser } from '../lib/session.js';
import { useStatus } from '../lib/status.js';
import { askOAuth } from './oauthApi.js';

/** The official account's QR code, and a field for the verification code that it sends. */
export function WeChatDialog({
  open,
  onClose,
  onSignedIn,
  onBind,
}: {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onSignedIn?: (user: SessionUser) => void;
  /** Binds with the code instead of signing in. @returns the error message, or null */
  readonly onBind?: (code: string) => Promise<string | null>;
}) {
  const { t } = useTranslation();
  const { wechatQrcode } = useStatus();
  const form = useForm({ defaultValues: { code: '' } });
  const submit = form.handleSubmit(async ({ code }) => {
    let problem: string | null;
    if (onBind) problem = await onBind(code.trim());
    else {
      const answer = await askOAuth('wechat', new URLSearchParams({ code: code.trim() }));
      if (answer.kind === 'signedIn') onSignedIn?.(answer.user);
      problem = answer.kind === 'refused' ? answer.message || t('errors.network') : null;
    }
    if (problem !== null) {
      form.setError('code', { message: problem }, { shouldFocus: true });
      return;
    }
    form.reset();
    onClose();
  });
  return (
    <Dialog open={open} onClose={onClose} maxWidth="xs" fullWidth aria-labelledby="wechat-title">
      <form noValidate onSubmit={(event) => void submit(event)}>
        <DialogTitle id="wechat-title">{onBind ? t('oauth.wechatBind') : t('oauth.wechatTitle')}</DialogTitle>
        <DialogContent>
          <Box sx={{ mb: 2, color: 'text.secondary' }}>{t('oauth.wechatText')}</Box>
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
                mb: 2,
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
        </DialogContent>
        <DialogActions>
          <Button variant="outlined" onClick={onClose}>
            {t('actions.cancel')}
          </Button>
          <Button type="submit" variant="contained" loading={form.formState.isSubmitting}>
            {onBind ? t('oauth.bind') : t('shell.signIn')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
