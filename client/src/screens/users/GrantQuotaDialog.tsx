import { useMutation, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import { useEffect, useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { NumberInput, TextInput } from '../../components/form/inputs.js';
import { FormDialog } from '../../components/FormDialog.js';
import { Segments } from '../../components/Segments.js';
import { toast } from '../../components/toast.js';
import { dollars } from '../../lib/format.js';
import { useStatus } from '../../lib/status.js';
import { useIdempotencyKey } from '../../lib/useIdempotencyKey.js';
import { useFormat } from '../../lib/useFormat.js';
import { GrantQuotaDocument, UserDocument, type UserRowFragment } from './users.generated.js';

/** The greatest balance, and the least one with a minus: the range of `Quota` in the schema. */
const maxQuota = 9_000_000_000_000_000;

/** Parses a typed amount in USD into quota; null if it is invalid. Negative amounts deduct. */
export function parseGrant(text: string, quotaPerUnit: number): number | null {
  if (!/^[+-]?\d+(\.\d{1,6})?$/.test(text.trim())) return null;
  const quota = Math.round(Number(text) * quotaPerUnit);
  return quota === 0 ? null : quota;
}

/** The quota difference from a balance to a typed amount in USD; null if the text is invalid or nothing changes. */
export function parseTarget(text: string, balance: number, quotaPerUnit: number): number | null {
  if (!/^\d+(\.\d{1,6})?$/.test(text.trim())) return null;
  const quota = Math.round(Number(text) * quotaPerUnit) - balance;
  return quota === 0 ? null : quota;
}

/** Adds to, deducts from or sets a balance, with a preview of the result. */
export function GrantQuotaDialog({ user, onClose }: { readonly user: UserRowFragment; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const { money } = useFormat();
  const { quotaPerUnit } = useStatus();
  const [grant] = useMutation(GrantQuotaDocument);
  // The list may be old, and the user may have spent quota since.
  const { data, refetch } = useQuery(UserDocument, { variables: { id: user.id }, fetchPolicy: 'network-only' });
  const balance = data?.user?.quota ?? user.quota;
  const form = useForm({ mode: 'onTouched', defaultValues: { amount: '', note: '' } });
  const keyOf = useIdempotencyKey();
  const [sets, setSets] = useState(false);
  const parse = (text: string, from = balance) =>
    sets ? parseTarget(text, from, quotaPerUnit) : parseGrant(text, quotaPerUnit);
  const amount = parse(useWatch({ control: form.control, name: 'amount' }));
  const isOut = amount !== null && Math.abs(balance + amount) > maxQuota;
  const after = amount === null || isOut ? null : balance + amount;
  // The error is shown while the amount is typed, because the form cannot be sent. Other kinds of changes have other
  // errors.
  const { trigger, clearErrors } = form;
  useEffect(() => {
    if (isOut) void trigger('amount');
    else clearErrors('amount');
  }, [isOut, sets, trigger, clearErrors]);
  const most = Math.floor(maxQuota / quotaPerUnit);

  const submit = async (values: { readonly amount: string; readonly note: string }) => {
    const now = sets ? (await refetch()).data?.user?.quota : undefined;
    const quota = parse(values.amount, now);
    // Null means that the balance already has the requested value.
    if (quota !== null) {
      const input = { userId: user.id, amount: quota, note: values.note.trim() || null };
      await grant({ variables: { input: { ...input, idempotencyKey: keyOf(input) } } });
    }
    toast.success(t('users.granted', { name: user.username }));
  };

  return (
    <FormDialog
      form={form}
      title={t('users.grantTitle', { name: user.username })}
      submitLabel={sets ? t('users.grantSetSave') : t('users.grantSave')}
      disabled={isOut}
      errorField="amount"
      onSubmit={submit}
      onClose={onClose}
    >
      <Segments
        label={t('users.grantHow')}
        value={sets ? 'set' : 'add'}
        onChange={(how) => setSets(how === 'set')}
        choices={[
          { value: 'add', label: t('users.grantAdd') },
          { value: 'set', label: t('users.grantSet') },
        ]}
      />
      <NumberInput
        control={form.control}
        name="amount"
        label={t('fields.amountUsd')}
        prefix="$"
        required
        hint={sets ? t('users.grantSetHint') : t('users.grantHint')}
        rules={{
          validate: (value) => {
            const quota = parse(value);
            if (quota === null) return sets ? t('users.grantSetInvalid') : t('users.grantInvalid');
            if (Math.abs(balance + quota) <= maxQuota) return true;
            return t('users.grantRange', { least: dollars(-most, 0), most: dollars(most, 0) });
          },
        }}
      />
      <TextInput control={form.control} name="note" label={t('users.grantNote')} optional maxLength={200} />
      <Box
        className="num"
        role="status"
        sx={({ vars }) => ({
          display: 'flex',
          justifyContent: 'space-between',
          padding: '8px 12px',
          borderRadius: '6px',
          backgroundColor: vars.palette.surface.sunken,
        })}
      >
        <span>{t('fields.balance')}</span>
        <Box component="span" sx={{ fontWeight: 600, color: after !== null && after < 0 ? 'error.main' : undefined }}>
          {money(balance, 'balance')} → {after === null ? '–' : money(after, 'balance')}
        </Box>
      </Box>
    </FormDialog>
  );
}
