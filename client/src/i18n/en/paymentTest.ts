/** The test of the payment settings. */
export const paymentTest = {
  title: 'Test the gateway',
  hint: 'Uses the saved settings. No payment is made.',
  run: 'Test payment',
  works: 'Works',
  unsure: 'Check',
  fails: 'Fails',
  reply: 'The gateway responded: {{text}}',
  outcomes: {
    WORKS: 'The gateway accepts this merchant and key, and reports payments to {{address}}.',
    CALLBACK_NOT_PUBLIC:
      'The gateway accepts this key, but cannot report payments to {{address}}. Set the server address or the callback address to a public one.',
    CALLBACK_MISSING:
      'The key is right, but the gateway does not report payments to {{address}}. Add the webhook there.',
    NOT_CONFIGURED: 'Fill in the settings of the gateway and save them first.',
    ADDRESS_REFUSED: 'This server does not call that address: it is private, or its port is not allowed.',
    UNREACHABLE: 'The gateway URL cannot be reached.',
    TIMED_OUT: 'The gateway did not respond within 10 seconds.',
    TLS_FAILED: 'The certificate of the gateway URL is not valid.',
    NOT_A_GATEWAY: 'The address responds, but not as a payment gateway. Check the path of the gateway URL.',
    WRONG_KEY: 'The gateway refuses the signature: the key is wrong.',
    UNKNOWN_MERCHANT: 'The gateway does not know this merchant ID.',
    MERCHANT_DISABLED: 'The gateway has disabled this merchant.',
    UNCLEAR: 'The gateway responds the same to a right and a wrong signature. Make a small payment to check the key.',
  },
};
