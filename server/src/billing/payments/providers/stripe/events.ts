import { z } from 'zod';
import type { PaymentReport, ReportedReversal } from '../../provider.js';
import { fromAmount } from './amount.js';
import { parseJson } from '../../../../shared/json.js';
import { intent, paymentOfIntent } from './renewal.js';
import { accountOf, paymentOf, reference, session } from './session.js';

/**
 * Events are read by the object that they carry, not by their type: the state of the object is what counts, whichever
 * event brings it and in whatever order. Objects of other kinds are ignored.
 */
const event = z.object({
  object: z.literal('event'),
  id: z.string().min(1).max(255),
  type: z.string(),
  livemode: z.boolean(),
  account: z.string().nullish(),
  data: z.object({ object: z.unknown() }),
});

const movement = z.object({
  id: z.string(),
  amount: z.number(),
  currency: z.string(),
  payment_intent: reference,
  status: z.string().nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
});
const refund = movement.extend({ object: z.literal('refund') });
const dispute = movement.extend({ object: z.literal('dispute') });

const failedTypes: Readonly<Record<string, string>> = {
  'checkout.session.async_payment_failed': 'the payment failed',
  'checkout.session.expired': 'the payment page expired',
};

const refundStates: Readonly<Record<string, ReportedReversal['state']>> = {
  succeeded: 'done',
  failed: 'undone',
  canceled: 'undone',
};

/** An inquiry (`warning_…`) takes no money, and `prevented` is one that ended before it did. */
const disputeStates: Readonly<Record<string, ReportedReversal['state']>> = {
  needs_response: 'pending',
  under_review: 'pending',
  lost: 'done',
  won: 'undone',
};

/** @returns null for a text that is not an event */
export function eventOf(body: string): z.output<typeof event> | null {
  return event.safeParse(parseJson(body)).data ?? null;
}

export function readStripe(body: string): PaymentReport | null {
  const read = eventOf(body);
  if (!read) return null;
  const { type, livemode, account, data } = read;
  const paid = session.safeParse(data.object);
  if (paid.success) {
    const payment = paymentOf(paid.data, account);
    if (payment) return { kind: 'paid', payment };
    const [reason, tradeNo] = [failedTypes[type], paid.data.client_reference_id];
    return reason && tradeNo ? { kind: 'failed', tradeNo, reason } : null;
  }
  const renewed = intent.safeParse(data.object);
  if (renewed.success) {
    const payment = paymentOfIntent(renewed.data, account);
    return payment && { kind: 'paid', payment };
  }
  const refunded = refund.safeParse(data.object);
  const one = refunded.success ? refunded.data : dispute.safeParse(data.object).data;
  if (!one) return null;
  const isRefund = one.object === 'refund';
  const status = one.status ?? '';
  const state = isRefund ? (refundStates[status] ?? 'pending') : disputeStates[status];
  if (!state) return null;
  const currency = one.currency.toUpperCase();
  const reversal: ReportedReversal = {
    kind: one.object,
    id: one.id,
    payment: one.payment_intent,
    account: accountOf(livemode, account),
    money: fromAmount(one.amount, currency),
    currency,
    state,
    key: isRefund ? (one.metadata?.['tollgate_refund'] ?? null) : null,
  };
  return { kind: 'reversal', reversal };
}
