import { fireEvent, screen, within } from '@testing-library/react';
import { answers, headers, rowOf, toneOf } from '../../testing/lists.js';
import { paymentMethods } from '../../testing/paymentMethods.js';
import { openFilter } from '../../testing/filters.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import { topUpOrder, yuan } from '../../testing/topUpOrder.js';
import {
  MarkPaymentPaidDocument,
  PaidSumsDocument,
  PaymentEventsDocument,
  PaymentsDocument,
} from './payments.generated.js';
import { PaymentListScreen } from './PaymentListScreen.js';

it('opens the order of a shared link on whatever page of the list it is', async () => {
  signInAs();
  const read = {
    request: { query: PaymentsDocument, variables: () => true },
    maxUsageCount: 9,
    result: ({ filter }: { filter: { ids?: number[] } }) => ({
      data: { topUps: { __typename: 'TopUpOrderPage', totalCount: 30, items: [topUpOrder(filter.ids ? 28 : 1)] } },
    }),
  };
  const sums = { __typename: 'TopUpOrderSums', orders: 0, quota: 0, keptByCurrency: [] };
  await renderScreen({
    path: '/payment?row=28',
    routes: [{ path: '/payment', element: <PaymentListScreen /> }],
    mocks: [
      read,
      paymentMethods,
      answers(PaidSumsDocument, { topUps: { __typename: 'TopUpOrderPage', sums } }),
      answers(PaymentEventsDocument, { topUpEvents: [], topUpReversals: [] }),
    ] as never,
  });
  within(await screen.findByRole('dialog', { name: 'Order' })).getByText('USR7NO28');
});

it('lists the orders of all users, and adds up what was received', async () => {
  signInAs();
  const asked: unknown[] = [];
  const list = {
    request: {
      query: PaymentsDocument,
      variables: ({ filter }: { filter: unknown }) => {
        asked.push(filter);
        return true;
      },
    },
    result: {
      data: {
        topUps: {
          __typename: 'TopUpOrderPage',
          totalCount: 2,
          items: [
            topUpOrder(1, { status: 'PAID', paidAt: '2026-11-20T14:06:00.000Z' }),
            topUpOrder(2, { buyer: null, userId: 8, method: 'WXPAY' }),
          ],
        },
      },
    },
    maxUsageCount: 9,
  };
  const sums = {
    __typename: 'TopUpOrderSums',
    orders: 1,
    quota: 5_000_000,
    keptByCurrency: [yuan('73'), { ...yuan('1500'), currency: 'JPY' }],
  };
  await renderScreen({
    path: '/payment?tradeNo=USR7NO1&user=7',
    routes: [{ path: '/payment', element: <PaymentListScreen /> }],
    mocks: [
      list,
      paymentMethods,
      answers(PaidSumsDocument, { topUps: { __typename: 'TopUpOrderPage', sums } }),
    ] as never,
  });
  const paid = await rowOf('USR7NO1');
  expect(await headers()).toEqual([
    ...['Created', 'User', 'Amount', 'Credited', 'Payment method', 'Status', 'Paid at', 'Order number'],
  ]);
  for (const text of ['ada', '¥73.00', '$10.00']) paid.getByText(text);
  expect(paid.getByRole('link', { name: 'ada' })).toHaveAttribute('href', '/user/7');
  await paid.findByText('Alipay');
  expect(toneOf(paid.getByText('Paid'))).toBe('green');
  const open = await rowOf('USR7NO2');
  open.getByText('#8');
  open.getByText('WeChat Pay');
  expect(toneOf(open.getByText('Unpaid'))).toBe('amber');
  const received = await screen.findByLabelText('Received');
  await within(received).findByText('¥73.00 · ¥1,500');
  // An order that is looked for by its number may be of any time.
  expect(asked.at(-1)).toEqual({ tradeNo: 'USR7NO1', userIds: [7] });
});

it('shows dashes for sums that could not be read', async () => {
  signInAs();
  const failing = {
    request: { query: PaidSumsDocument, variables: () => true },
    result: { errors: [{ message: 'Internal server error', extensions: { code: 'INTERNAL' } }] },
    maxUsageCount: 9,
  };
  await renderScreen({
    path: '/payment',
    routes: [{ path: '/payment', element: <PaymentListScreen /> }],
    mocks: [
      answers(PaymentsDocument, { topUps: { __typename: 'TopUpOrderPage', totalCount: 0, items: [] } }),
      failing,
      paymentMethods,
    ] as never,
  });
  expect(await within(await screen.findByLabelText('Received')).findAllByText('–')).toHaveLength(3);
});

it('does not show rows of an earlier filter when those of the chosen one could not be read', async () => {
  signInAs();
  const forAll = ({ filter }: { filter: object }) => !('tradeNo' in filter);
  const page = { __typename: 'TopUpOrderPage', totalCount: 1, items: [topUpOrder(1)] };
  const mocks = [
    paymentMethods,
    { request: { query: PaymentsDocument, variables: forAll }, result: { data: { topUps: page } }, maxUsageCount: 9 },
    {
      request: { query: PaymentsDocument, variables: () => true },
      result: { errors: [{ message: 'Internal server error', extensions: { code: 'INTERNAL' } }] },
      maxUsageCount: 9,
    },
    answers(PaidSumsDocument, {
      topUps: {
        __typename: 'TopUpOrderPage',
        sums: { __typename: 'TopUpOrderSums', orders: 0, quota: 0, keptByCurrency: [] },
      },
    }),
  ];
  const routes = [{ path: '/payment', element: <PaymentListScreen /> }];
  await renderScreen({ path: '/payment', routes, mocks: mocks as never });
  await rowOf('USR7NO1');
  const number = (await openFilter('Order number')).getByRole('textbox', { name: 'Order number' });
  fireEvent.change(number, { target: { value: 'USR7NO2' } });
  fireEvent.submit(number);
  await screen.findByText('The list could not be loaded');
  expect(screen.queryByText('USR7NO1')).toBeNull();
});

it('marks an unpaid order as paid, with a note, and shows what happened to it', async () => {
  signInAs();
  const sums = { __typename: 'TopUpOrderSums', orders: 0, quota: 0, keptByCurrency: [] };
  const event = (kind: string, detail: string) => ({
    __typename: 'TopUpEvent',
    at: '2026-11-20T14:06:00.000Z',
    kind,
    detail,
    payment: 'gw1',
    actorName: null,
  });
  const reversal = (id: number, kind: string, state: string) => ({
    __typename: 'TopUpReversal',
    id,
    kind,
    state,
    createdAt: '2026-11-20T14:06:00.000Z',
    payment: null,
    money: yuan('1.00'),
  });
  const mark = {
    request: { query: MarkPaymentPaidDocument, variables: { id: 1, note: 'seen at the gateway' } },
    result: jest.fn(() => ({
      data: {
        markTopUpPaid: {
          __typename: 'MarkTopUpPaidPayload',
          order: { __typename: 'TopUpOrder', id: 1, status: 'PAID', paidAt: '2026-11-21T00:00:00.000Z' },
        },
      },
    })),
  };
  await renderScreen({
    path: '/payment',
    routes: [{ path: '/payment', element: <PaymentListScreen /> }],
    mocks: [
      answers(PaymentsDocument, { topUps: { __typename: 'TopUpOrderPage', totalCount: 1, items: [topUpOrder(1)] } }),
      answers(PaidSumsDocument, { topUps: { __typename: 'TopUpOrderPage', sums } }),
      answers(PaymentEventsDocument, {
        topUpEvents: [event('REFUSED', 'another amount was paid')],
        topUpReversals: [
          reversal(1, 'REFUND', 'PENDING'),
          reversal(2, 'REFUND', 'UNDONE'),
          reversal(3, 'DISPUTE', 'PENDING'),
        ],
      }),
      paymentMethods,
      mark,
    ] as never,
  });
  await rowOf('USR7NO1');
  fireEvent.click(screen.getByText('¥73.00'));
  const drawer = within(await screen.findByRole('dialog', { name: 'Order' }));
  await drawer.findByText('A report of the gateway was refused');
  const outcomes = within(
    drawer.getByRole('heading', { name: 'Refunds and disputes' }).closest('section') as HTMLElement,
  );
  const tones = ['Refund pending', 'Refund refused', 'Disputed'].map((text) => toneOf(outcomes.getByText(text)));
  expect(tones).toEqual(['amber', 'grey', 'amber']);
  drawer.getByText(/another amount was paid · gw1$/);
  expect(drawer.queryByText('Refunded or disputed')).toBeNull();
  fireEvent.click(drawer.getByRole('button', { name: 'Mark as paid' }));
  const form = within(await screen.findByRole('dialog', { name: 'Mark as paid' }));
  fireEvent.click(form.getByRole('button', { name: 'Credit $10.00' }));
  await form.findByText('Enter a note');
  expect(mark.result).not.toHaveBeenCalled();
  fireEvent.change(form.getByRole('textbox'), { target: { value: ' seen at the gateway ' } });
  fireEvent.click(form.getByRole('button', { name: 'Credit $10.00' }));
  await screen.findByText('Order marked as paid');
  expect(mark.result).toHaveBeenCalledTimes(1);
});
