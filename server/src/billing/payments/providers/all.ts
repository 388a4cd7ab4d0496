import type { PaymentProvider } from '../provider.js';
import { epay } from './epay/epay.js';

/** Every payment provider. The first one that is configured has the default method. */
export const paymentProviders: readonly [PaymentProvider, ...PaymentProvider[]] = [epay];

/** Ids of the methods of all providers. */
export const paymentMethodIds: readonly string[] = paymentProviders.flatMap(({ methodIds }) => methodIds);
