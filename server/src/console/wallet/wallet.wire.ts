import { z } from 'zod';
import {
  flag,
  int,
  named,
  nullish,
  parameter,
  seconds,
  text,
  type Wire,
} from '../../platform/http/openapi/operation.js';
import { dateOf, unixSeconds } from '../../shared/clock.js';
import { lastSecond, maxInt32 } from '../../shared/limits.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { roundedUsd } from '../../shared/quota.js';
import {
  formatMoney,
  newApiFlagFields,
  type OrderFilter,
  type OrderStatus,
  type TopUpOrder,
} from '../../billing/payments/index.js';

/** Old clients also send `top_up_code` here. It does not change the price. */
export const amountBody = z.object({ amount: z.int() });
export const payBody = z.object({ amount: z.int(), payment_method: z.string(), top_up_code: nullish.text });

/**
 * The two endpoints of a top-up have their own response shape
 * (docs/reference/rest/tokens-and-wallet.md#online-top-up); `success` is an addition.
 */
const refusal = z.object({ success: z.literal(false), message: z.literal('error'), data: text('Why') });
const paid = <Data extends z.ZodType>(data: Data) =>
  z.object({ success: z.literal(true), message: z.literal('success'), data });

export const topUpPrice = z.union([paid(text('Amount of money')), refusal]);
export const startedPayment = z.union([paid(z.record(z.string(), z.string())).extend({ url: z.string() }), refusal]);

/** The ways to pay in the form of new-api, whose other providers do not exist here. */
export const topUpInfo = z.object({
  enable_online_topup: flag('A way to pay is offered'),
  ...newApiFlagFields,
  pay_methods: z.array(
    z.object({ name: text('The text that buyers read'), type: text('The `payment_method` of `/api/user/pay`') }),
  ),
  min_topup: z.number().describe('Smallest top-up in USD'),
  amount_options: z.array(z.number()).describe('Always empty: any amount may be paid'),
  discount: z.record(z.string(), z.number()).describe('Always empty'),
});

/** An order in the form of new-api; `currency` is an addition. */
export const topUpOrderShape = named('TopUpOrder', 'An order at a payment gateway.', {
  id: int('Id'),
  user_id: int('Buyer'),
  amount: z.number().describe('What it adds to the balance, in USD'),
  money: z.number().describe('Price, in the currency'),
  currency: text('ISO 4217'),
  trade_no: text('Number of the order'),
  payment_method: text('Id of the method'),
  payment_provider: text('Name of the gateway'),
  create_time: seconds('Ordered'),
  complete_time: seconds('Paid, or 0'),
  status: text('`pending`, `success` or `expired`'),
});

/** Parameters of the query of orders. The page is in the parameters of `pages`. */
export const topUpQuery = { keyword: parameter.words('The whole number of an order') };
export const toTopUpFilter = ({ keyword }: z.output<z.ZodObject<typeof topUpQuery>>): OrderFilter =>
  keyword ? { tradeNo: keyword } : {};

export const toTopUpOrder = (
  { id, userId, quota, money, currency, tradeNo, paymentMethod, provider, createdAt, paidAt }: TopUpOrder,
  status: OrderStatus,
  quotaPerUnit: number,
): Wire<typeof topUpOrderShape> => ({
  id,
  user_id: userId,
  amount: roundedUsd(quota / quotaPerUnit),
  money: Number(formatMoney(money, currency)),
  currency,
  trade_no: tradeNo,
  payment_method: paymentMethod,
  payment_provider: provider,
  create_time: unixSeconds(createdAt),
  complete_time: paidAt ? unixSeconds(paidAt) : 0,
  status,
});

export const success = { success: true, message: 'success' } as const;
export const notPaid = (data: string): z.output<typeof refusal> => ({ success: false, message: 'error', data });

/** `POST /api/payment/:id/refund`. */
export const refundBody = z.object({
  amount: nullish.text,
  note: z.string(),
  below_zero: z.boolean().nullish(),
});
export const refundedOrder = z.object({
  trade_no: text('Number of the order'),
  currency: text('ISO 4217'),
  refunded: text('Money that was refunded or is disputed, with this refund'),
  confirmed: flag('False: the gateway has not confirmed the refund'),
});

/** `POST /api/payment/:id/refund/outcome`. */
export const outcomeBody = z.object({ amount: nullish.text, made: z.boolean(), note: z.string() });
export const settledOrder = refundedOrder.omit({ confirmed: true });

const orderStatuses: readonly OrderStatus[] = ['pending', 'success', 'expired'];

/** `GET /api/payment/export`. */
export const orderQuery = {
  start_timestamp: parameter.whole('First Unix second in which orders were placed'),
  end_timestamp: parameter.whole('Last Unix second'),
  status: parameter.words('`pending`, `success` or `expired`'),
  method: parameter.words('Id of a method, or `other`'),
  user_id: parameter.whole('Id of the buyer'),
  trade_no: parameter.words('The whole number of an order'),
};

/** Empty and unknown parameters do not restrict. */
export function toOrderFilter(query: z.output<z.ZodObject<typeof orderQuery>>): OrderFilter {
  const status = orderStatuses.find((one) => one === query.status);
  const [from, end] = [query.start_timestamp, query.end_timestamp].map((second) => Math.min(second, lastSecond));
  return omitUndefined({
    statuses: status ? [status] : undefined,
    methods: query.method ? [query.method] : undefined,
    userIds: query.user_id > 0 ? [Math.min(query.user_id, maxInt32)] : undefined,
    tradeNo: query.trade_no || undefined,
    // The last second is included.
    created: { from: from && from > 0 ? dateOf(from) : null, until: end && end > 0 ? dateOf(end + 1) : null },
  });
}
