import { z } from 'zod';
import { AppError, ConflictError, InvalidInputError } from '../../../../shared/errors.js';
import type { Checkout, Payment, ProviderContext } from '../../provider.js';
import type { TopUpOrder } from '../../top-up-order.entity.js';
import { toAmount } from './amount.js';
import { getStripe, postStripe, StripeRefusal } from './api.js';
import { queryIntent } from './renewal.js';
import { paymentOf, session, type Session } from './session.js';

/** Opens the page of an order: the same one again while it is open, so that the order cannot be paid on two pages. */
export async function startCheckout(order: TopUpOrder, _amount: number, context: ProviderContext): Promise<Checkout> {
  const page =
    order.providerOrderId === null ? await create(order, context) : await find(order.providerOrderId, context);
  if (page?.status !== 'open' || !page.url) {
    throw new ConflictError('The payment page of this order is closed. Start a new one', 'idempotencyKey');
  }
  return { url: page.url, fields: {}, providerOrderId: page.id };
}

export async function queryCheckout(
  { tradeNo, providerOrderId, renewsId }: TopUpOrder,
  context: ProviderContext,
): Promise<Payment | null> {
  if (renewsId !== null) return providerOrderId === null ? null : queryIntent(providerOrderId, context);
  if (providerOrderId === null) return searchPayment(tradeNo, context);
  const found = await find(providerOrderId, context);
  return found && paymentOf(found);
}

/**
 * The payment of an order whose page got no number here, because the process ended before it was stored. Pages cannot be
 * searched, payments can, by their metadata (docs.stripe.com/search).
 */
async function searchPayment(tradeNo: string, context: ProviderContext): Promise<Payment | null> {
  const query = new URLSearchParams({ query: `metadata['trade_no']:'${tradeNo}' AND status:'succeeded'` });
  const [intent] = (await getStripe(context, `payment_intents/search?${query.toString()}`, intents)).data;
  if (!intent) return null;
  const pages = await getStripe(context, `checkout/sessions?payment_intent=${encodeURIComponent(intent.id)}`, sessions);
  const page = pages.data.find(({ client_reference_id: reference }) => reference === tradeNo);
  return page ? paymentOf(page) : null;
}

const intents = z.object({ data: z.array(z.object({ id: z.string() })) });
const sessions = z.object({ data: z.array(session) });

async function find(id: string, context: ProviderContext): Promise<Session | null> {
  try {
    return await getStripe(context, `checkout/sessions/${encodeURIComponent(id)}`, session);
  } catch (error) {
    if (error instanceof StripeRefusal && error.reason === 'resource_missing') return null;
    throw error;
  }
}

const badAmounts: readonly string[] = ['amount_too_small', 'amount_too_large'];

async function create(order: TopUpOrder, context: ProviderContext): Promise<Session> {
  const { tradeNo, money, currency } = order;
  // No payment methods are named: a list would hide those that the operator turned on at Stripe.
  const fields = {
    mode: 'payment',
    client_reference_id: tradeNo,
    success_url: context.returnUrl,
    cancel_url: context.returnUrl,
    'line_items[0][quantity]': '1',
    'line_items[0][price_data][currency]': currency.toLowerCase(),
    'line_items[0][price_data][unit_amount]': toAmount(money, currency),
    'line_items[0][price_data][product_data][name]': `${context.settings.SystemName}: balance`,
    'payment_intent_data[metadata][trade_no]': tradeNo,
    // A customer keeps the card, and the buyer agrees on the page that it is charged without them.
    ...(order.savesCard && { customer_creation: 'always', 'payment_intent_data[setup_future_usage]': 'off_session' }),
  };
  try {
    return await postStripe(context, 'checkout/sessions', { key: tradeNo, fields }, session);
  } catch (error) {
    if (!(error instanceof StripeRefusal)) throw error;
    if (badAmounts.includes(error.reason)) {
      throw new InvalidInputError('The payment gateway does not take this amount', 'amount');
    }
    // Settings changed since the first attempt. Its page, if there is one, was never shown.
    if (error.reason === 'idempotency_error') {
      throw new ConflictError('The settings of the payment changed. Start a new order', 'idempotencyKey');
    }
    // The text of Stripe may name the key and the account. Buyers read this one.
    throw new AppError('UPSTREAM_INVALID_RESPONSE', error.message, { cause: error });
  }
}
