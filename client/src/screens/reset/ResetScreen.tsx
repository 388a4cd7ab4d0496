import { useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import MuiLink from '@mui/material/Link';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useBotCheck } from '../../nouns/sign-in/Turnstile.js';
import { TextInput } from '../../components/form/inputs.js';
import { Logo } from '../../components/Logo.js';
import { Notice } from '../../components/Notice.js';
import { PublicPage } from '../../components/PublicPage.js';
import { describeFailure } from '../../lib/errors.js';
import { useCountdown } from '../../lib/useCountdown.js';
import { RequestPasswordResetDocument } from './reset.generated.js';

/** Seconds until another email can be requested. */
const resendAfter = 30;

/** Requests an email with a reset link. The response does not reveal whether the address is registered. */
export function ResetScreen() {
  const { t } = useTranslation();
  const [request] = useMutation(RequestPasswordResetDocument);
  const [left, countDown] = useCountdown();
  const check = useBotCheck();
  const [sentTo, setSentTo] = useState('');
  const form = useForm({ mode: 'onTouched', defaultValues: { email: '' } });
  const submit = form.handleSubmit(async ({ email }) => {
    if (check.waiting) {
      form.setError('email', { message: t('oauth.checking') });
      return;
    }
    try {
      const input = { email: email.trim(), ...(check.token ? { turnstile: check.token } : {}) };
      await request({ variables: { input } });
      setSentTo(email.trim());
      countDown(resendAfter);
    } catch (error) {
      check.renew();
      form.setError('email', { message: describeFailure(error, t) });
    }
  });
  return (
    <PublicPage width={376} logo={<Logo size={34} />} title={t('reset.title')} intro={t('reset.intro')}>
      <Box
        component="form"
        noValidate
        onSubmit={(event) => void submit(event)}
        sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}
      >
        {sentTo && <Notice tone="blue">{t('reset.sent', { email: sentTo })}</Notice>}
        <TextInput
          control={form.control}
          name="email"
          type="email"
          label={t('fields.email')}
          autoComplete="email"
          autoFocus
          large
          rules={{ validate: (email) => /^\S+@\S+$/.test(email.trim()) || t('register.emailMissing') }}
        />
        {check.widget}
        <Button
          type="submit"
          size="large"
          variant="contained"
          fullWidth
          className="num"
          disabled={left > 0}
          loading={form.formState.isSubmitting}
        >
          {left > 0 ? t('reset.again', { count: left }) : t('reset.submit')}
        </Button>
        <MuiLink component={Link} to="/login" sx={{ alignSelf: 'center' }}>
          {t('reset.back')}
        </MuiLink>
      </Box>
    </PublicPage>
  );
}
