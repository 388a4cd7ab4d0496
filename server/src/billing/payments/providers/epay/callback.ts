import { createHash } from 'node:crypto';
import type { OptionValues } from '../../../../options/option.service.js';
import { parseMoney } from '../../money.js';
import type { Payment, PaymentReport, ProviderEvent, RawCallback } from '../../provider.js';
import { type EpayParameters, isSignedBy, signedOf } from './form.js';
import { currency } from './methods.js';

/**
 * Query parameters of GET, and of POST together with the fields of the form
 * (docs/reference/rest/tokens-and-wallet.md#payment-callback). The protocol does not number its messages: the id of
 * one is a hash of its signed parameters. The signature is none, because it joins them unencoded: two contents may share it.
 */
export function verifyEpay({ query, body }: RawCallback, { EpayKey }: OptionValues): ProviderEvent | null {
  const parameters: EpayParameters = { ...query, ...Object.fromEntries(new URLSearchParams(body)) };
  if (!isSignedBy(parameters, EpayKey)) return null;
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const signed = new URLSearchParams(signedOf(parameters)).toString();
  return { id: createHash('sha256').update(signed).digest('hex'), body: new URLSearchParams(given).toString() };
}

export function readEpay(body: string): PaymentReport | null {
  const parameters: EpayParameters = Object.fromEntries(new URLSearchParams(body));
  return parameters['trade_status'] === 'TRADE_SUCCESS' ? { kind: 'paid', payment: toPayment(parameters) } : null;
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
