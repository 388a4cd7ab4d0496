import { screen, within } from '@testing-library/react';
import { answers } from '../../testing/lists.js';
import { alipay } from '../../testing/paymentMethods.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { WalletDocument } from './wallet.generated.js';
import { WalletScreen } from './WalletScreen.js';

const log = (id: number, type: string, quota: number, content: string) => ({
  __typename: 'OwnLog',
  id: String(id),
  at: `2026-03-0${id}T10:00:00.000Z`,
  type,
  content,
  quota,
});

it('lists every credit by its kind, and leads to the usage', async () => {
  const wallet = {
    me: { __typename: 'User', id: 1, quota: 5_000_000, usedQuota: 0, requestCount: 0, group: 'default' },
    myGroups: [{ __typename: 'OwnGroup', name: 'default', ratio: 1 }],
    status: { __typename: 'Status', topUpLink: '' },
    paymentMethods: [{ ...alipay, isOffered: false }],
    myTopUps: { __typename: 'TopUpPage', items: [] },
    myLogs: {
      __typename: 'OwnLogPage',
      items: [
        log(5, 'TOP_UP', 500_000, 'Top-up by code $1.000000 quota, code id 79'),
        log(4, 'CHECK_IN', 129_000, 'Checked in'),
        log(3, 'MANAGE', 0, 'Password changed'),
        log(2, 'MANAGE', 1_000_000, 'Quota added by root'),
        log(1, 'SYSTEM', 250_000, 'Invite reward'),
      ],
    },
  };
  await renderScreen({
    routes: [{ path: '/', element: <WalletScreen /> }],
    mocks: [answers(WalletDocument, wallet)] as never,
  });
  const recent = within(await screen.findByRole('region', { name: 'Recent top-ups' }));
  for (const text of ['Top-up', 'Check-in', 'Credit by an administrator', 'Credit']) recent.getByText(text);
  for (const amount of ['+$1.00', '+$0.26', '+$2.00', '+$0.50']) recent.getByText(amount);
  // A change that is not a credit is not in the list.
  expect(recent.getAllByText(/^\+/)).toHaveLength(4);
  expect(recent.queryByText(/code id/)).toBeNull();
  expect(recent.getByRole('link', { name: 'My usage' })).toHaveAttribute('href', '/log');
});

it('lists a payment once and by its method, an unpaid one as such, and a reward below a cent with its amount', async () => {
  const order = (id: number, status: string) => ({
    __typename: 'TopUp',
    id,
    createdAt: `2026-03-0${String(id)}T10:00:00.000Z`,
    method: 'ALIPAY',
    quota: 5_000_000,
    money: { __typename: 'Money', amount: 7200 },
    status,
  });
  const wallet = {
    me: { __typename: 'User', id: 1, quota: 5_000_000, usedQuota: 0, requestCount: 0, group: 'default' },
    myGroups: [],
    status: { __typename: 'Status', topUpLink: '' },
    paymentMethods: [{ ...alipay, isOffered: false }],
    myTopUps: { __typename: 'TopUpPage', items: [order(6, 'PENDING'), order(4, 'PAID')] },
    myLogs: {
      __typename: 'OwnLogPage',
      items: [log(5, 'TOP_UP', 5_000_000, 'Top-up paid with Alipay'), log(3, 'CHECK_IN', 1000, 'Checked in')],
    },
  };
  await renderScreen({
    routes: [{ path: '/', element: <WalletScreen /> }],
    mocks: [answers(WalletDocument, wallet)] as never,
  });
  const recent = within(await screen.findByRole('region', { name: 'Recent top-ups' }));
  expect(recent.getAllByText('Alipay')).toHaveLength(2);
  recent.getByText('Unpaid');
  expect(recent.getAllByText(/^\+/).map(({ textContent }) => textContent)).toEqual(['+$10.00', '+$0.0020']);
});
