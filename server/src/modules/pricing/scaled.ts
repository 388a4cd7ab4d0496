/**
 * Exact products of short decimals in whole numbers: 1.25 is 125 over 10². Most prices have few digits, so a charge fits a
 * safe integer and needs no decimal library; when it does not fit, the answer is null and the caller takes the long way.
 */
export interface Scaled {
  readonly mantissa: number;
  /** Digits after the point. */
  readonly digits: number;
}

const powers = Array.from({ length: 16 }, (_, digits) => 10 ** digits);
const known = new Map<number, Scaled | null>();
const maxKnown = 4096;

/** @returns null for a number that is negative, not finite or too long. A ratio is asked for at every call, so it is kept. */
export function toScaled(value: number): Scaled | null {
  const kept = known.get(value);
  if (kept !== undefined) return kept;
  if (known.size >= maxKnown) known.clear();
  const scaled = parse(value);
  known.set(value, scaled);
  return scaled;
}

function parse(value: number): Scaled | null {
  const found = /^(\d+)(?:\.(\d+))?$/.exec(String(value));
  if (!found) return null;
  const [, whole = '', fraction = ''] = found;
  const mantissa = Number(whole + fraction);
  return Number.isSafeInteger(mantissa) && fraction.length < powers.length
    ? { mantissa, digits: fraction.length }
    : null;
}

/** The product of whole numbers, null when it is not exact any more. */
export function product(...factors: readonly number[]): number | null {
  let result = 1;
  for (const factor of factors) {
    result *= factor;
    if (!Number.isSafeInteger(result)) return null;
  }
  return result;
}

export const powerOfTen = (digits: number): number | null => powers[digits] ?? null;

/** `numerator / 10^digits` without its fraction; both exact, so the remainder is. */
export function quotient(numerator: number, denominator: number, rounding: 'truncate' | 'half-up'): number {
  const remainder = numerator % denominator;
  const whole = (numerator - remainder) / denominator;
  return rounding === 'half-up' && remainder * 2 >= denominator ? whole + 1 : whole;
}
