import { Decimal } from 'decimal.js';
import { InvalidInputError } from '../../shared/errors.js';
import { maxQuota } from '../../shared/quota.js';
import type { OptionValues } from '../../options/option.service.js';

export interface TopUpPrice {
  /** Quota to be credited. */
  readonly quota: number;
  /** Amount due, in hundredths. */
  readonly money: number;
}

export type PriceOptions = Pick<
  OptionValues,
  'DisplayInCurrencyEnabled' | 'QuotaPerUnit' | 'Price' | 'MinTopUp' | 'TopupGroupRatio'
>;

/** Hundredths. Above any real payment, and far below the largest safe integer. */
const maxMoney = 100_000_000_000;
/** Hundredths. An amount due that is not above it is refused. */
const tooLittleMoney = 1;

/**
 * The price of a top-up for a user of a group.
 * @param amount USD, or quota when the site shows quota
 * @throws InvalidInputError
 */
export function priceTopUp(amount: number, group: string, options: PriceOptions): TopUpPrice {
  if (!Number.isSafeInteger(amount)) throw new InvalidInputError('Invalid parameter', 'amount');
  const { DisplayInCurrencyEnabled: inCurrency, QuotaPerUnit, Price, MinTopUp, TopupGroupRatio } = options;
  const least = inCurrency ? new Decimal(MinTopUp) : new Decimal(MinTopUp).mul(QuotaPerUnit).ceil();
  if (least.greaterThan(amount)) {
    throw new InvalidInputError(`Top-up amount must not be below ${least.toFixed()}`, 'amount');
  }
  const quota = inCurrency ? new Decimal(amount).mul(QuotaPerUnit).floor() : new Decimal(amount);
  const dollars = new Decimal(amount).div(inCurrency ? 1 : QuotaPerUnit);
  const factor = TopupGroupRatio[group] || 1;
  const money = dollars.mul(Price).mul(factor).mul(100).toDecimalPlaces(0, Decimal.ROUND_HALF_UP);
  if (quota.greaterThan(maxQuota) || money.greaterThan(maxMoney)) {
    throw new InvalidInputError('Top-up amount is too large', 'amount');
  }
  if (money.lessThanOrEqualTo(tooLittleMoney) || quota.lessThan(1))
    throw new InvalidInputError('Amount too low', 'amount');
  return { quota: quota.toNumber(), money: money.toNumber() };
}

/** `73.00` */
export const formatMoney = (hundredths: number): string => new Decimal(hundredths).div(100).toFixed(2);

/** Parses a decimal text into hundredths; null when it is not a number, or has more than two significant decimals. */
export function parseMoney(text: string): number | null {
  if (!/^\d{1,15}(\.\d{1,6})?$/.test(text)) return null;
  const hundredths = new Decimal(text).mul(100);
  return hundredths.isInteger() ? hundredths.toNumber() : null;
}
