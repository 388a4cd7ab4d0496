import type { OptionValues } from '../../../../options/option.service.js';
import type { PaymentProvider } from '../../provider.js';
import { queryCheckout, startCheckout } from './checkout.js';
import { readStripe } from './events.js';
import { methodIds, stripeMethods } from './methods.js';
import { refundStripe } from './refund.js';
import { chargeIntent, prepareIntent } from './renewal.js';
import { testStripe } from './settings-test.js';
import { verifyStripe } from './signature.js';

/** Stripe Checkout in payment mode (docs/guide/payments.md#stripe). */
export const stripe: PaymentProvider = {
  name: 'stripe',
  methodIds,
  methods: stripeMethods,
  isConfigured: ({ StripeSecretKey, StripeSigningSecret }) => StripeSecretKey !== '' && StripeSigningSecret !== '',
  account: modeOf,
  start: startCheckout,
  cards: { prepare: prepareIntent, charge: chargeIntent },
  // The browser opens the page without posting anything.
  checkoutAddresses: () => [],
  // Most events have some kilobytes. The end of a dispute repeats the evidence, of up to 150,000 characters
  // (docs.stripe.com/api/disputes/update, 2026-11-27), which JSON may write with several bytes each.
  maxCallbackBytes: 512 * 1024,
  callbackParameters: {},
  verify: verifyStripe,
  read: readStripe,
  // Stripe repeats an event for three days unless the status is 2xx. A refused event is stored: repeating it is of no use.
  replyTo: (result) => ({ status: { accepted: 200, refused: 200, forged: 400, failed: 500 }[result], text: result }),
  query: queryCheckout,
  repeatsRefunds: true,
  refund: refundStripe,
  test: testStripe,
};

/**
 * The API does not name the account in its objects, but the mode of the key, which its events have too. Ids of pages and
 * payments are unique among all accounts, and each endpoint signs with a secret of its own.
 */
function modeOf({ StripeSecretKey }: OptionValues): string {
  return /^[a-z]+_test_/.test(StripeSecretKey) ? 'test' : 'live';
}
