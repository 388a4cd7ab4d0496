export const yuan = (amount: string) => ({ __typename: 'Money', amount, currency: 'CNY' });
/** An order of the list of payments: unpaid. */
export const topUpOrder = (id: number, more: object = {}) => ({
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
  money: yuan('73.00'),
  refunded: yuan('0.00'),
  buyer: { __typename: 'User', id: 7, username: 'ada' },
  ...more,
});
