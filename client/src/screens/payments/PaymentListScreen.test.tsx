import { fireEvent, screen, waitFor, within, type BoundFunctions, type queries } from '@testing-library/react';
import { answers, headers, rowOf, toneOf } from '../../testing/lists.js';
import { paymentMethods } from '../../testing/paymentMethods.js';
import { openFilter } from '../../testing/filters.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import {
  MarkPaymentPaidDocument,
  PaidSumsDocument,
  PaymentEventsDocument,
  PaymentsDocument,
  RefundPaymentDocument,
} from './payments.generated.js';
import { PaymentListScreen } from './PaymentListScreen.js';

jest.setTimeout(60_000);

const money = (amount: string) => ({ __typename: 'Money', amount, currency: 'CNY' });
const order = (id: number, more: object = {}) => ({
  __typename: 'TopUpOrder',
  id,
  createdAt: '2026-11-20T14:05:00.000Z',
  paidAt: null,
  method: 'ALIPAY',
  provider: 'epay',
  status: 'PENDING',
  quota: 5_000_000,
  tradeNo: `USR7NO${String(id)}`,
  topUpCode: '',
  userId: 7,
  money: money('73.00'),
  refunded: money('0.00'),
  buyer: { __typename: 'User', id: 7, username: 'ada' },
  ...more,
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
            order(1, { status: 'PAID', paidAt: '2026-11-20T14:06:00.000Z' }),
            order(2, { buyer: null, userId: 8, method: 'WXPAY' }),
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
    keptByCurrency: [money('73'), { ...money('1500'), currency: 'JPY' }],
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
  for (const text of ['ada', '73.00 CNY', '$10.00']) paid.getByText(text);
  expect(paid.getByRole('link', { name: 'ada' })).toHaveAttribute('href', '/user/7');
  await paid.findByText('Alipay');
  expect(toneOf(paid.getByText('Paid'))).toBe('green');
  const open = await rowOf('USR7NO2');
  open.getByText('#8');
  open.getByText('WeChat Pay');
  expect(toneOf(open.getByText('Unpaid'))).toBe('amber');
  const received = await screen.findByLabelText('Received');
  await within(received).findByText('73.00 CNY · 1,500 JPY');
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
  const page = { __typename: 'TopUpOrderPage', totalCount: 1, items: [order(1)] };
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
    money: money('1.00'),
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
      answers(PaymentsDocument, { topUps: { __typename: 'TopUpOrderPage', totalCount: 1, items: [order(1)] } }),
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
  fireEvent.click(screen.getByText('73.00 CNY'));
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

it('refunds a part of a paid order, with a note', async () => {
  signInAs();
  const sums = { __typename: 'TopUpOrderSums', orders: 0, quota: 0, keptByCurrency: [] };
  const refund = {
    request: {
      query: RefundPaymentDocument,
      variables: ({ input }: { input: object }) => {
        expect(input).toEqual({
          id: 1,
          amount: '30.50',
          note: 'asked',
          belowZero: false,
          idempotencyKey: expect.any(String) as string,
        });
        return true;
      },
    },
    result: jest.fn(() => ({
      data: {
        refundTopUp: {
          __typename: 'RefundTopUpPayload',
          confirmed: true,
          order: { __typename: 'TopUpOrder', id: 1, refunded: money('53.50') },
        },
      },
    })),
  };
  const paid = order(1, { status: 'PAID', paidAt: '2026-11-20T15:00:00.000Z', refunded: money('23.00') });
  await renderScreen({
    path: '/payment',
    routes: [{ path: '/payment', element: <PaymentListScreen /> }],
    mocks: [
      answers(PaymentsDocument, { topUps: { __typename: 'TopUpOrderPage', totalCount: 1, items: [paid] } }),
      answers(PaidSumsDocument, { topUps: { __typename: 'TopUpOrderPage', sums } }),
      answers(PaymentEventsDocument, { topUpEvents: [], topUpReversals: [] }),
      paymentMethods,
      refund,
    ] as never,
  });
  await rowOf('USR7NO1');
  fireEvent.click(screen.getByText('73.00 CNY'));
  const drawer = within(await screen.findByRole('dialog', { name: 'Order' }));
  drawer.getByText('Refunded or disputed');
  drawer.getByText('23.00 CNY');
  fireEvent.click(await drawer.findByRole('button', { name: 'Refund' }));
  const form = within(await screen.findByRole('dialog', { name: 'Refund' }));
  const amount = form.getByRole('textbox', { name: /Amount to refund/ });
  expect(amount).toHaveProperty('value', '50.00');
  fireEvent.change(amount, { target: { value: '50.01' } });
  fireEvent.change(form.getByRole('textbox', { name: /Note/ }), { target: { value: ' asked ' } });
  fireEvent.click(form.getByRole('button', { name: 'Refund' }));
  await form.findByText('Enter an amount up to 50.00');
  expect(refund.result).not.toHaveBeenCalled();
  fireEvent.change(amount, { target: { value: '30.50' } });
  fireEvent.click(form.getByRole('button', { name: 'Refund' }));
  await screen.findByText('Refund of 30.50 CNY ordered');
  expect(refund.result).toHaveBeenCalledTimes(1);
});

describe('a refund', () => {
  type Part = BoundFunctions<typeof queries>;
  const input = jest.fn();
  const sums = { __typename: 'TopUpOrderSums', orders: 0, quota: 0, keptByCurrency: [] };
  const paid = order(1, { status: 'PAID', paidAt: '2026-11-20T15:00:00.000Z' });
  const request = {
    query: RefundPaymentDocument,
    variables: (given: { input: object }) => Boolean(input(given.input)) || true,
  };
  const made = (confirmed: boolean) => ({
    request,
    result: {
      data: {
        refundTopUp: {
          __typename: 'RefundTopUpPayload',
          confirmed,
          order: { __typename: 'TopUpOrder', id: 1, refunded: money('10.00') },
        },
      },
    },
  });
  const refused = (code: string, field: string | null) => ({
    request,
    result: { errors: [{ message: 'The gateway refused it', extensions: { code, field } }] },
  });
  const history = jest.fn(() => ({ data: { topUpEvents: [], topUpReversals: [] } }));
  const visit = async (...mocks: readonly object[]) => {
    signInAs();
    input.mockClear();
    history.mockClear();
    await renderScreen({
      path: '/payment?row=1',
      routes: [{ path: '/payment', element: <PaymentListScreen /> }],
      mocks: [
        answers(PaymentsDocument, { topUps: { __typename: 'TopUpOrderPage', totalCount: 1, items: [paid] } }),
        answers(PaidSumsDocument, { topUps: { __typename: 'TopUpOrderPage', sums } }),
        { request: { query: PaymentEventsDocument, variables: () => true }, result: history, maxUsageCount: 9 },
        paymentMethods,
        ...mocks,
      ] as never,
    });
    return within(await screen.findByRole('dialog', { name: 'Order' }));
  };
  const open = async (drawer: Part) => {
    fireEvent.click(await drawer.findByRole('button', { name: 'Refund', hidden: true }));
    return within(await screen.findByRole('dialog', { name: 'Refund' }));
  };
  const send = async (drawer: Part, note: string) => {
    const form = await open(drawer);
    fireEvent.change(form.getByRole('textbox', { name: /Amount to refund/ }), { target: { value: '10' } });
    fireEvent.change(form.getByRole('textbox', { name: /Note/ }), { target: { value: note } });
    const sent = input.mock.calls.length;
    fireEvent.click(form.getByRole('button', { name: 'Refund' }));
    await waitFor(() => expect(input).toHaveBeenCalledTimes(sent + 1));
    return form;
  };
  const keys = () => input.mock.calls.map(([given]: [{ idempotencyKey: string }]) => given.idempotencyKey);
  const close = async (form: Part) => {
    fireEvent.click(form.getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Refund' })).toBeNull());
  };

  it('whose response was lost keeps its key in a dialog that is opened again', async () => {
    const drawer = await visit(
      { request, error: new TypeError('Failed to fetch') },
      refused('CONFLICT', 'id'),
      made(true),
    );
    const lost = await send(drawer, 'asked');
    await lost.findByText('Unable to connect to server');
    // The list and the history show whether it was made.
    await waitFor(() => expect(history).toHaveBeenCalledTimes(2));
    await close(lost);
    const answered = await send(drawer, 'asked by mail');
    await answered.findByText('The gateway refused it');
    await close(answered);
    await send(drawer, 'asked by mail');
    await screen.findByText('Refund of 10.00 CNY ordered');
    const [first, second, third] = keys();
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  it('that the server had received is not made again with another note', async () => {
    const drawer = await visit(
      { request, error: new TypeError('Failed to fetch') },
      refused('CONFLICT', 'idempotencyKey'),
    );
    const lost = await send(drawer, 'asked');
    await lost.findByText('Unable to connect to server');
    await close(lost);
    await send(drawer, 'asked by mail');
    await drawer.findByText(/^An earlier attempt was received/);
    expect(screen.queryByRole('dialog', { name: 'Refund' })).toBeNull();
  });

  it('that the gateway did not confirm is a warning that stays, and no success', async () => {
    const drawer = await visit(made(false));
    await send(drawer, 'asked');
    await drawer.findByText(/^The gateway has not confirmed the refund/);
    expect(screen.getAllByText(/^The gateway has not confirmed the refund/)).toHaveLength(1);
  });

  const event = (kind: string, actorName: string | null) => ({
    __typename: 'TopUpEvent',
    at: '2026-11-20T14:06:00.000Z',
    kind,
    detail: '',
    payment: null,
    actorName,
  });
  const marked = event('MARKED_PAID', 'root');

  it.each<[string, { events?: readonly object[]; method?: string; provider?: string }, boolean]>([
    ['was marked as paid by hand', { events: [marked] }, false],
    ['was marked as paid, and reported by the gateway later', { events: [marked, event('REPEATED', null)] }, true],
    ['was imported', { method: 'OTHER', provider: 'other' }, false],
    ['was paid at a gateway that is no longer set up', { provider: 'stripe' }, false],
    ['was paid by a method that is no longer offered', { method: 'OTHER' }, true],
  ])('is offered only where it can work: the order %s', async (_, { events = [], ...more }, isOffered) => {
    signInAs();
    const one = { ...paid, ...more };
    await renderScreen({
      path: '/payment?row=1',
      routes: [{ path: '/payment', element: <PaymentListScreen /> }],
      mocks: [
        answers(PaymentsDocument, { topUps: { __typename: 'TopUpOrderPage', totalCount: 1, items: [one] } }),
        answers(PaidSumsDocument, { topUps: { __typename: 'TopUpOrderPage', sums } }),
        answers(PaymentEventsDocument, { topUpEvents: [event('CREDITED', null), ...events], topUpReversals: [] }),
        paymentMethods,
      ] as never,
    });
    const drawer = within(await screen.findByRole('dialog', { name: 'Order' }));
    await drawer.findByText('The gateway reported the payment: credited');
    await drawer.findByText(one.method === 'OTHER' ? 'Another method' : 'Alipay');
    expect(drawer.queryByRole('button', { name: 'Refund' }) !== null).toBe(isOffered);
  });

  it('is named in the list, with who made it in the history', async () => {
    signInAs();
    const part = { ...paid, refunded: money('10.00') };
    const whole = order(2, { status: 'PAID', paidAt: '2026-11-20T15:00:00.000Z', refunded: money('73.00') });
    await renderScreen({
      path: '/payment?row=1',
      routes: [{ path: '/payment', element: <PaymentListScreen /> }],
      mocks: [
        answers(PaymentsDocument, { topUps: { __typename: 'TopUpOrderPage', totalCount: 2, items: [part, whole] } }),
        answers(PaidSumsDocument, { topUps: { __typename: 'TopUpOrderPage', sums } }),
        answers(PaymentEventsDocument, {
          topUpEvents: [event('REFUNDED', 'root'), event('REFUNDED', null)],
          topUpReversals: [],
        }),
        paymentMethods,
      ] as never,
    });
    (await rowOf('USR7NO1')).getByText('Refunded in part');
    (await rowOf('USR7NO2')).getByText('Refunded');
    const drawer = within(await screen.findByRole('dialog', { name: 'Order' }));
    await drawer.findByText('Refunded by root: quota taken back');
    drawer.getByText('Refunded at the gateway: quota taken back');
  });
});
