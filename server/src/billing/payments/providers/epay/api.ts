import { z } from 'zod';
import { keepsSecrets } from '../../../../platform/outbound/address-class.js';
import { AppError, InvalidInputError } from '../../../../shared/errors.js';
import { formatMoney } from '../../money.js';
import { type Payment, type ProviderContext, type RefundOrder, RefundRefused } from '../../provider.js';
import type { TopUpOrder } from '../../top-up-order.entity.js';
import { toPayment } from './callback.js';

/**
 * `api.php` of the gateway. Unlike forms, its requests contain the key itself: the protocol has no signature for them.
 * Gateways write numbers as numbers or as texts.
 */
const text = z.union([z.string(), z.number()]).transform(String);
const response = z.object({ code: text, msg: text.optional() });
const orderResponse = response.extend({
  status: text.optional(),
  trade_no: text.optional(),
  out_trade_no: text.optional(),
  pid: text.optional(),
  money: text.optional(),
});

const succeeded = '1';
const paid = '1';

/** @returns null for an order that is not paid, refunded, or unknown to the gateway */
export async function queryEpay({ tradeNo }: TopUpOrder, context: ProviderContext): Promise<Payment | null> {
  const { EpayId: pid, EpayKey: key } = context.settings;
  const query = new URLSearchParams({ act: 'order', pid, key, out_trade_no: tradeNo });
  const order = orderResponse.safeParse(await call(context, query));
  if (!order.success) throw notEpay();
  return order.data.code === succeeded && order.data.status === paid ? toPayment(order.data) : null;
}

export async function refundEpay(order: TopUpOrder, { money }: RefundOrder, context: ProviderContext): Promise<null> {
  const { EpayId: pid, EpayKey: key } = context.settings;
  const form = new URLSearchParams({
    pid,
    key,
    out_trade_no: order.tradeNo,
    money: formatMoney(money, order.currency),
  });
  const result = response.safeParse(await call(context, new URLSearchParams({ act: 'refund' }), form));
  if (!result.success) throw notEpay();
  const { code, msg = 'no reason' } = result.data;
  if (code !== succeeded) throw new RefundRefused(msg);
  return null;
}

async function call(context: ProviderContext, query: URLSearchParams, form?: URLSearchParams): Promise<unknown> {
  const { PayAddress } = context.settings;
  // An address that was stored by an earlier version. Its form of payment contains no key.
  if (!keepsSecrets(PayAddress)) throw new InvalidInputError('The payment gateway must have an https:// address');
  const { body } = await context.fetch({
    url: `${PayAddress}/api.php?${query.toString()}`,
    policy: 'public-only',
    // A redirect would take the key to another address.
    followRedirects: false,
    ...(form && {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
    }),
  });
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw notEpay();
  }
}

const notEpay = (): AppError =>
  new AppError('UPSTREAM_INVALID_RESPONSE', 'The gateway does not respond as an Epay gateway');
