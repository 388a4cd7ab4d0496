import { createHash } from 'node:crypto';
import { sameSecret } from '../../../../shared/secrets.js';

/** Query or form parameters of the Epay protocol. */
export type EpayParameters = Readonly<Record<string, string | undefined>>;

export interface EpayOrder {
  readonly merchantId: string;
  readonly paymentMethod: string;
  readonly tradeNo: string;
  readonly notifyUrl: string;
  readonly returnUrl: string;
  readonly name: string;
  /** The amount with two decimals. */
  readonly money: string;
}

const unsigned: readonly string[] = ['sign', 'sign_type'];

/** The parameters that a signature covers, sorted by name. */
export const signedOf = (parameters: EpayParameters): Array<[string, string]> =>
  Object.entries(parameters)
    .filter((entry): entry is [string, string] => Boolean(entry[1]) && !unsigned.includes(entry[0]))
    .sort(([left], [right]) => (left < right ? -1 : 1));

/**
 * Signs parameters: without `sign`, `sign_type` and empty values, sorted by key, `k=v` joined by `&` unencoded, the key
 * appended, MD5 in lower-case hex (docs/reference/rest/tokens-and-wallet.md#online-top-up).
 */
export function epaySign(parameters: EpayParameters, key: string): string {
  const text = signedOf(parameters)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  return createHash('md5')
    .update(text + key)
    .digest('hex');
}

/** Verifies a signature with a constant-time comparison. False without a key: an unconfigured gateway signs nothing. */
export function isSignedBy(parameters: EpayParameters, key: string): boolean {
  return key !== '' && sameSecret((parameters['sign'] ?? '').toLowerCase(), epaySign(parameters, key));
}

/** Form fields that the buyer's browser posts to the gateway. */
export function epayForm(order: EpayOrder, key: string): Record<string, string> {
  const fields = {
    pid: order.merchantId,
    type: order.paymentMethod,
    out_trade_no: order.tradeNo,
    notify_url: order.notifyUrl,
    return_url: order.returnUrl,
    name: order.name,
    money: order.money,
    device: 'pc',
    sign_type: 'MD5',
  };
  return { ...fields, sign: epaySign(fields, key) };
}
