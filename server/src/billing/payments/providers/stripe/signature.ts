import { createHmac } from 'node:crypto';
import { dateOf } from '../../../../shared/clock.js';
import { sameSecret } from '../../../../shared/secrets.js';
import type { OptionValues } from '../../../../options/option.service.js';
import type { ProviderEvent, RawCallback } from '../../provider.js';
import { eventOf } from './events.js';

/** Milliseconds between the signature and its arrival (docs.stripe.com/webhooks/signature). */
const tolerance = 300_000;

/**
 * `Stripe-Signature: t=<seconds>,v1=<hex>,v1=<hex>`: HMAC-SHA256 of `<t>.<body>`. After the secret was rolled there is one
 * signature for each secret, until the old one ends.
 */
export function verifyStripe(
  { headers, body, receivedAt }: RawCallback,
  { StripeSigningSecret }: Pick<OptionValues, 'StripeSigningSecret'>,
): ProviderEvent | null {
  const header = headers['stripe-signature'];
  if (typeof header !== 'string' || StripeSigningSecret === '') return null;
  const parts = [...header.matchAll(/(\w+)=([^,\s]*)/g)].map(([, name, value]) => [name, value] as const);
  const time = parts.find(([name]) => name === 't')?.[1] ?? '';
  if (!/^\d{1,12}$/.test(time) || Math.abs(receivedAt - dateOf(Number(time)).getTime()) > tolerance) return null;
  const expected = createHmac('sha256', StripeSigningSecret).update(`${time}.${body}`).digest('hex');
  const isSigned = parts.some(([name, value = '']) => name === 'v1' && sameSecret(value, expected));
  if (!isSigned) return null;
  const event = eventOf(body);
  return event && { id: event.id, body };
}
