import { Decimal } from 'decimal.js';
import { InvalidInputError } from '../../shared/errors.js';
import { maxQuota } from '../../shared/quota.js';
import type { OptionValues } from '../../options/option.service.js';
import { minorPerUnit } from './money.js';
import type { PaymentMethod } from './provider.js';

export interface TopUpPrice {
  /** Quota to be credited. */
  readonly quota: number;
  /** Amount due, in minor units of the currency. */
  readonly money: number;
}

export type PriceOptions = Pick<
  OptionValues,
  'DisplayInCurrencyEnabled' | 'QuotaPerUnit' | 'MinTopUp' | 'TopupGroupRatio'
>;

/** Minor units. Above any real payment, and far below the largest safe integer. */
const maxMoney = 100_000_000_000;
/** Minor units. An amount due that is not above it is refused. */
const tooLittleMoney = 1;

/**
 * The price of a top-up for a user of a group.
 * @param amount USD, or quota when the site shows quota
 * @throws InvalidInputError
 */
export function priceTopUp(
  amount: number,
  group: string,
  options: PriceOptions,
  { currency, pricePerUsd, minTopUp = 0 }: Pick<PaymentMethod, 'currency' | 'pricePerUsd' | 'minTopUp'>,
): TopUpPrice {
  if (!Number.isSafeInteger(amount)) throw new InvalidInputError('Invalid parameter', 'amount');
  const { DisplayInCurrencyEnabled: inCurrency, QuotaPerUnit, MinTopUp, TopupGroupRatio } = options;
  const leastDollars = Decimal.max(MinTopUp, minTopUp);
  const least = inCurrency ? leastDollars : leastDollars.mul(QuotaPerUnit).ceil();
  if (least.greaterThan(amount)) {
    throw new InvalidInputError(`Top-up amount must not be below ${least.toFixed()}`, 'amount');
  }
  const quota = inCurrency ? new Decimal(amount).mul(QuotaPerUnit).floor() : new Decimal(amount);
  const dollars = new Decimal(amount).div(inCurrency ? 1 : QuotaPerUnit);
  return checked(quota, moneyOf(dollars, TopupGroupRatio[group], { currency, pricePerUsd }));
}

/**
 * The price of a plan for a user of a group.
 * @param quota the price of the plan
 * @returns the price, and the amount as a top-up names it: USD, or quota when the site shows quota
 * @throws InvalidInputError
 */
export function pricePlan(
  quota: number,
  group: string,
  { DisplayInCurrencyEnabled: inCurrency, QuotaPerUnit, TopupGroupRatio }: PriceOptions,
  method: Pick<PaymentMethod, 'currency' | 'pricePerUsd'>,
): TopUpPrice & { readonly amount: number } {
  const dollars = new Decimal(quota).div(QuotaPerUnit);
  const price = checked(new Decimal(quota), moneyOf(dollars, TopupGroupRatio[group], method));
  return { ...price, amount: inCurrency ? dollars.toNumber() : quota };
}

const moneyOf = (
  dollars: Decimal,
  factor: number | undefined,
  { currency, pricePerUsd }: Pick<PaymentMethod, 'currency' | 'pricePerUsd'>,
): Decimal =>
  dollars
    .mul(pricePerUsd)
    .mul(factor || 1)
    .mul(minorPerUnit(currency))
    .toDecimalPlaces(0, Decimal.ROUND_HALF_UP);

/** @throws InvalidInputError */
function checked(quota: Decimal, money: Decimal): TopUpPrice {
  if (quota.greaterThan(maxQuota) || money.greaterThan(maxMoney)) {
    throw new InvalidInputError('Top-up amount is too large', 'amount');
  }
  if (money.lessThanOrEqualTo(tooLittleMoney) || quota.lessThan(1))
    throw new InvalidInputError('Amount too low', 'amount');
  return { quota: quota.toNumber(), money: money.toNumber() };
}
