import { formatMoney } from '../../money.js';
import type { PaymentProvider } from '../../provider.js';
import { queryEpay, refundEpay } from './api.js';
import { readEpay, verifyEpay } from './callback.js';
import { epayForm } from './form.js';
import { epayMethodIds, epayMethods } from './methods.js';
import { testEpay } from './settings-test.js';

/** Gateways that speak the Epay protocol (docs/reference/rest/tokens-and-wallet.md#online-top-up). */
export const epay: PaymentProvider = {
  name: 'epay',
  methodIds: epayMethodIds,
  methods: epayMethods,
  isConfigured: ({ PayAddress, EpayId, EpayKey }) => PayAddress !== '' && EpayId !== '' && EpayKey !== '',
  account: ({ EpayId }) => EpayId,
  start: (order, amount, { settings, notifyUrl, returnUrl }) => {
    const { merchantId, paymentMethod, tradeNo, money, currency } = order;
    const name = `TUC${amount}`;
    const payable = formatMoney(money, currency);
    const form = { merchantId, paymentMethod, tradeNo, notifyUrl, returnUrl, name, money: payable };
    return Promise.resolve({ url: `${settings.PayAddress}/submit.php`, fields: epayForm(form, settings.EpayKey) });
  },
  checkoutAddresses: ({ PayAddress }) => [PayAddress],
  maxCallbackBytes: 16 * 1024,
  callbackParameters: {
    out_trade_no: 'Number of the order',
    money: 'Amount paid',
    trade_status: '`TRADE_SUCCESS` credits the order',
    sign: 'Signature of the gateway',
  },
  verify: verifyEpay,
  read: readEpay,
  replyTo: (result) => ({ status: 200, text: result === 'accepted' ? 'success' : 'fail' }),
  query: queryEpay,
  // The protocol has no key for a refund.
  repeatsRefunds: false,
  refund: refundEpay,
  test: testEpay,
};
