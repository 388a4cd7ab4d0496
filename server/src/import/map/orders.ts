import { Decimal } from 'decimal.js';
import { maxQuota } from '../../shared/quota.js';
import { quotaPerUnitOf } from '../quota-per-unit.js';
import type { Fields } from '../source/fields.js';
import type { MapContext, Mapper } from './mapped.js';

const table = 'top_ups';
const methods: Readonly<Record<string, string>> = { zfb: 'alipay', wx: 'wxpay' };

/**
 * Maps an order, which keeps its trade number. A pending payment is therefore credited here: the payment gateway's
 * callback has the same path and finds the order.
 */
export const mapOrder: Mapper = (row, context) => {
  const { family, findings, options, orders } = context;
  const { id } = row;
  const tradeNo = row.code('trade_no');
  const status = row.text('status');
  if (status !== 'success' && status !== 'pending') {
    findings.add('order-closed', table, id, status);
    return [];
  }
  if (orders.get(tradeNo) !== id) {
    findings.add('order-duplicate', table, id, tradeNo);
    return [];
  }
  const provider = providerOf(row);
  // The gateways of one-hub call another path.
  if (status === 'pending' && (provider !== 'epay' || family === 'one-hub')) {
    findings.add('order-gateway', table, id, `${provider} ${tradeNo}`);
    return [];
  }
  const quota = quotaOf(row, provider, context);
  const money = hundredthsOf(row.decimal('money'));
  if (tradeNo === '' || quota < 1 || quota > maxQuota || money < 1) {
    findings.add('order-amount', table, id, tradeNo);
    return [];
  }
  const method = row.text('payment_method');
  const created = row.seconds('create_time');
  return [
    {
      key: String(id),
      values: {
        id,
        user_id: row.whole('user_id'),
        trade_no: tradeNo,
        provider,
        merchant_id: options.get('EpayId') ?? '',
        payment_method: methods[method] ?? (method || 'alipay'),
        quota,
        money,
        currency: row.text('currency') || (provider === 'epay' ? 'CNY' : 'USD'),
        status,
        created_at: momentOf(created),
        paid_at: status === 'success' ? momentOf(row.seconds('complete_time', created) || created) : null,
      },
    },
  ];
};

/** A negative time, which is a fault of the source, becomes 1970. */
const momentOf = (seconds: number): string => new Date(Math.max(0, seconds) * 1000).toISOString();

/**
 * Rounds a stored amount, such as 6.935, as Go formats it with two decimals, because the source asked the payment
 * gateway for that text: it rounds the exact binary value, half to even.
 */
const hundredthsOf = (money: number): number =>
  new Decimal(money.toFixed(20)).toDecimalPlaces(2, Decimal.ROUND_HALF_EVEN).mul(100).toNumber();

const providerOf = (row: Fields): string => {
  const named = row.text('payment_provider') || row.text('payment_method');
  return ['stripe', 'creem', 'waffo'].find((one) => named.toLowerCase().startsWith(one)) ?? 'epay';
};

/**
 * Returns the quota of an order. one-hub stores it. `amount` is dollars, or quota on sites that show quota; Stripe stores the amount paid,
 * Creem quota.
 */
function quotaOf(row: Fields, provider: string, { options }: MapContext): number {
  const perUnit = quotaPerUnitOf(options);
  if (row.has('quota')) return row.whole('quota');
  if (provider === 'creem') return row.whole('amount');
  if (provider === 'stripe') return Math.floor(row.decimal('money') * perUnit);
  return Math.floor(row.decimal('amount') * perUnit);
}

/** Selects one of several orders with the same trade number: the paid one, or else the newest. */
export function keptOrders(rows: readonly Fields[]): Map<string, number> {
  const kept = new Map<string, Fields>();
  for (const row of rows) {
    const before = kept.get(row.code('trade_no'));
    const wins = row.text('status') === 'success' || before?.text('status') !== 'success';
    if (!before || wins) kept.set(row.code('trade_no'), row);
  }
  return new Map([...kept].map(([tradeNo, row]) => [tradeNo, row.id]));
}
