import { fireEvent, screen } from '@testing-library/react';
import { PaymentMethodsDocument } from '../../nouns/payments/paymentMethods.generated.js';
import { answers } from '../../testing/lists.js';
import { alipay } from '../../testing/paymentMethods.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import { PaymentTest } from './PaymentTest.js';
import { TestPaymentDocument, type PaymentTestOutcome } from './settings.generated.js';

const open = (outcome: PaymentTestOutcome, reply: string | null) =>
  renderScreen({
    routes: [{ path: '/', element: <PaymentTest /> }],
    mocks: [
      answers(PaymentMethodsDocument, {
        paymentMethods: [alipay, { ...alipay, method: 'STRIPE_CHECKOUT', provider: 'stripe', isOffered: false }],
      }),
      {
        request: { query: TestPaymentDocument, variables: { provider: 'epay' } },
        result: {
          data: {
            testPayment: {
              __typename: 'TestPaymentPayload',
              outcome,
              reply,
              callbackUrl: 'https://gate.example.com/api/user/epay/notify',
            },
          },
        },
      },
    ] as never,
  });

it.each<[PaymentTestOutcome, string, RegExp]>([
  ['WORKS', 'Works', /reports payments to https:\/\/gate.example.com\/api\/user\/epay\/notify\.$/],
  ['UNCLEAR', 'Check', /Make a small payment/],
  ['WRONG_KEY', 'Fails', /the key is wrong/],
])('%s is said in one sentence', async (outcome, word, sentence) => {
  signInAs('PAYMENTS_SETTINGS');
  await open(outcome, 'no such amount');
  fireEvent.click(screen.getByRole('button', { name: 'Test payment' }));
  await screen.findByText(sentence);
  screen.getByText(word);
  expect(screen.queryByText('The gateway responded: no such amount') !== null).toBe(outcome !== 'WORKS');
});

it('is not shown to users who may not change the payment settings', async () => {
  signInAs('OPTIONS');
  await open('WORKS', null);
  expect(screen.queryByRole('button')).toBeNull();
});
