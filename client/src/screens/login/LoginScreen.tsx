import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import MuiLink from '@mui/material/Link';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Link, Navigate, useLocation, useNavigate, useSearchParams } from 'react-router-dom';
import { returnPath } from '../../nouns/sign-in/returnPath.js';
import { canUsePasskeys } from '../../nouns/second-factors/passkeys.js';
import { PasskeyButton } from '../../nouns/second-factors/PasskeyButton.js';
import { secondFactorPath } from '../../lib/confirmation.js';
import { SignInWith } from '../../nouns/sign-in/SignInWith.js';
import { useBotCheck } from '../../nouns/sign-in/Turnstile.js';
import { TextInput } from '../../components/form/inputs.js';
import { lazyPart } from '../../components/lazyPart.js';
import { Logo } from '../../components/Logo.js';
import { Notice } from '../../components/Notice.js';
import { PublicPage } from '../../components/PublicPage.js';
import { toast } from '../../components/toast.js';
import { describeFailure } from '../../lib/errors.js';
import { useClient, withClient } from '../../lib/graphqlClient.js';
import { session, toSessionUser, useSession } from '../../lib/session.js';
import type { SessionUser } from '../../lib/sessionUser.js';
import { canRegister } from '../../lib/site-status.js';
import { useStatus } from '../../lib/status.js';
import { readText } from '../../lib/storage.js';
import { LoginDocument } from './login.generated.js';

const SecondFactorStep = lazyPart(
  withClient(async () => (await import('../../nouns/second-factors/SecondFactorStep.js')).SecondFactorStep),
);
const DefaultPasswordDialog = lazyPart(
  withClient(async () => (await import('./DefaultPasswordDialog.js')).DefaultPasswordDialog),
);

export function LoginScreen() {
  const { t } = useTranslation();
  const status = useStatus();
  const { systemName, passwordLoginEnabled } = status;
  const { state } = useLocation() as { state: unknown };
  const navigate = useNavigate();
  const client = useClient();
  const user = useSession();
  const check = useBotCheck();
  const [entering, setEntering] = useState(false);
  const [warned, setWarned] = useState<SessionUser | null>(null);
  const registered = registeredName(state);
  const form = useForm({ mode: 'onTouched', defaultValues: { username: registered, password: '' } });
  const [params] = useSearchParams();
  const step = params.get('step');
  const refused = form.formState.errors.root?.message;

  if (user && !warned && !entering && !form.formState.isSubmitting) return <Navigate to={returnPath(state)} replace />;

  const submit = form.handleSubmit(async (input) => {
    if (check.waiting) {
      form.setError('root', { message: t('oauth.checking') });
      return;
    }
    const username = input.username.trim();
    const turnstile = check.token ? { turnstile: check.token } : {};
    try {
      const variables = { input: { ...input, username, ...turnstile } };
      const { data } = await (await client()).mutate({ mutation: LoginDocument, variables });
      if (!data) return;
      if (data.login.needsSecondFactor || !data.login.user) {
        await navigate(secondFactorPath, { state });
        return;
      }
      await (await client()).clearStore();
      const signedIn = toSessionUser(data.login.user);
      if (isDefault(username, input.password)) setWarned(signedIn);
      session.start(signedIn);
      toast.success(t('oauth.signedIn'));
      if (!isDefault(username, input.password)) await navigate(returnPath(state), { replace: true });
    } catch (error) {
      check.renew();
      form.setError('root', { message: describeFailure(error, t) });
      form.setFocus('password', { shouldSelect: true });
    }
  });

  /** After the second step, or with a passkey alone. */
  const finish = async (signedIn: SessionUser) => {
    setEntering(true);
    await (await client()).clearStore();
    session.start(signedIn);
    toast.success(t('oauth.signedIn'));
    await navigate(returnPath(state), { replace: true });
  };

  return (
    <PublicPage
      width={376}
      logo={<Logo size={34} />}
      title={step === 'second-factor' ? t('secondFactor.title') : t('login.title', { name: systemName })}
      intro={
        step === null &&
        canRegister(status) && (
          <>
            {t('login.noAccount')}{' '}
            <MuiLink component={Link} to="/register">
              {t('shell.register')}
            </MuiLink>
          </>
        )
      }
    >
      {!passwordLoginEnabled && refused === undefined && step === null && (
        <Box sx={{ mb: 2 }}>
          <Reason isNew={registered !== ''} />
        </Box>
      )}
      {step === 'second-factor' ? (
        <SecondFactorStep onDone={finish} />
      ) : passwordLoginEnabled ? (
        <Box
          component="form"
          noValidate
          onSubmit={(event) => void submit(event)}
          sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}
        >
          {refused ? (
            <Notice tone="red" icon={false}>
              {refused}
            </Notice>
          ) : (
            <Reason isNew={registered !== ''} />
          )}
          <TextInput
            control={form.control}
            name="username"
            label={t('login.username')}
            rules={{ required: t('login.missing') }}
            autoComplete="username"
            autoFocus={registered === ''}
            large
          />
          <TextInput
            control={form.control}
            name="password"
            type="password"
            label={t('fields.password')}
            rules={{ required: t('login.missing') }}
            autoComplete="current-password"
            autoFocus={registered !== ''}
            large
            aside={
              <MuiLink component={Link} to="/reset" sx={{ fontSize: 12.5 }}>
                {t('login.forgot')}
              </MuiLink>
            }
          />
          {check.widget}
          <Button type="submit" size="large" variant="contained" fullWidth loading={form.formState.isSubmitting}>
            {t('shell.signIn')}
          </Button>
        </Box>
      ) : (
        <Notice tone="amber">{t('oauth.passwordOff')}</Notice>
      )}
      {step === 'second-factor' ? (
        <MuiLink
          component={Link}
          to="/login"
          replace
          state={state}
          sx={{ display: 'block', mt: 2, textAlign: 'center' }}
        >
          {t('secondFactor.signInAsOther')}
        </MuiLink>
      ) : (
        <>
          {canUsePasskeys() && <PasskeyButton onDone={finish} />}
          <Box sx={{ mt: passwordLoginEnabled ? 0 : 2 }}>
            <SignInWith
              onEnter={() => setEntering(true)}
              alone={!passwordLoginEnabled}
              inviteCode={readText('aff') ?? undefined}
            />
          </Box>
        </>
      )}
      {warned !== null && <DefaultPasswordDialog />}
    </PublicPage>
  );
}

/** Whether the credentials are the default ones of older installations. */
const isDefault = (username: string, password: string): boolean => username === 'root' && password === '123456';

/** The name of the account that was just created, from the router's state; '' without one. */
function registeredName(state: unknown): string {
  const name = (state as { registered?: unknown } | null)?.registered;
  return typeof name === 'string' ? name : '';
}

/** Why the user is here: an account that was just created, or a session that has ended. */
function Reason({ isNew }: { readonly isNew: boolean }) {
  const { t } = useTranslation();
  const [params] = useSearchParams();
  if (isNew) {
    return (
      <Notice tone="blue" icon={false}>
        {t('login.registered')}
      </Notice>
    );
  }
  if (params.get('expired') !== 'true') return null;
  return (
    <Notice tone="amber" icon={false}>
      {t('login.expired')}
    </Notice>
  );
}
