import type { OptionValues } from '../../../../options/option.service.js';
import { parseMoney } from '../../money.js';
import type { CallbackReading, Payment, RawCallback } from '../../provider.js';
import { isSignedBy, type EpayParameters } from './form.js';
import { currency } from './methods.js';

/** Query parameters of GET, and of POST together with the fields of the form (docs/reference/rest/tokens-and-wallet.md#payment-callback). */
export function readEpayCallback({ query, body }: RawCallback, { EpayKey }: OptionValues): CallbackReading {
  const parameters: EpayParameters = { ...query, ...Object.fromEntries(new URLSearchParams(body)) };
  if (!isSignedBy(parameters, EpayKey)) return { kind: 'refused' };
  if (parameters['trade_status'] !== 'TRADE_SUCCESS') return { kind: 'nothing' };
  return { kind: 'paid', payment: toPayment(parameters) };
}

/** The fields of a payment are the same in callbacks and in responses to queries. */
export function toPayment(fields: EpayParameters): Payment {
  return {
    tradeNo: fields['out_trade_no'] ?? '',
    id: fields['trade_no'] || null,
    account: fields['pid'] ?? '',
    money: parseMoney(fields['money'] ?? '', currency),
    currency: fields['currency'] || currency,
  };
}
