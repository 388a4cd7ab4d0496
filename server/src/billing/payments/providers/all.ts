import type { PaymentProvider } from '../provider.js';
import { epay } from './epay/epay.js';
import { stripe } from './stripe/stripe.js';

/** Every payment provider. The first one that is configured has the default method. */
export const paymentProviders: readonly [PaymentProvider, ...PaymentProvider[]] = [epay, stripe];

/** Ids of the methods of all providers. */
export const paymentMethodIds: readonly string[] = paymentProviders.flatMap(({ methodIds }) => methodIds);
