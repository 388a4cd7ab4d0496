import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState, type ReactNode } from 'react';
import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { TextInput } from '../../components/form/inputs.js';
import { toast } from '../../components/toast.js';
import { describeFailure } from '../../lib/errors.js';
import { useCountdown } from '../../lib/useCountdown.js';
import type { BotCheck } from './Turnstile.js';

/** Seconds until another code can be requested. */
const resendAfter = 30;

/** The form's field `email` with a button that sends a code to the address, and the field for that code. */
export function VerifiedEmailFields<T extends FieldValues>({
  form,
  codeField,
  check,
  send,
  large = false,
  autoFocus = false,
  children,
}: {
  readonly form: UseFormReturn<T>;
  readonly codeField: FieldPath<T>;
  readonly check: BotCheck;
  /** Rejects with the server's error. */
  readonly send: (input: { readonly email: string; readonly turnstile?: string }) => Promise<unknown>;
  readonly large?: boolean;
  readonly autoFocus?: boolean;
  /** Shown between the two fields. */
  readonly children?: ReactNode;
}) {
  const { t } = useTranslation();
  const [left, countDown] = useCountdown();
  const [sending, setSending] = useState(false);
  const field = 'email' as FieldPath<T>;
  const requestCode = async () => {
    if (!(await form.trigger(field, { shouldFocus: true }))) return;
    if (check.waiting) {
      form.setError(field, { message: t('oauth.checking') });
      return;
    }
    const email = String(form.getValues(field)).trim();
    setSending(true);
    try {
      await send({ email, ...(check.token ? { turnstile: check.token } : {}) });
      countDown(resendAfter);
      toast.success(t('register.codeSent', { email }));
      form.setFocus(codeField);
    } catch (error) {
      check.renew();
      form.setError(field, { message: describeFailure(error, t) });
    }
    setSending(false);
  };
  return (
    <>
      <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr) 132px', gap: 1, alignItems: 'start' }}>
        <TextInput
          control={form.control}
          name={field}
          type="email"
          label={t('fields.email')}
          autoComplete="email"
          autoFocus={autoFocus}
          large={large}
          rules={{ validate: (email) => /^\S+@\S+\.\S+$/.test(String(email).trim()) || t('register.emailMissing') }}
        />
        <Button
          variant="outlined"
          className="num"
          sx={{ mt: '23px', minHeight: large ? 40 : { xs: 40, sm: 32 } }}
          disabled={left > 0}
          loading={sending}
          onClick={() => void requestCode()}
        >
          {left > 0 ? t('register.resendIn', { count: left }) : t('register.sendCode')}
        </Button>
      </Box>
      {children}
      <TextInput
        control={form.control}
        name={codeField}
        label={t('register.code')}
        autoComplete="one-time-code"
        large={large}
        rules={{ validate: (code) => String(code).trim() !== '' || t('register.codeMissing') }}
      />
    </>
  );
}
