import { useApolloClient, useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import MuiLink from '@mui/material/Link';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Link, Navigate, useLocation, useNavigate, useSearchParams } from 'react-router-dom';
import { returnPath } from '../../app/guards.js';
import { TextInput } from '../../components/form/inputs.js';
import { Logo } from '../../components/Logo.js';
import { Notice } from '../../components/Notice.js';
import { PublicPage } from '../../components/PublicPage.js';
import { describeFailure } from '../../lib/errors.js';
import { session, useSession } from '../../lib/session.js';
import { useStatus } from '../../lib/status.js';
import { LoginDocument } from './login.generated.js';

export function LoginScreen() {
  const { t } = useTranslation();
  const { systemName, canRegister } = useStatus();
  const { state } = useLocation() as { state: unknown };
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const client = useApolloClient();
  const user = useSession();
  const [login] = useMutation(LoginDocument);
  const form = useForm({ mode: 'onTouched', defaultValues: { username: '', password: '' } });
  const refused = form.formState.errors.root?.message;

  if (user && !form.formState.isSubmitting) return <Navigate to={returnPath(state)} replace />;

  const submit = form.handleSubmit(async (input) => {
    try {
      const { data } = await login({ variables: { input: { ...input, username: input.username.trim() } } });
      if (!data) return;
      await client.clearStore();
      session.start(data.login);
      await navigate(returnPath(state), { replace: true });
    } catch (error) {
      form.setError('root', { message: describeFailure(error, t) });
      form.setFocus('password', { shouldSelect: true });
    }
  });

  return (
    <PublicPage
      width={376}
      logo={<Logo size={34} />}
      title={t('login.title', { name: systemName })}
      intro={
        canRegister && (
          <>
            {t('login.noAccount')}{' '}
            <MuiLink component={Link} to="/register">
              {t('shell.register')}
            </MuiLink>
          </>
        )
      }
    >
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
          params.get('expired') === 'true' && (
            <Notice tone="amber" icon={false}>
              {t('login.expired')}
            </Notice>
          )
        )}
        <TextInput
          control={form.control}
          name="username"
          label={t('login.username')}
          rules={{ required: t('login.usernameMissing') }}
          autoComplete="username"
          autoFocus
          large
        />
        <TextInput
          control={form.control}
          name="password"
          type="password"
          label={t('login.password')}
          rules={{ required: t('login.passwordMissing') }}
          autoComplete="current-password"
          large
        />
        <MuiLink component={Link} to="/reset" sx={{ alignSelf: 'flex-end', fontSize: 12.5, mt: -1 }}>
          {t('login.forgot')}
        </MuiLink>
        <Button type="submit" size="large" variant="contained" fullWidth loading={form.formState.isSubmitting}>
          {t('login.submit')}
        </Button>
      </Box>
    </PublicPage>
  );
}
