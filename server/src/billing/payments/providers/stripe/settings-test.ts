import { z } from 'zod';
import type { ProviderContext, ProviderTest } from '../../provider.js';
import { getStripe, StripeRefusal } from './api.js';

const balance = z.object({ object: z.literal('balance'), livemode: z.boolean() });
const endpoints = z.object({
  data: z.array(z.object({ url: z.string(), status: z.string(), enabled_events: z.array(z.string()) })),
});

/** Events without which a payment, or money that goes back, would be noticed late or not at all. */
const neededEvents: readonly string[] = [
  ...['checkout.session.completed', 'checkout.session.async_payment_succeeded'],
  ...['refund.created', 'refund.failed', 'charge.dispute.created', 'charge.dispute.closed'],
];

/** Reads the balance, then looks for our endpoint among those of the account. The secret of an endpoint cannot be read. */
export async function testStripe(context: ProviderContext): Promise<ProviderTest> {
  const mode = await allowed(getStripe(context, 'balance', balance));
  if (mode === 'wrong key') return { outcome: 'WRONG_KEY', reply: null };
  const reply = mode && (mode.livemode ? 'live mode' : 'test mode');
  const found = await allowed(getStripe(context, 'webhook_endpoints?limit=100', endpoints));
  // A restricted key may not read them.
  if (found === null || found === 'wrong key') return { outcome: 'WORKS', reply };
  const isReported = found.data.some(
    ({ url, status, enabled_events: events }) =>
      url === context.notifyUrl &&
      status === 'enabled' &&
      (events.includes('*') || neededEvents.every((one) => events.includes(one))),
  );
  return { outcome: isReported ? 'WORKS' : 'CALLBACK_MISSING', reply };
}

/** @returns null when the key is right, but has no permission for this */
async function allowed<T>(response: Promise<T>): Promise<T | 'wrong key' | null> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof StripeRefusal && error.status === 401) return 'wrong key';
    if (error instanceof StripeRefusal && error.status === 403) return null;
    throw error;
  }
}
