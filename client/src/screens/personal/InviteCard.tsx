import { useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import OutlinedInput from '@mui/material/OutlinedInput';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../components/CopyButton.js';
import { NumberInput } from '../../components/form/inputs.js';
import { FormDialog } from '../../components/FormDialog.js';
import { toast } from '../../components/toast.js';
import { siteAddress } from '../../lib/basePath.js';
import { dollars } from '../../lib/format.js';
import { useStatus } from '../../lib/status.js';
import { useFormat } from '../../lib/useFormat.js';
import { useIdempotencyKey } from '../../lib/useIdempotencyKey.js';
import type { Me } from './IdentityCard.js';
import { Panel } from './Panel.js';
import { TransferInviteQuotaDocument } from './personal.generated.js';

export function InviteCard({
  me,
  code,
  onTransferred,
}: {
  readonly me: Me;
  readonly code: string;
  readonly onTransferred: () => void;
}) {
  const { t } = useTranslation();
  const { money } = useFormat();
  const { quotaPerUnit } = useStatus();
  const [open, setOpen] = useState(false);
  const link = `${siteAddress()}/register?aff=${encodeURIComponent(code)}`;
  return (
    <Panel title={t('personal.invite')}>
      <OutlinedInput
        fullWidth
        readOnly
        value={link}
        inputProps={{ 'aria-label': t('personal.inviteLink') }}
        endAdornment={<CopyButton value={link} label={t('personal.copyInvite')} />}
      />
      <Box
        component="dl"
        className="num"
        sx={{
          m: 0,
          mt: 1.5,
          display: 'grid',
          gridTemplateColumns: '1fr auto',
          rowGap: '4px',
          '& dt': { color: 'text.secondary' },
          '& dd': { m: 0, fontWeight: 500, textAlign: 'right' },
        }}
      >
        <dt>{t('personal.invited')}</dt>
        <dd>{me.invite.count}</dd>
        <dt>{t('personal.earned')}</dt>
        <dd>{money(me.invite.totalQuota, 'balance')}</dd>
        <dt>{t('personal.toTransfer')}</dt>
        <dd>{money(me.invite.quota, 'balance')}</dd>
      </Box>
      <Button
        variant="outlined"
        fullWidth
        sx={{ mt: 1.5 }}
        disabled={me.invite.quota < quotaPerUnit}
        onClick={() => setOpen(true)}
      >
        {t('personal.transfer')}
      </Button>
      {open && <TransferDialog available={me.invite.quota} onDone={onTransferred} onClose={() => setOpen(false)} />}
    </Panel>
  );
}

function TransferDialog({
  available,
  onDone,
  onClose,
}: {
  readonly available: number;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const { quotaPerUnit } = useStatus();
  const [transfer] = useMutation(TransferInviteQuotaDocument);
  const keyOf = useIdempotencyKey();
  const form = useForm({
    mode: 'onTouched',
    defaultValues: { amount: String(Math.floor((available / quotaPerUnit) * 100) / 100) },
  });
  const toQuota = (amount: string) =>
    /^\d{1,9}(\.\d{1,6})?$/.test(amount.trim()) ? Math.round(Number(amount) * quotaPerUnit) : 0;
  const submit = async ({ amount }: { readonly amount: string }) => {
    const input = { quota: toQuota(amount) };
    await transfer({ variables: { input: { ...input, idempotencyKey: keyOf(input) } } });
    toast.success(t('personal.transferred'));
    onDone();
  };
  return (
    <FormDialog
      form={form}
      title={t('personal.transferTitle')}
      submitLabel={t('personal.transfer')}
      errorField="amount"
      onSubmit={submit}
      onClose={onClose}
    >
      <NumberInput
        control={form.control}
        name="amount"
        prefix="$"
        label={t('fields.amountUsd')}
        hint={t('personal.transferHint', { amount: dollars(1, 2) })}
        rules={{
          validate: (amount) => {
            const quota = toQuota(amount);
            if (quota < quotaPerUnit) return t('personal.transferLeast', { amount: dollars(1, 2) });
            return quota <= available || t('personal.transferMost');
          },
        }}
      />
    </FormDialog>
  );
}
