import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { siteStatus } from '../../lib/status.js';
import { alipay, wechatPay } from '../../testing/paymentMethods.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { TopUpPanel } from './TopUpPanel.js';
import { PayableDocument, StartTopUpDocument } from './wallet.generated.js';

const before = siteStatus.get();
afterEach(() => siteStatus.set(before));

it.each([
  [true, 20],
  [false, 10_000_000],
])('asks for the typed dollars in the unit of the site: in currency %s', async (displayInCurrency, amount) => {
  siteStatus.set({ ...before, displayInCurrency });
  const payable = {
    request: { query: PayableDocument, variables: { amount, method: 'ALIPAY' } },
    result: { data: { payableAmount: { __typename: 'Money', amount: '146.00' } } },
  };
  await renderScreen({
    routes: [{ path: '/', element: <TopUpPanel methods={[alipay, wechatPay]} /> }],
    mocks: [payable] as never,
  });
  expect(await screen.findByRole('button', { name: 'Pay ¥146.00 with Alipay' })).toBeEnabled();
});

it('keeps the lines of its summary while an amount cannot be paid', async () => {
  await renderScreen({ routes: [{ path: '/', element: <TopUpPanel methods={[alipay, wechatPay]} /> }] });
  fireEvent.change(screen.getByRole('textbox', { name: 'Amount (USD)' }), { target: { value: '0' } });
  expect(await screen.findByText('Top-up amount cannot be less than $1')).toBeVisible();
  expect(screen.getByText('Group ratio')).toBeVisible();
});

it('asks again for the price of the same amount after a failure', async () => {
  const request = { query: PayableDocument, variables: { amount: 20, method: 'ALIPAY' } };
  const mocks = [
    { request, error: new TypeError('Failed to fetch') },
    { request, result: { data: { payableAmount: { __typename: 'Money', amount: '146.00' } } } },
  ];
  await renderScreen({
    routes: [{ path: '/', element: <TopUpPanel methods={[alipay, wechatPay]} /> }],
    mocks: mocks as never,
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Retry' }));
  expect(await screen.findByRole('button', { name: 'Pay ¥146.00 with Alipay' })).toBeEnabled();
});

it('offers no amount that is below the minimum of the method', async () => {
  await renderScreen({
    routes: [{ path: '/', element: <TopUpPanel methods={[{ ...alipay, minTopUp: 30 }, wechatPay]} /> }],
  });
  const amounts = within(screen.getByRole('group', { name: 'Preset amounts' }));
  expect(amounts.getAllByRole('button').map((button) => button.textContent)).toEqual(['$50', '$100', '$500']);
});

it('names, prices and pays by the method that was chosen, in its currency', async () => {
  const card = { ...alipay, method: 'WXPAY' as const, currency: 'JPY', pricePerUsd: 150, names: [] };
  const payable = (method: string, amount: string) => ({
    request: { query: PayableDocument, variables: { amount: 20, method } },
    result: { data: { payableAmount: { __typename: 'Money', amount } } },
  });
  await renderScreen({
    routes: [{ path: '/', element: <TopUpPanel methods={[alipay, card]} /> }],
    mocks: [payable('ALIPAY', '146.00'), payable('WXPAY', '3000')] as never,
  });
  expect(await screen.findByRole('button', { name: 'Pay ¥146.00 with Alipay' })).toBeEnabled();
  fireEvent.click(screen.getByRole('button', { name: 'WXPAY' }));
  expect(await screen.findByRole('button', { name: 'Pay ¥3,000 with WXPAY' })).toBeEnabled();
  expect(screen.getByText('$20.00 × ¥150')).toBeVisible();
});

it.each([
  ['  spring-sale ', { topUpCode: 'spring-sale' }],
  ['  ', {}],
])('starts an order with the top-up code %j', async (typed, sent) => {
  const start = jest.fn();
  const mocks = [
    {
      request: { query: PayableDocument, variables: { amount: 20, method: 'ALIPAY' } },
      result: { data: { payableAmount: { __typename: 'Money', amount: '146.00' } } },
    },
    {
      request: { query: StartTopUpDocument, variables: (variables: unknown) => (start(variables), true) },
      error: new TypeError('Failed to fetch'),
    },
  ];
  await renderScreen({
    routes: [{ path: '/', element: <TopUpPanel methods={[alipay, wechatPay]} /> }],
    mocks: mocks as never,
  });
  fireEvent.change(screen.getByRole('textbox', { name: /^Top-up code/ }), { target: { value: typed } });
  fireEvent.click(await screen.findByRole('button', { name: 'Pay ¥146.00 with Alipay' }));
  await waitFor(() => expect(start).toHaveBeenCalled());
  expect(start.mock.calls[0]).toEqual([
    { input: { amount: 20, method: 'ALIPAY', idempotencyKey: expect.any(String) as string, ...sent } },
  ]);
});

it('starts with an amount that its first method takes', async () => {
  const card = { ...alipay, minTopUp: 49.5 };
  const payable = {
    request: { query: PayableDocument, variables: { amount: 50, method: 'ALIPAY' } },
    result: { data: { payableAmount: { __typename: 'Money', amount: '365.00' } } },
  };
  await renderScreen({
    routes: [{ path: '/', element: <TopUpPanel methods={[card, wechatPay]} /> }],
    mocks: [payable] as never,
  });
  expect(screen.queryByText(/cannot be less than/)).toBeNull();
  expect(await screen.findByRole('button', { name: 'Pay ¥365.00 with Alipay' })).toBeEnabled();
});
