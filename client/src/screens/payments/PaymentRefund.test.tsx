import { fireEvent, screen, waitFor, within, type BoundFunctions, type queries } from '@testing-library/react';
import { answers, rowOf } from '../../testing/lists.js';
import { paymentMethods } from '../../testing/paymentMethods.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import { topUpOrder, yuan } from '../../testing/topUpOrder.js';
import {
  PaidSumsDocument,
  PaymentEventsDocument,
  PaymentsDocument,
  RefundPaymentDocument,
} from './payments.generated.js';
import { PaymentListScreen } from './PaymentListScreen.js';

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
          order: { __typename: 'TopUpOrder', id: 1, refunded: yuan('53.50') },
        },
      },
    })),
  };
  const paid = topUpOrder(1, { status: 'PAID', paidAt: '2026-11-20T15:00:00.000Z', refunded: yuan('23.00') });
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
  fireEvent.click(screen.getByText('¥73.00'));
  const drawer = within(await screen.findByRole('dialog', { name: 'Order' }));
  drawer.getByText('Refunded or disputed');
  drawer.getByText('¥23.00');
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
  await screen.findByText('Refund of ¥30.50 ordered');
  expect(refund.result).toHaveBeenCalledTimes(1);
});

describe('a refund', () => {
  type Part = BoundFunctions<typeof queries>;
  const input = jest.fn();
  const sums = { __typename: 'TopUpOrderSums', orders: 0, quota: 0, keptByCurrency: [] };
  const paid = topUpOrder(1, { status: 'PAID', paidAt: '2026-11-20T15:00:00.000Z' });
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
          order: { __typename: 'TopUpOrder', id: 1, refunded: yuan('10.00') },
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
    await screen.findByText('Refund of ¥10.00 ordered');
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
    const part = { ...paid, refunded: yuan('10.00') };
    const whole = topUpOrder(2, { status: 'PAID', paidAt: '2026-11-20T15:00:00.000Z', refunded: yuan('73.00') });
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
