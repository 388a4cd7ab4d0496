import { useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useBotCheck } from '../../sign-in/Turnstile.js';
import { TextInput } from '../../components/form/inputs.js';
import { toast } from '../../components/toast.js';
import { describeFailure, toFailure } from '../../lib/errors.js';
import { useCountdown } from '../../lib/useCountdown.js';
import { BindEmailDocument, SendBindingCodeDocument } from './personal.generated.js';

/** Seconds until another code can be requested. */
const resendAfter = 30;

interface EmailDialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onBound: () => void;
}

export function EmailDialog({ open, onClose, onBound }: EmailDialogProps) {
  const { t } = useTranslation();
  return (
    <Dialog open={open} onClose={onClose} maxWidth="xs" fullWidth aria-labelledby="email-title">
      <DialogTitle id="email-title">{t('personal.emailTitle')}</DialogTitle>
      <EmailForm onClose={onClose} onBound={onBound} />
    </Dialog>
  );
}

/** Binds an email address after it was verified with a code. */
function EmailForm({ onClose, onBound }: Omit<EmailDialogProps, 'open'>) {
  const { t } = useTranslation();
  const check = useBotCheck();
  const [send, { loading }] = useMutation(SendBindingCodeDocument);
  const [bind] = useMutation(BindEmailDocument);
  const [left, countDown] = useCountdown();
  const form = useForm({ mode: 'onTouched', defaultValues: { email: '', code: '' } });

  const askForCode = async () => {
    if (!(await form.trigger('email', { shouldFocus: true }))) return;
    if (check.waiting) {
      form.setError('email', { message: t('oauth.checking') });
      return;
    }
    const email = form.getValues('email').trim();
    try {
      await send({ variables: { email, ...(check.token ? { turnstile: check.token } : {}) } });
      countDown(resendAfter);
      toast.success(t('register.codeSent', { email }));
      form.setFocus('code');
    } catch (error) {
      check.renew();
      form.setError('email', { message: describeFailure(error, t) });
    }
  };
  const submit = form.handleSubmit(async ({ email, code }) => {
    try {
      await bind({ variables: { email: email.trim(), code: code.trim() } });
    } catch (error) {
      const at = toFailure(error).field === 'email' ? 'email' : 'code';
      form.setError(at, { message: describeFailure(error, t) }, { shouldFocus: true });
      return;
    }
    onClose();
    onBound();
  });

  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}>
        <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr) 128px', gap: 1, alignItems: 'start' }}>
          <TextInput
            control={form.control}
            name="email"
            type="email"
            label={t('register.email')}
            autoComplete="email"
            autoFocus
            rules={{ validate: (email) => /^\S+@\S+\.\S+$/.test(email.trim()) || t('register.emailMissing') }}
          />
          <Button
            variant="outlined"
            className="num"
            sx={{ mt: '23px', minHeight: { xs: 36, sm: 32 } }}
            disabled={left > 0}
            loading={loading}
            onClick={() => void askForCode()}
          >
            {left > 0 ? t('register.resendIn', { count: left }) : t('register.sendCode')}
          </Button>
        </Box>
        {check.widget}
        <TextInput
          control={form.control}
          name="code"
          label={t('register.code')}
          autoComplete="one-time-code"
          rules={{ validate: (code) => code.trim() !== '' || t('register.codeMissing') }}
        />
      </DialogContent>
      <DialogActions>
        <Button variant="outlined" onClick={onClose}>
          {t('actions.cancel')}
        </Button>
        <Button type="submit" variant="contained" loading={form.formState.isSubmitting}>
          {t('oauth.bind')}
        </Button>
      </DialogActions>
    </form>
  );
}
