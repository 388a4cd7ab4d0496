import { useMutation, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Card from '@mui/material/Card';
import MuiLink from '@mui/material/Link';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { FormDialog } from '../../components/FormDialog.js';
import { NumberInput, TextInput } from '../../components/form/inputs.js';
import { RowMenu } from '../../components/RowMenu.js';
import { Num } from '../../components/Text.js';
import { toast } from '../../components/toast.js';
import { dateTime, integer } from '../../lib/format.js';
import { useMay } from '../../lib/permissions.js';
import { useStatus } from '../../lib/status.js';
import { useFormat } from '../../lib/useFormat.js';
import { userAddress } from '../../nouns/objects/addresses.js';
import { isPrice } from './planForm.js';
import { PlanSubscriptionsDocument, type PlanSubscriptionsQuery, RefundPlanDocument } from './plans.generated.js';
import { SubscriptionStateChip } from './SubscriptionStateChip.js';

const pageSize = 20;

type Row = PlanSubscriptionsQuery['planSubscriptions']['items'][number];

/** The subscriptions of all users, newest first. */
export function SubscriptionList() {
  const { t } = useTranslation();
  const { money } = useFormat();
  const mayRefund = useMay('USERS_QUOTA');
  const [page, setPage] = useState(0);
  const [refunded, setRefunded] = useState<Row | null>(null);
  const { data, previousData, refetch } = useQuery(PlanSubscriptionsDocument, {
    variables: { page, pageSize },
    fetchPolicy: 'network-only',
  });
  const list = (data ?? previousData)?.planSubscriptions;
  if (!list || list.totalCount === 0) return null;
  const pages = Math.ceil(list.totalCount / pageSize);
  return (
    <Box component="section" aria-label={t('plans.subscriptions')} sx={{ display: 'grid', gap: 1.5, mt: 3 }}>
      <Typography variant="h2" sx={{ fontSize: 14 }}>
        {t('plans.subscriptionCount', { count: list.totalCount, shown: integer(list.totalCount) })}
      </Typography>
      <Card component="ul" sx={{ m: 0, padding: '4px 16px', listStyle: 'none' }}>
        {list.items.map((row) => (
          <Box
            component="li"
            key={row.id}
            sx={{
              py: 1,
              '& + &': { borderTop: '1px solid', borderColor: 'divider' },
              display: 'flex',
              alignItems: 'center',
              gap: 1,
            }}
          >
            <Box sx={{ flex: 1, minWidth: 0 }}>
              <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '4px 8px' }}>
                <MuiLink component={Link} to={userAddress(row.accountId)} sx={{ overflowWrap: 'anywhere' }}>
                  {row.username || `#${row.accountId}`}
                </MuiLink>
                <Box sx={{ fontWeight: 500, overflowWrap: 'anywhere' }}>{row.terms.name}</Box>
                <SubscriptionStateChip state={row.state} />
              </Box>
              <Box className="num" sx={{ fontSize: 12, lineHeight: '18px', color: 'text.secondary' }}>
                {[
                  t('plans.fromTo', { start: dateTime(row.startsAt), end: dateTime(row.endsAt) }),
                  t(`plans.origins.${row.origin}`),
                  t('budgets.used', { amount: money(row.used, 'amount') }),
                  ...(row.note === '' ? [] : [row.note]),
                ].join(' · ')}
              </Box>
            </Box>
            <Num>{money(row.paid - row.refunded, 'balance')}</Num>
            {mayRefund && row.state !== 'REFUNDED' && row.state !== 'UPGRADED' && (
              <RowMenu
                label={t('budgets.moreOf', { name: `${row.username} ${row.terms.name}` })}
                actions={[{ label: t('plans.refund'), destructive: true, onSelect: () => setRefunded(row) }]}
              />
            )}
          </Box>
        ))}
      </Card>
      {pages > 1 && (
        <Box sx={{ display: 'flex', gap: 1 }}>
          <Button variant="outlined" disabled={page === 0} onClick={() => setPage(page - 1)}>
            {t('plans.newer')}
          </Button>
          <Button variant="outlined" disabled={page + 1 >= pages} onClick={() => setPage(page + 1)}>
            {t('plans.older')}
          </Button>
        </Box>
      )}
      {refunded && <RefundDialog row={refunded} onDone={() => void refetch()} onClose={() => setRefunded(null)} />}
    </Box>
  );
}

function RefundDialog({
  row,
  onDone,
  onClose,
}: {
  readonly row: Row;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const { quotaPerUnit } = useStatus();
  const [refund] = useMutation(RefundPlanDocument);
  const whole = String(Number((row.paid / quotaPerUnit).toFixed(6)));
  const form = useForm({ mode: 'onTouched', defaultValues: { amount: whole, note: '' } });
  return (
    <FormDialog
      form={form}
      title={t('plans.refundTitle', { name: row.terms.name, user: row.username })}
      submitLabel={t('plans.refund')}
      destructive
      errorField="amount"
      onClose={onClose}
      onSubmit={async ({ amount, note }) => {
        // Without an amount all is refunded to the unit, whatever the dollars were rounded to.
        const input = {
          id: row.id,
          note,
          ...(amount === whole ? {} : { amount: Math.round(Number(amount) * quotaPerUnit) }),
        };
        await refund({ variables: { input } });
        toast.success(t('plans.refundDone'));
        onDone();
      }}
    >
      <Box>{t('plans.refundBody')}</Box>
      <NumberInput
        control={form.control}
        name="amount"
        prefix="$"
        label={t('fields.amountUsd')}
        required
        rules={{ validate: (value) => isPrice(value) || t('fields.amountInvalid') }}
      />
      <TextInput
        control={form.control}
        name="note"
        label={t('plans.reason')}
        maxLength={200}
        required
        rules={{ validate: (value) => value.trim() !== '' || t('plans.missing') }}
      />
    </FormDialog>
  );
}
