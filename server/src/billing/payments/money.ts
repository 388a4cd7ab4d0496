import { Decimal } from 'decimal.js';

const digits = new Map<string, number>();

/** Decimals of the minor unit of an ISO 4217 currency: 2 for CNY, 0 for JPY, 3 for KWD. */
function minorDigits(currency: string): number {
  const known =
    digits.get(currency) ??
    new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ??
    2;
  digits.set(currency, known);
  return known;
}

/** Minor units of 1 unit of the currency. */
export const minorPerUnit = (currency: string): number => 10 ** minorDigits(currency);

/** 7300 CNY is `73.00`, 7300 JPY is `7300`. */
export const formatMoney = (minor: number, currency: string): string =>
  new Decimal(minor).div(minorPerUnit(currency)).toFixed(minorDigits(currency));

/** Parses a decimal text into minor units; null when it is not a number, or has more significant decimals. */
export function parseMoney(text: string, currency: string): number | null {
  if (!/^\d{1,15}(\.\d{1,6})?$/.test(text)) return null;
  const minor = new Decimal(text).mul(minorPerUnit(currency));
  return minor.isInteger() ? minor.toNumber() : null;
}
