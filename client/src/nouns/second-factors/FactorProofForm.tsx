import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Link from '@mui/material/Link';
import KeyOutlinedIcon from '@mui/icons-material/KeyOutlined';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { TextInput } from '../../components/form/inputs.js';
import { Notice } from '../../components/Notice.js';
import { describeFailure } from '../../lib/errors.js';
import { canUsePasskeys, isCancelled, showPasskey } from './passkeys.js';
import type { BeginSecondFactorMutation, FinishSecondFactorMutationVariables } from './secondFactor.generated.js';

export type SecondFactorInput = FinishSecondFactorMutationVariables['input'];
type SecondFactorKind = BeginSecondFactorMutation['beginSecondFactor']['kinds'][number];

/** Shows a second factor: a code, a recovery code or a passkey. */
export function FactorProofForm({
  kinds,
  passkeyOptions,
  submitLabel,
  onProof,
  onStale,
}: {
  readonly kinds: readonly SecondFactorKind[];
  readonly passkeyOptions: unknown;
  readonly submitLabel: string;
  /** Rejects with the server's error. */
  readonly onProof: (input: SecondFactorInput) => Promise<void>;
  /** Asks for new passkey options: each can be used once. */
  readonly onStale: () => void;
}) {
  const { t } = useTranslation();
  const hasApp = kinds.includes('AUTHENTICATOR_APP');
  const hasPasskey = kinds.includes('PASSKEY') && passkeyOptions !== null && canUsePasskeys();
  const [recovering, setRecovering] = useState(!hasApp && !hasPasskey);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState('');
  const form = useForm({ defaultValues: { code: '' } });
  const submit = form.handleSubmit(async ({ code }) => {
    setFailure('');
    try {
      await onProof(recovering ? { recoveryCode: code } : { code });
    } catch (error) {
      form.setError('code', { message: describeFailure(error, t) });
      form.setFocus('code', { shouldSelect: true });
    }
  });
  const showIt = async () => {
    setBusy(true);
    setFailure('');
    try {
      await onProof({ passkey: await showPasskey(passkeyOptions) });
    } catch (error) {
      if (!isCancelled(error)) setFailure(describeFailure(error, t));
      onStale();
    }
    setBusy(false);
  };
  const switchTo = (next: boolean) => {
    setRecovering(next);
    form.reset();
  };
  return (
    <Box sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}>
      {failure && (
        <Notice tone="red" icon={false}>
          {failure}
        </Notice>
      )}
      {hasPasskey && !recovering && (
        <Button
          variant={hasApp ? 'outlined' : 'contained'}
          size="large"
          fullWidth
          startIcon={<KeyOutlinedIcon />}
          loading={busy}
          onClick={() => void showIt()}
        >
          {t('secondFactor.usePasskey')}
        </Button>
      )}
      {(hasApp || recovering) && (
        <Box
          component="form"
          noValidate
          onSubmit={(event) => void submit(event)}
          sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}
        >
          <TextInput
            control={form.control}
            name="code"
            label={recovering ? t('secondFactor.recoveryCode') : t('secondFactor.code')}
            rules={{ required: recovering ? t('secondFactor.recoveryCodeMissing') : t('secondFactor.codeMissing') }}
            autoComplete={recovering ? 'off' : 'one-time-code'}
            autoFocus
            mono
            large
          />
          <Button type="submit" size="large" variant="contained" fullWidth loading={form.formState.isSubmitting}>
            {submitLabel}
          </Button>
        </Box>
      )}
      {recovering
        ? (hasApp || hasPasskey) && (
            <Link component="button" type="button" onClick={() => switchTo(false)} sx={{ alignSelf: 'center' }}>
              {t('secondFactor.otherWay')}
            </Link>
          )
        : kinds.includes('RECOVERY_CODE') && (
            <Link component="button" type="button" onClick={() => switchTo(true)} sx={{ alignSelf: 'center' }}>
              {t('secondFactor.useRecoveryCode')}
            </Link>
          )}
    </Box>
  );
}
