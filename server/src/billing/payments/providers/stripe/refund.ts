import { z } from 'zod';
import { AppError } from '../../../../shared/errors.js';
import { type ProviderContext, type RefundOrder, RefundRefused } from '../../provider.js';
import type { TopUpOrder } from '../../top-up-order.entity.js';
import { toAmount } from './amount.js';
import { getStripe, postStripe, StripeRefusal } from './api.js';

const refund = z.object({
  object: z.literal('refund'),
  id: z.string(),
  metadata: z.record(z.string(), z.string()).nullish(),
});
const refunds = z.object({ data: z.array(refund) });

/** @returns Stripe's number of the refund */
export async function refundStripe(
  order: TopUpOrder,
  { key, money, isRetry }: RefundOrder,
  context: ProviderContext,
): Promise<string> {
  const payment = order.providerTradeNo ?? '';
  // Keys are forgotten after a day, refunds are not.
  const made = isRetry ? await find(payment, key, context) : null;
  if (made !== null) return made;
  const fields = { payment_intent: payment, amount: toAmount(money, order.currency), 'metadata[tollgate_refund]': key };
  try {
    return (await postStripe(context, 'refunds', { key: `${order.tradeNo}-${key}`, fields }, refund)).id;
  } catch (error) {
    if (!(error instanceof StripeRefusal)) throw error;
    // A wrong key decides nothing about the refund: it is sent again once the setting is right.
    if (error.status === 401 || error.status === 403) {
      throw new AppError('UPSTREAM_UNREACHABLE', 'The payment gateway refuses the key', { cause: error });
    }
    throw new RefundRefused(error.text);
  }
}

async function find(payment: string, key: string, context: ProviderContext): Promise<string | null> {
  const path = `refunds?payment_intent=${encodeURIComponent(payment)}&limit=100`;
  const { data } = await getStripe(context, path, refunds);
  return data.find(({ metadata }) => metadata?.['tollgate_refund'] === key)?.id ?? null;
}
