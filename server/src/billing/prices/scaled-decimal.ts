/**
 * A short decimal as an integer and a power of ten: 1.25 is 125 / 10². Most prices have few digits, so a charge fits a
 * safe integer and needs no decimal library. When it does not fit, the functions return null and the caller uses the
 * decimal library.
 */
interface Scaled {
  readonly mantissa: number;
  /** Digits after the decimal point. */
  readonly digits: number;
}

const powers = Array.from({ length: 16 }, (_, digits) => 10 ** digits);
const knownDecimals = new Map<number, Scaled | null>();
const maxKnownDecimals = 4096;

/**
 * Converts a number. Results are cached, because every call needs its ratios.
 * @returns null for a number that is negative, not finite or too long
 */
export function toScaled(value: number): Scaled | null {
  const kept = knownDecimals.get(value);
  if (kept !== undefined) return kept;
  if (knownDecimals.size >= maxKnownDecimals) knownDecimals.clear();
  const scaled = parseDecimal(value);
  knownDecimals.set(value, scaled);
  return scaled;
}

function parseDecimal(value: number): Scaled | null {
  const found = /^(\d+)(?:\.(\d+))?$/.exec(String(value));
  if (!found) return null;
  const [, whole = '', fraction = ''] = found;
  const mantissa = Number(whole + fraction);
  return Number.isSafeInteger(mantissa) && fraction.length < powers.length
    ? { mantissa, digits: fraction.length }
    : null;
}

/** Returns the product of integers; null when it exceeds the safe integers. */
export function product(...factors: readonly number[]): number | null {
  let result = 1;
  for (const factor of factors) {
    result *= factor;
    if (!Number.isSafeInteger(result)) return null;
  }
  return result;
}

/** @returns `10^digits`; null when it exceeds the safe integers */
export const powerOfTen = (digits: number): number | null => powers[digits] ?? null;
