import { useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Card from '@mui/material/Card';
import Typography from '@mui/material/Typography';
import CheckOutlinedIcon from '@mui/icons-material/CheckOutlined';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { TextInput } from '../../components/form/inputs.js';
import { Notice } from '../../components/Notice.js';
import { sitePath } from '../../lib/basePath.js';
import { describeFailure, toFailure } from '../../lib/errors.js';
import { session, toSessionUser } from '../../lib/session.js';
import { siteStatus } from '../../lib/status.js';
import { CompleteSetupDocument, EnterAfterSetupDocument } from './setup.generated.js';
import type { SetupValues } from './setupValues.js';
import { UsageModeCards } from './UsageModeCards.js';

const reloadAfter = 1500;
const fields = ['code', 'username', 'password', 'confirmPassword'] as const;

interface SetupFormProps {
  readonly hasAdministrator: boolean;
  /** The visitor is not on the server's machine. */
  readonly needsCode: boolean;
}

export function SetupForm({ hasAdministrator, needsCode }: SetupFormProps) {
  const { t } = useTranslation();
  // The result is not cached, because the screen would otherwise be left before it shows that setup is done.
  const [complete] = useMutation(CompleteSetupDocument, { fetchPolicy: 'no-cache' });
  const [login] = useMutation(EnterAfterSetupDocument, { fetchPolicy: 'no-cache' });
  const [done, setDone] = useState(false);
  // The link that the server prints contains the code.
  const [parameters] = useSearchParams();
  const form = useForm<SetupValues>({
    mode: 'onTouched',
    defaultValues: {
      code: parameters.get('code') ?? '',
      username: '',
      password: '',
      confirmPassword: '',
      mode: 'external',
    },
  });
  const { control, formState } = form;

  /** Signs the new administrator in with the password just typed. @returns whether that worked */
  const enter = async (input: { readonly username: string; readonly password: string }): Promise<boolean> => {
    try {
      const { data } = await login({ variables: { input } });
      if (!data?.login.user) return false;
      session.start(toSessionUser(data.login.user));
      return true;
    } catch {
      return false;
    }
  };

  const submit = form.handleSubmit(async ({ mode, code, ...administrator }) => {
    const modes = { selfUseModeEnabled: mode === 'self', demoSiteEnabled: mode === 'demo' };
    try {
      const username = administrator.username.trim();
      await complete({ variables: { input: { ...administrator, username, code: code.trim() || null, ...modes } } });
      setDone(true);
      siteStatus.set({ ...siteStatus.get(), setup: true, ...modes });
      // A new administrator continues with a channel. If the sign-in fails, or the administrator existed before, the
      // sign-in form follows.
      const entered = !hasAdministrator && (await enter({ username, password: administrator.password }));
      setTimeout(() => location.assign(sitePath(entered ? '/channel' : '/login')), reloadAfter);
    } catch (error) {
      const { code, field } = toFailure(error);
      const message = code === 'NETWORK' ? t('setup.failed') : describeFailure(error, t);
      const name = fields.find((one) => one === field) ?? 'root';
      form.setError(name, { message }, { shouldFocus: true });
    }
  });

  return (
    <Box
      component="form"
      noValidate
      onSubmit={(event) => void submit(event)}
      sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}
    >
      {needsCode && (
        <TextInput
          control={control}
          name="code"
          label={t('setup.code')}
          hint={t('setup.codeHint')}
          required
          autoComplete="off"
          rules={{ validate: (value) => value.trim() !== '' || t('setup.codeMissing') }}
        />
      )}
      {hasAdministrator ? (
        <Notice tone="blue">{t('setup.hasAdministrator')}</Notice>
      ) : (
        <Card
          component="section"
          aria-labelledby="setup-administrator"
          sx={{ padding: 2, display: 'flex', flexDirection: 'column', gap: 2 }}
        >
          <Typography id="setup-administrator" variant="h2">
            {t('setup.administrator')}
          </Typography>
          <TextInput
            control={control}
            name="username"
            label={t('fields.username')}
            required
            maxLength={12}
            autoComplete="username"
            autoFocus
            rules={{ validate: (value) => value.trim() !== '' || t('setup.usernameMissing') }}
          />
          <TextInput
            control={control}
            name="password"
            type="password"
            label={t('fields.password')}
            hint={t('setup.passwordHint')}
            required
            autoComplete="new-password"
            rules={{
              minLength: { value: 8, message: t('setup.passwordShort') },
              required: t('setup.passwordShort'),
              deps: ['confirmPassword'],
            }}
          />
          <TextInput
            control={control}
            name="confirmPassword"
            type="password"
            label={t('fields.confirmPassword')}
            required
            autoComplete="new-password"
            rules={{ validate: (value, values) => value === values.password || t('fields.passwordMismatch') }}
          />
        </Card>
      )}
      <UsageModeCards control={control} />
      {formState.errors.root?.message && <Notice tone="red">{formState.errors.root.message}</Notice>}
      <Button
        type="submit"
        size="large"
        variant="contained"
        fullWidth
        loading={formState.isSubmitting}
        startIcon={done && <CheckOutlinedIcon />}
        aria-live="polite"
        onClick={(event) => {
          if (done) event.preventDefault();
        }}
      >
        {done ? t('setup.done') : t('setup.submit')}
      </Button>
    </Box>
  );
}
