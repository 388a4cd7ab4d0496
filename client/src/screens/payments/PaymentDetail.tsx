import { useMutation, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useRef, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { SwitchRow } from '../../components/form/SwitchRow.js';
import { TextInput } from '../../components/form/inputs.js';
import { FormDialog } from '../../components/FormDialog.js';
import { LoadFailure } from '../../components/LoadFailure.js';
import { Notice } from '../../components/Notice.js';
import { DrawerSection, NameValues, SideDrawer } from '../../components/SideDrawer.js';
import { toast } from '../../components/toast.js';
import { ToneChip, type Tone } from '../../components/Tone.js';
import { toFailure } from '../../lib/errors.js';
import { dateTime } from '../../lib/format.js';
import { useIdempotencyKey } from '../../lib/useIdempotencyKey.js';
import { useMay } from '../../lib/permissions.js';
import { useFormat } from '../../lib/useFormat.js';
import {
  MarkPaymentPaidDocument,
  PaymentEventsDocument,
  type PaymentEventsQuery,
  type PaymentsQuery,
  RefundPaymentDocument,
  type TopUpEventKind,
  type TopUpReversalState,
} from './payments.generated.js';
import { amountOf, statusTexts } from './paymentTexts.js';

const eventTexts = {
  CREDITED: 'payments.events.credited',
  REPEATED: 'payments.events.repeated',
  PAID_AGAIN: 'payments.events.paidAgain',
  REFUSED: 'payments.events.refused',
  MARKED_PAID: 'payments.events.markedPaid',
  FAILED: 'payments.events.failed',
  REFUNDED: 'payments.events.refunded',
  REFUND_FAILED: 'payments.events.refundFailed',
  DISPUTED: 'payments.events.disputed',
  DISPUTE_WON: 'payments.events.disputeWon',
  DISPUTE_LOST: 'payments.events.disputeLost',
} as const satisfies Record<TopUpEventKind, string>;

type Reversal = PaymentEventsQuery['topUpReversals'][number];

const outcomeTexts = {
  REFUND: {
    PENDING: 'payments.outcomes.refundPending',
    DONE: 'payments.outcomes.refundDone',
    UNDONE: 'payments.outcomes.refundRefused',
  },
  DISPUTE: {
    PENDING: 'payments.outcomes.disputed',
    DONE: 'payments.events.disputeLost',
    UNDONE: 'payments.outcomes.disputeWon',
  },
} as const satisfies Record<Reversal['kind'], Record<TopUpReversalState, string>>;
const outcomeTones: Record<TopUpReversalState, Tone> = { PENDING: 'amber', DONE: 'blue', UNDONE: 'grey' };

/** An order with its history. An unpaid one can be marked as paid. */
export function PaymentDetail({
  order,
  method,
  isGatewaySetUp,
  onChanged,
  onClose,
}: {
  readonly order: PaymentsQuery['topUps']['items'][number];
  /** The name of its payment method. */
  readonly method: string;
  /** Whether the gateway that was paid is set up. */
  readonly isGatewaySetUp: boolean;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const { money } = useFormat();
  const mayCredit = useMay('USERS_QUOTA');
  const [marks, setMarks] = useState(false);
  const [refunds, setRefunds] = useState(false);
  const left = Number(order.money.amount) - Number(order.refunded.amount);
  // The key outlives the dialog: a refund whose response was lost and that is entered again must not be made twice.
  const keyOf = useIdempotencyKey();
  const answeredRefunds = useRef(0);
  const [warning, setWarning] = useState<'payments.refundUnclear' | 'payments.refundedBefore' | null>(null);
  const { data, error, refetch } = useQuery(PaymentEventsDocument, {
    variables: { orderId: order.id },
    fetchPolicy: 'network-only',
  });
  const has = (wanted: TopUpEventKind): boolean => data?.topUpEvents.some(({ kind }) => kind === wanted) ?? false;
  // An order that an admin marked as paid has no payment at the gateway until the gateway reports one.
  const isPaidThere = data !== undefined && (!has('MARKED_PAID') || has('REPEATED'));
  const canRefund = left > 0 && isGatewaySetUp && isPaidThere;
  return (
    <SideDrawer
      open
      width={520}
      title={t('payments.order')}
      meta={order.tradeNo}
      onClose={onClose}
      readOnly
      footer={
        order.status !== 'PAID'
          ? mayCredit && (
              <Button variant="contained" sx={{ ml: 'auto' }} onClick={() => setMarks(true)}>
                {t('payments.markPaid')}
              </Button>
            )
          : mayCredit &&
            canRefund && (
              <Button variant="outlined" sx={{ ml: 'auto' }} onClick={() => setRefunds(true)}>
                {t('payments.refund')}
              </Button>
            )
      }
    >
      {warning && <Notice tone="amber">{t(warning)}</Notice>}
      <DrawerSection title={t('payments.order')}>
        <NameValues
          rows={[
            [t('logs.user'), order.buyer?.username ?? `#${order.userId}`],
            [t('payments.money'), amountOf(order.money)],
            [t('payments.refundedPart'), Number(order.refunded.amount) > 0 && amountOf(order.refunded)],
            [t('payments.credited'), money(order.quota, 'balance')],
            [t('wallet.method'), method],
            [t('fields.status'), t(statusTexts[order.status])],
            [t('wallet.topUpCode'), order.topUpCode],
            [t('fields.createdAt'), dateTime(order.createdAt, 'seconds')],
            [t('payments.paidAt'), order.paidAt && dateTime(order.paidAt, 'seconds')],
          ]}
        />
      </DrawerSection>
      {data && data.topUpReversals.length > 0 && (
        <DrawerSection title={t('payments.reversals')}>
          <Box component="ul" sx={{ m: 0, p: 0, listStyle: 'none', display: 'grid', gap: 1.5 }}>
            {data.topUpReversals.map(({ id, kind, state, money: amount, createdAt, payment }) => (
              <Box component="li" key={id}>
                <Box sx={{ display: 'flex', gap: 1, alignItems: 'center' }}>
                  <Box className="num">{amountOf(amount)}</Box>
                  <ToneChip tone={outcomeTones[state]}>{t(outcomeTexts[kind][state])}</ToneChip>
                </Box>
                <Box className="num" sx={{ color: 'text.secondary', fontSize: 12, overflowWrap: 'anywhere' }}>
                  {[dateTime(createdAt, 'seconds'), payment].filter(Boolean).join(' · ')}
                </Box>
              </Box>
            ))}
          </Box>
        </DrawerSection>
      )}
      <DrawerSection title={t('payments.history')} explanation={t('payments.historyHint')}>
        {error && <LoadFailure title={t('grid.failed')} error={error} onRetry={() => void refetch()} />}
        {data?.topUpEvents.length === 0 && <Box sx={{ color: 'text.secondary' }}>{t('payments.noEvents')}</Box>}
        {data && data.topUpEvents.length > 0 && (
          <Box component="ol" sx={{ m: 0, p: 0, listStyle: 'none', display: 'grid', gap: 1.5 }}>
            {data.topUpEvents.map(({ at, kind, detail, payment, actorName }, index) => (
              <Box component="li" key={index}>
                <Box>
                  {kind === 'REFUNDED' && actorName !== null
                    ? t('payments.events.refundedBy', { name: actorName })
                    : t(eventTexts[kind], { name: actorName ?? '' })}
                </Box>
                <Box className="num" sx={{ color: 'text.secondary', fontSize: 12, overflowWrap: 'anywhere' }}>
                  {[dateTime(at, 'seconds'), detail, payment].filter(Boolean).join(' · ')}
                </Box>
              </Box>
            ))}
          </Box>
        )}
      </DrawerSection>
      {refunds && (
        <RefundPayment
          order={order}
          left={left}
          refundKey={() => keyOf(answeredRefunds.current)}
          onAnswered={(next) => {
            answeredRefunds.current += 1;
            setWarning(next);
          }}
          onEnded={() => {
            void refetch();
            onChanged();
          }}
          onClose={() => setRefunds(false)}
        />
      )}
      {marks && (
        <MarkPaid
          id={order.id}
          credits={money(order.quota, 'balance')}
          onPaid={() => {
            void refetch();
            onChanged();
          }}
          onClose={() => setMarks(false)}
        />
      )}
    </SideDrawer>
  );
}

function MarkPaid({
  id,
  credits,
  onPaid,
  onClose,
}: {
  readonly id: number;
  /** The credited amount as text. */
  readonly credits: string;
  readonly onPaid: () => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const [mark] = useMutation(MarkPaymentPaidDocument);
  const form = useForm({ defaultValues: { note: '' } });
  return (
    <FormDialog
      form={form}
      title={t('payments.markPaid')}
      submitLabel={t('payments.credit', { amount: credits })}
      errorField="note"
      onSubmit={async ({ note }) => {
        await mark({ variables: { id, note: note.trim() } });
        toast.success(t('payments.marked'));
        onPaid();
        return true;
      }}
      onClose={onClose}
    >
      <Notice tone="amber">{t('payments.markHint')}</Notice>
      <TextInput
        control={form.control}
        name="note"
        label={t('payments.note')}
        hint={t('payments.noteHint')}
        maxLength={200}
        required
        autoFocus
        rules={{ validate: (note) => note.trim() !== '' || t('payments.noteMissing') }}
      />
    </FormDialog>
  );
}

function RefundPayment({
  order,
  left,
  refundKey,
  onAnswered,
  onEnded,
  onClose,
}: {
  readonly order: PaymentsQuery['topUps']['items'][number];
  /** The amount that is not refunded yet. */
  readonly left: number;
  /** The idempotency key of the refund. It does not change until a response arrives. */
  readonly refundKey: () => string;
  /** Called when the server made or refused the refund, with a warning that stays. */
  readonly onAnswered: (warning: 'payments.refundUnclear' | 'payments.refundedBefore' | null) => void;
  /** Called after each attempt, also one whose response was lost. */
  readonly onEnded: () => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const [refund] = useMutation(RefundPaymentDocument);
  const decimals = order.money.amount.split('.')[1]?.length ?? 0;
  const most = left.toFixed(decimals);
  const form = useForm({ defaultValues: { amount: most, note: '', belowZero: false } });
  return (
    <FormDialog
      form={form}
      title={t('payments.refund')}
      submitLabel={t('payments.refund')}
      errorField="note"
      onSubmit={async ({ amount, note, belowZero }) => {
        const input = { id: order.id, amount: amount.trim(), note: note.trim(), belowZero };
        try {
          const { data } = await refund({ variables: { input: { ...input, idempotencyKey: refundKey() } } });
          const isConfirmed = data?.refundTopUp?.confirmed;
          onAnswered(isConfirmed ? null : 'payments.refundUnclear');
          const shown = amountOf({ ...order.money, amount: input.amount });
          if (isConfirmed) toast.success(t('payments.refunding', { amount: shown }));
          return true;
        } catch (error) {
          const { code, field, status } = toFailure(error);
          // The key belongs to an attempt with another amount or note, whose response was lost.
          const isMade = code === 'CONFLICT' && field === 'idempotencyKey';
          // After an error that is no refusal, the refund may have been made.
          const isRefused = code !== 'NETWORK' && code !== 'INTERNAL_ERROR' && status === null;
          if (isRefused) onAnswered(isMade ? 'payments.refundedBefore' : null);
          if (isMade) return true;
          throw error;
        } finally {
          onEnded();
        }
      }}
      onClose={onClose}
    >
      <Notice tone="amber">{t('payments.refundHint')}</Notice>
      <TextInput
        control={form.control}
        name="amount"
        label={`${t('payments.refundAmount')} (${order.money.currency})`}
        required
        rules={{
          validate: (amount) =>
            (/^\s*\d+(\.\d+)?\s*$/.test(String(amount)) && Number(amount) > 0 && Number(amount) <= Number(most)) ||
            t('payments.amountInvalid', { most }),
        }}
      />
      <TextInput
        control={form.control}
        name="note"
        label={t('payments.note')}
        hint={t('payments.refundNoteHint')}
        maxLength={200}
        required
        autoFocus
        rules={{ validate: (note) => String(note).trim() !== '' || t('payments.noteMissing') }}
      />
      <SwitchRow
        control={form.control}
        name="belowZero"
        label={t('payments.belowZero')}
        hint={t('payments.belowZeroHint')}
      />
    </FormDialog>
  );
}
