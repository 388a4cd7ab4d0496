import { z } from 'zod';
import { AppError } from '../../../../shared/errors.js';
import { ChargeRefused, type Payment, type ProviderContext } from '../../provider.js';
import type { TopUpOrder } from '../../top-up-order.entity.js';
import { fromAmount, toAmount } from './amount.js';
import { getStripe, postStripe, StripeRefusal } from './api.js';
import { accountOf, reference } from './session.js';

/**
 * A PaymentIntent (docs.stripe.com/api/payment_intents/object). The intents of renewals are made here, one for each order.
 * An intent is charged at most once, so that its order is, although keys of idempotency are forgotten after a day.
 */
export const intent = z.object({
  object: z.literal('payment_intent'),
  id: z.string(),
  livemode: z.boolean(),
  status: z.string(),
  amount_received: z.number().nullish(),
  currency: z.string(),
  customer: reference.nullish(),
  payment_method: reference.nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  last_payment_error: z.object({ payment_method: z.object({ id: z.string() }).nullish() }).nullish(),
});
type Intent = z.output<typeof intent>;

/** Marks the intents of renewals. Intents of payment pages are reported by their page. */
const mark = 'renewal';

/** The payment of a renewal. Null: it is not paid, or no renewal. */
export function paymentOfIntent(one: Intent, connected?: string | null): Payment | null {
  const tradeNo = one.metadata?.[mark];
  if (one.status !== 'succeeded' || !tradeNo) return null;
  const currency = one.currency.toUpperCase();
  return {
    tradeNo,
    id: one.id,
    account: accountOf(one.livemode, connected),
    money: one.amount_received == null ? null : fromAmount(one.amount_received, currency),
    currency,
    providerOrderId: one.id,
  };
}

export async function queryIntent(id: string, context: ProviderContext): Promise<Payment | null> {
  return paymentOfIntent(await find(id, context));
}

/** Creates the intent of an order, with the card and the customer of the payment that saved it. */
export async function prepareIntent(
  { tradeNo, money, currency }: TopUpOrder,
  { providerTradeNo }: TopUpOrder,
  context: ProviderContext,
): Promise<string> {
  // An admin marked the order as paid.
  if (providerTradeNo === null) throw new ChargeRefused('removed', 'no payment is known that saved a card');
  const { customer, payment_method: card } = await refusing(find(providerTradeNo, context));
  if (!customer || !card) throw new ChargeRefused('removed', 'the card was not saved');
  const fields = {
    amount: toAmount(money, currency),
    currency: currency.toLowerCase(),
    customer,
    payment_method: card,
    [`metadata[${mark}]`]: tradeNo,
  };
  return (await refusing(postStripe(context, 'payment_intents', { key: tradeNo, fields }, intent))).id;
}

/** The state of the intent decides, so that a lost response is not a second charge. */
export async function chargeIntent(order: TopUpOrder, context: ProviderContext): Promise<Payment | null> {
  const { tradeNo, declines, providerOrderId } = order;
  const id = providerOrderId ?? '';
  const before = await refusing(find(id, context));
  if (!['requires_payment_method', 'requires_confirmation'].includes(before.status)) return decided(before);
  // A declined card leaves the intent, and is named in the error.
  const card = before.payment_method ?? before.last_payment_error?.payment_method?.id;
  if (!card) throw new ChargeRefused('removed', 'the payment has no card');
  // A charge that was decided has a key of its own: a repeated key returns the decision that came before.
  const request = {
    key: `${tradeNo}-charge-${declines}`,
    fields: { payment_method: card, off_session: 'true', return_url: context.returnUrl },
  };
  return decided(
    await refusing(postStripe(context, `payment_intents/${encodeURIComponent(id)}/confirm`, request, intent)),
  );
}

export async function findCharge({ providerOrderId }: TopUpOrder, context: ProviderContext): Promise<Payment | null> {
  // Only a stored intent is charged.
  if (providerOrderId === null) throw new ChargeRefused('refused', 'the card was not charged in time');
  return decided(await refusing(find(providerOrderId, context)));
}

function decided(one: Intent): Payment | null {
  if (one.status === 'processing') return null;
  if (one.status === 'requires_action') throw new ChargeRefused('authentication', 'the bank asks for the buyer');
  const payment = paymentOfIntent(one);
  if (!payment) throw new ChargeRefused('refused', `the payment is ${one.status}`);
  return payment;
}

const find = (id: string, context: ProviderContext): Promise<Intent> =>
  getStripe(context, `payment_intents/${encodeURIComponent(id)}`, intent);

/** @throws ChargeRefused for what Stripe decided, others for what may be different later */
async function refusing<T>(response: Promise<T>): Promise<T> {
  try {
    return await response;
  } catch (error) {
    if (!(error instanceof StripeRefusal)) throw error;
    const { status, errorType, reason, parameter, text } = error;
    if (status === 401 || status === 403) {
      throw new AppError('UPSTREAM_UNREACHABLE', 'The payment gateway refuses the key', { cause: error });
    }
    // Settings changed since a request whose response was lost. Its key is forgotten after a day.
    if (errorType === 'idempotency_error') throw new AppError('UPSTREAM_UNREACHABLE', error.message, { cause: error });
    if (reason === 'authentication_required') throw new ChargeRefused('authentication', text);
    if (errorType === 'card_error') throw new ChargeRefused('declined', text);
    if (parameter === 'payment_method' || parameter === 'customer') throw new ChargeRefused('removed', text);
    throw new ChargeRefused('refused', text);
  }
}
