import { Decimal } from 'decimal.js';

/** How the fraction of a charge is treated. */
export type Rounding = 'truncate' | 'half-up';

/** A price as quota units and what rounding took from it or added to it, which the user carries to the next call. */
export interface Rounded {
  readonly quota: number;
  /** The price minus `quota`, in whole billionths of a unit: [0, 10^9) where a fraction is truncated, else [-10^9 / 2, 10^9 / 2). */
  readonly rest: number;
}

/** Parts of a quota unit. */
export const billion = 1_000_000_000;

/** A charge without a fraction. */
export const whole = (quota: number): Rounded => ({ quota, rest: 0 });

const modes = { truncate: Decimal.ROUND_DOWN, 'half-up': Decimal.ROUND_HALF_UP } as const;

/** Rounds a price. Digits behind the billionth are dropped. @param value not negative */
export function round(value: Decimal, rounding: Rounding): Rounded {
  const quota = value.toDecimalPlaces(0, modes[rounding]);
  const rest = value.minus(quota).times(billion).toDecimalPlaces(0, Decimal.ROUND_FLOOR);
  return { quota: quota.toNumber(), rest: rest.toNumber() };
}

/** `numerator / denominator`, rounded. Exact, because both are integers. @param denominator a power of ten */
export function quotient(numerator: number, denominator: number, rounding: Rounding): Rounded {
  const remainder = numerator % denominator;
  const quota = (numerator - remainder) / denominator;
  const rest = billionthsOf(remainder, denominator);
  return rounding === 'half-up' && remainder * 2 >= denominator
    ? { quota: quota + 1, rest: rest - billion }
    : { quota, rest };
}

function billionthsOf(remainder: number, denominator: number): number {
  if (denominator <= billion) return remainder * (billion / denominator);
  const unit = denominator / billion;
  return (remainder - (remainder % unit)) / unit;
}

/** The most that is charged for a price, whatever its user carries. */
export const roundedUp = ({ quota, rest }: Rounded): number => (rest > 0 ? quota + 1 : quota);

/** The price that is left when a part of it is paid. Nothing is left of a price that is smaller. */
export function minus(price: Rounded, paid: Rounded): Rounded {
  const quota = price.quota - paid.quota;
  const rest = price.rest - paid.rest;
  return quota < 0 || (quota === 0 && rest <= 0) ? whole(0) : { quota, rest };
}
