import { useMutation, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../../components/CodeBlock.js';
import { ContentDialog } from '../../components/ContentDialog.js';
import { TextInput } from '../../components/form/inputs.js';
import { useCopy } from '../../components/CopyProvider.js';
import { useAction } from '../../components/useAction.js';
import { toast } from '../../components/toast.js';
import { showFormError } from '../../components/form/showFormError.js';
import { SecondFactorPanel } from '../../nouns/second-factors/SecondFactorPanel.js';
import { Bindings } from './Bindings.js';
import type { Me } from './IdentityCard.js';
import { Panel } from './Panel.js';
import { Sessions } from './Sessions.js';
import { HasPasswordDocument, RenewAccessTokenDocument, UpdateMeDocument } from './personal.generated.js';

export function AccountTab({ me, onChanged }: { readonly me: Me; readonly onChanged: () => void }) {
  return (
    <Box sx={{ display: 'grid', gap: 2 }}>
      <Bindings me={me} onChanged={onChanged} />
      <PasswordForm />
      <SecondFactors />
      <AccessToken />
      <Sessions />
    </Box>
  );
}

function SecondFactors() {
  const { t } = useTranslation();
  return (
    <Panel title={t('secondFactor.title')}>
      <SecondFactorPanel />
    </Panel>
  );
}

/** Changes the password, or sets the first one. */
export function PasswordForm() {
  const { t } = useTranslation();
  const [update] = useMutation(UpdateMeDocument);
  const { data, refetch } = useQuery(HasPasswordDocument, { fetchPolicy: 'cache-and-network' });
  // Users who sign in with another account have none.
  const isNew = data?.hasPassword === false;
  const title = t(isNew ? 'personal.setPassword' : 'personal.changePassword');
  const form = useForm({ mode: 'onTouched', defaultValues: { originalPassword: '', password: '', confirm: '' } });
  const submit = form.handleSubmit(async ({ originalPassword, password }) => {
    try {
      await update({ variables: { input: isNew ? { password } : { originalPassword, password } } });
      form.reset();
      void refetch();
      toast.success(t('personal.passwordChanged'));
    } catch (error) {
      if (!showFormError(form, error, t)) toast.failure(error, t);
    }
  });
  return (
    <Panel title={title}>
      <Box
        component="form"
        noValidate
        onSubmit={(event) => void submit(event)}
        sx={{ display: 'grid', gap: 2, gridTemplateColumns: { sm: '1fr 1fr 1fr' } }}
      >
        {!isNew && (
          <TextInput
            control={form.control}
            name="originalPassword"
            type="password"
            label={t('personal.originalPassword')}
            autoComplete="current-password"
            rules={{ required: t('login.passwordMissing') }}
          />
        )}
        <TextInput
          control={form.control}
          name="password"
          type="password"
          label={t('fields.newPassword')}
          autoComplete="new-password"
          rules={{
            minLength: { value: 8, message: t('register.passwordShort') },
            required: t('register.passwordShort'),
          }}
        />
        <TextInput
          control={form.control}
          name="confirm"
          type="password"
          label={t('fields.confirmPassword')}
          autoComplete="new-password"
          rules={{ validate: (value, { password }) => value === password || t('fields.passwordMismatch') }}
        />
        <Box sx={{ fontSize: 12, color: 'text.secondary', gridColumn: { sm: '1 / 3' }, alignSelf: 'center' }}>
          {t('personal.passwordText')}
        </Box>
        <Button type="submit" variant="outlined" loading={form.formState.isSubmitting}>
          {title}
        </Button>
      </Box>
    </Panel>
  );
}

/** Creates an access token for programs that manage the account. It is shown once, and copied. */
function AccessToken() {
  const { t } = useTranslation();
  const act = useAction();
  const copy = useCopy();
  const [renew, { loading }] = useMutation(RenewAccessTokenDocument);
  const [token, setToken] = useState<string | null>(null);
  const run = () =>
    act(
      async () => {
        const { data } = await renew();
        if (!data) return;
        setToken(data.renewAccessToken.accessToken);
        await copy(data.renewAccessToken.accessToken, '');
      },
      { title: t('personal.tokenTitle'), body: t('personal.tokenBody'), verb: t('personal.tokenMake') },
    );
  return (
    <Panel title={t('personal.accessToken')}>
      <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', justifyContent: 'space-between' }}>
        <Box sx={{ fontSize: 12, color: 'text.secondary' }}>{t('personal.accessTokenText')}</Box>
        <Button variant="outlined" loading={loading} onClick={() => void run()} sx={{ flexShrink: 0 }}>
          {t('personal.tokenMake')}
        </Button>
      </Box>
      <ContentDialog
        open={token !== null}
        title={t('personal.tokenReady')}
        width="xs"
        done={t('actions.done')}
        onClose={() => setToken(null)}
      >
        <Box sx={{ mb: 1.5, color: 'text.secondary' }}>{t('personal.shownOnce')}</Box>
        <CodeBlock text={token ?? ''} copyLabel={t('personal.copyToken')} />
      </ContentDialog>
    </Panel>
  );
}
