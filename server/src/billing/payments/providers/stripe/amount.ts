import { Decimal } from 'decimal.js';
import { minorPerUnit } from '../../money.js';

/** Currencies whose amounts Stripe counts in whole units (docs.stripe.com/currencies#zero-decimal, as of 2026-11-27). */
const zeroDecimal: ReadonlySet<string> = new Set([
  ...['BIF', 'CLP', 'DJF', 'GNF', 'JPY', 'KMF', 'KRW', 'MGA', 'PYG', 'RWF', 'VND', 'VUV', 'XAF', 'XOF', 'XPF'],
]);

/**
 * Stripe's units of one of our minor units. It is 100 for currencies without decimals here that Stripe counts in
 * hundredths, such as ISK, UGX and IDR. The setting of the currency allows none with three decimals.
 */
const factor = (currency: string): Decimal =>
  new Decimal(zeroDecimal.has(currency) ? 1 : 100).div(minorPerUnit(currency));

/** Stripe's amount of money in minor units. */
export const toAmount = (money: number, currency: string): string => factor(currency).mul(money).toFixed();

/** Minor units of Stripe's amount; null when it is not a whole number of them. */
export function fromAmount(amount: number, currency: string): number | null {
  const money = new Decimal(amount).div(factor(currency));
  return money.isInteger() ? money.toNumber() : null;
}
