import { z } from 'zod';
import type { Payment } from '../../provider.js';
import { fromAmount } from './amount.js';

/** A reference is an id, or the object when it was expanded. */
export const reference = z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]);

/** A Checkout Session (docs.stripe.com/api/checkout/sessions/object). */
export const session = z.object({
  object: z.literal('checkout.session'),
  id: z.string(),
  mode: z.string(),
  livemode: z.boolean(),
  status: z.string().nullish(),
  payment_status: z.string(),
  client_reference_id: z.string().nullish(),
  amount_total: z.number().nullish(),
  currency: z.string().nullish(),
  payment_intent: reference.nullish(),
  url: z.string().nullish(),
});
export type Session = z.output<typeof session>;

/** Events and keys have a mode. An event of Connect also has the account of another merchant. */
export const accountOf = (livemode: boolean, connected?: string | null): string =>
  connected ?? (livemode ? 'live' : 'test');

/** The payment of a session. Null: it is not paid, or not a payment. */
export function paymentOf(one: Session, connected?: string | null): Payment | null {
  // A finished session of a delayed method is `unpaid` until the money arrives.
  if (one.mode !== 'payment' || one.payment_status !== 'paid' || !one.client_reference_id) return null;
  const currency = (one.currency ?? '').toUpperCase();
  return {
    tradeNo: one.client_reference_id,
    id: one.payment_intent ?? null,
    account: accountOf(one.livemode, connected),
    money: one.amount_total == null || currency === '' ? null : fromAmount(one.amount_total, currency),
    currency,
    providerOrderId: one.id,
  };
}
