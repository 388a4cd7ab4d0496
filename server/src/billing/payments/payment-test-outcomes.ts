/** Stable codes of a test, with the sentence that explains each (docs/guide/errors.md#test-of-the-payment-settings). */
export const paymentTestMessages = {
  WORKS: 'The gateway accepts requests of this merchant with this key.',
  CALLBACK_NOT_PUBLIC:
    'The gateway accepts this key, but cannot report payments to a private address. Set ServerAddress or CustomCallbackAddress.',
  CALLBACK_MISSING: 'The gateway accepts this key, but does not report payments to this site. Add the webhook there.',
  NOT_CONFIGURED: 'Fill in the settings of the gateway first.',
  ADDRESS_REFUSED: 'This server does not call the gateway address: it is private, or has a port that is not allowed.',
  UNREACHABLE: 'The gateway address cannot be reached.',
  TIMED_OUT: 'The gateway did not respond within 10 seconds.',
  TLS_FAILED: 'The certificate of the gateway address is not valid.',
  NOT_A_GATEWAY: 'The address responds, but not as a payment gateway.',
  WRONG_KEY: 'The gateway refuses the signature: the key is wrong.',
  UNKNOWN_MERCHANT: 'The gateway does not know this merchant id.',
  MERCHANT_DISABLED: 'The gateway has disabled this merchant.',
  UNCLEAR: 'The gateway responds the same with a right and a wrong signature. Make a small payment to check the key.',
} as const;

export type PaymentTestOutcome = keyof typeof paymentTestMessages;
