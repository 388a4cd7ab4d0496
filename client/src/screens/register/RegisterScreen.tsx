import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import MuiLink from '@mui/material/Link';
import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Link, Navigate, useNavigate, useSearchParams } from 'react-router-dom';
import { SignInWith } from '../../nouns/sign-in/SignInWith.js';
import { useBotCheck } from '../../nouns/sign-in/Turnstile.js';
import { VerifiedEmailFields } from '../../nouns/sign-in/VerifiedEmailFields.js';
import { TextInput } from '../../components/form/inputs.js';
import { Logo } from '../../components/Logo.js';
import { Notice } from '../../components/Notice.js';
import { PublicPage } from '../../components/PublicPage.js';
import { describeFailure } from '../../lib/errors.js';
import { useClient } from '../../lib/graphqlClient.js';
import { useSession } from '../../lib/session.js';
import { showFormError } from '../../components/form/showFormError.js';
import { useStatus } from '../../lib/status.js';
import { readText, writeText } from '../../lib/storage.js';
import { RegisterDocument, SendEmailCodeDocument } from './register.generated.js';

/** Storage key of the invite code, kept until the visitor registers. */
const referralKey = 'aff';

export function RegisterScreen() {
  const { t } = useTranslation();
  const { systemName, registerEnabled, passwordRegisterEnabled, emailVerification } = useStatus();
  const client = useClient();
  const user = useSession();
  const navigate = useNavigate();
  const [params] = useSearchParams();
  const given = params.get(referralKey);
  useEffect(() => {
    if (given) writeText(referralKey, given);
  }, [given]);
  const referral = given ?? readText(referralKey) ?? '';
  const form = useForm({
    mode: 'onTouched',
    defaultValues: { username: '', password: '', confirm: '', email: '', verificationCode: '' },
  });
  const { control } = form;
  const [entering, setEntering] = useState(false);
  const check = useBotCheck();
  const turnstile = check.token ? { turnstile: check.token } : {};

  if (user && !entering && !form.formState.isSubmitting) return <Navigate to="/token" replace />;

  const submit = form.handleSubmit(async ({ username, password, email, verificationCode }) => {
    if (check.waiting) {
      form.setError('root', { message: t('oauth.checking') });
      return;
    }
    try {
      await (
        await client()
      ).mutate({
        mutation: RegisterDocument,
        variables: {
          input: {
            username: username.trim(),
            password,
            ...(emailVerification ? { email: email.trim(), verificationCode: verificationCode.trim() } : {}),
            ...(referral ? { inviteCode: referral } : {}),
            ...turnstile,
          },
        },
      });
      writeText(referralKey, null);
      await navigate('/login', { state: { registered: username.trim() } });
    } catch (error) {
      check.renew();
      if (!showFormError(form, error, t)) form.setError('root', { message: describeFailure(error, t) });
    }
  });

  const closed = !(registerEnabled && passwordRegisterEnabled);
  return (
    <PublicPage
      width={376}
      logo={<Logo size={34} />}
      title={t('register.title', { name: systemName })}
      intro={
        <>
          {t('register.haveOne')}{' '}
          <MuiLink component={Link} to="/login">
            {t('shell.signIn')}
          </MuiLink>
        </>
      }
    >
      {closed ? (
        <Notice tone="amber">{t('register.closed')}</Notice>
      ) : (
        <Box
          component="form"
          noValidate
          onSubmit={(event) => void submit(event)}
          sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}
        >
          {form.formState.errors.root?.message && <Notice tone="red">{form.formState.errors.root.message}</Notice>}
          <TextInput
            control={control}
            name="username"
            label={t('fields.username')}
            autoComplete="username"
            autoFocus
            large
            maxLength={12}
            rules={{ validate: (value) => value.trim() !== '' || t('register.missing') }}
          />
          <TextInput
            control={control}
            name="password"
            type="password"
            label={t('fields.password')}
            placeholder={t('register.passwordHint')}
            autoComplete="new-password"
            large
            rules={{ required: t('register.missing'), minLength: { value: 8, message: t('register.passwordShort') } }}
          />
          <TextInput
            control={control}
            name="confirm"
            type="password"
            label={t('fields.confirmPassword')}
            autoComplete="new-password"
            large
            rules={{ validate: (value, { password }) => value === password || t('fields.passwordMismatch') }}
          />
          {emailVerification && (
            <VerifiedEmailFields
              form={form}
              codeField="verificationCode"
              check={check}
              send={async (input) => (await client()).mutate({ mutation: SendEmailCodeDocument, variables: { input } })}
              large
            />
          )}
          {referral && (
            <Box sx={{ fontSize: 12, color: 'text.secondary' }}>{t('register.referral', { code: referral })}</Box>
          )}
          {check.widget}
          <Button type="submit" size="large" variant="contained" fullWidth loading={form.formState.isSubmitting}>
            {t('register.submit')}
          </Button>
        </Box>
      )}
      {registerEnabled && <SignInWith onEnter={() => setEntering(true)} inviteCode={referral || undefined} />}
    </PublicPage>
  );
}
