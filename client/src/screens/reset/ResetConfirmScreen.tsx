import { useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import OutlinedInput from '@mui/material/OutlinedInput';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router-dom';
import { CopyButton } from '../../components/CopyButton.js';
import { useCopy } from '../../components/CopyProvider.js';
import { Field } from '../../components/form/Field.js';
import { Logo } from '../../components/Logo.js';
import { Notice } from '../../components/Notice.js';
import { PublicPage } from '../../components/PublicPage.js';
import { describeFailure } from '../../lib/errors.js';
import { ResetPasswordDocument } from './reset.generated.js';

/** Target of the reset link in the email: creates a new password and shows it once. */
export function ResetConfirmScreen() {
  const { t } = useTranslation();
  const copy = useCopy();
  const [params] = useSearchParams();
  const email = params.get('email') ?? '';
  const token = params.get('token') ?? '';
  const [reset, { loading }] = useMutation(ResetPasswordDocument);
  const [password, setPassword] = useState('');
  const [isCopied, setCopied] = useState(false);
  const [problem, setProblem] = useState('');
  const run = async () => {
    setProblem('');
    try {
      const { data } = await reset({ variables: { input: { email, token } } });
      if (!data) return;
      const { password: fresh } = data.resetPassword;
      setPassword(fresh);
      setCopied(await copy(fresh, ''));
    } catch (error) {
      setProblem(describeFailure(error, t));
    }
  };
  if (email === '' || token === '') {
    return (
      <PublicPage width={376} logo={<Logo size={34} />} title={t('reset.invalid')} intro={t('reset.invalidText')}>
        <Button variant="contained" size="large" component={Link} to="/reset">
          {t('reset.another')}
        </Button>
      </PublicPage>
    );
  }
  return (
    <PublicPage width={376} logo={<Logo size={34} />} title={t('reset.confirmTitle')}>
      <Box sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}>
        {problem && <Notice tone="red">{problem}</Notice>}
        <Field id="reset-email" label={t('fields.email')}>
          <OutlinedInput id="reset-email" readOnly value={email} sx={{ minHeight: 40 }} />
        </Field>
        {password ? (
          <>
            <Field
              id="reset-password"
              label={t('fields.newPassword')}
              hint={t(isCopied ? 'reset.newPasswordHint' : 'personal.shownOnce')}
            >
              <OutlinedInput
                id="reset-password"
                readOnly
                value={password}
                sx={{ minHeight: 40 }}
                inputProps={{ className: 'mono' }}
                endAdornment={<CopyButton value={password} label={t('reset.copyPassword')} shown="" />}
              />
            </Field>
            <Button variant="contained" size="large" fullWidth component={Link} to="/login">
              {t('shell.signIn')}
            </Button>
          </>
        ) : (
          <Button variant="contained" size="large" fullWidth loading={loading} onClick={() => void run()}>
            {t('reset.confirm')}
          </Button>
        )}
      </Box>
    </PublicPage>
  );
}
