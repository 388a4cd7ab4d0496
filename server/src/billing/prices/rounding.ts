import { Decimal } from 'decimal.js';

/** Decimals with more digits than any price times any count. */
export const Exact = Decimal.clone({ precision: 60, rounding: Decimal.ROUND_HALF_UP });

/** How the fraction of a charge is treated. */
export type Rounding = 'truncate' | 'half-up';

/** A price as quota units, with the fraction that rounding removed or added. The user's next call gets the fraction. */
export interface Rounded {
  readonly quota: number;
  /**
   * The price minus `quota`, in whole billionths of a unit: [0, 10^9) when a fraction is truncated, else [-10^9 / 2,
   * 10^9 / 2).
   */
  readonly rest: number;
}

/** Parts of a quota unit. */
export const billion = 1_000_000_000;

/** Returns a charge without a fraction. */
export const whole = (quota: number): Rounded => ({ quota, rest: 0 });

const modes = { truncate: Decimal.ROUND_DOWN, 'half-up': Decimal.ROUND_HALF_UP } as const;

/**
 * Rounds a price. Digits after the billionth are dropped.
 * @param value not negative
 */
export function round(value: Decimal, rounding: Rounding): Rounded {
  const quota = value.toDecimalPlaces(0, modes[rounding]);
  const rest = value.minus(quota).times(billion).toDecimalPlaces(0, Decimal.ROUND_FLOOR);
  return { quota: quota.toNumber(), rest: rest.toNumber() };
}

/** Returns the rest of a price after a part of it is paid, at least 0. */
export function minus(price: Rounded, paid: Rounded): Rounded {
  const quota = price.quota - paid.quota;
  const rest = price.rest - paid.rest;
  return quota < 0 || (quota === 0 && rest <= 0) ? whole(0) : { quota, rest };
}
